// A thread without paging or memory: its addresses are physical. For what only asks where it is.
#ifndef KNC_TESTS_UNIT_PLATFORM_NO_MACHINE_H
#define KNC_TESTS_UNIT_PLATFORM_NO_MACHINE_H

#include <support/isa_machine.h>

namespace platform {

struct no_machine : knc::isa::test::isa_machine {
    no_machine() : isa_machine(knc::isa::profile::knc, 0x1000) {}
};

}  // namespace platform

#endif
