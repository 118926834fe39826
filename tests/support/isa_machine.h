// One hardware thread in the environment of isa_environment.h, for tests of instructions. The state
// is that of isa::state{}: those who derive from it set up modes and tables.
#ifndef KNC_TESTS_SUPPORT_ISA_MACHINE_H
#define KNC_TESTS_SUPPORT_ISA_MACHINE_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <knc/isa/context.h>
#include <knc/isa/decoder.h>
#include <support/isa_environment.h>

namespace knc::isa::test {

class isa_machine : public isa_environment {
  public:
    isa_machine(profile p, std::size_t ram_bytes) : isa_environment(ram_bytes), c(*this, p) {
        c.count_in(events);
    }

    context c;
    base::event_row events{};

    // Executes the instruction in `bytes` as if it stood at RIP: one call of its handler. After
    // anything but status::ok RIP is that of the instruction again.
    status step(const std::uint8_t* bytes, std::size_t size);
    status step(std::initializer_list<std::uint8_t> bytes) {
        return step(bytes.begin(), bytes.size());
    }
    // As step(), but a repeated string instruction to its end.
    status run(const std::uint8_t* bytes, std::size_t size);
    status run(std::initializer_list<std::uint8_t> bytes) {
        return run(bytes.begin(), bytes.size());
    }
    std::uint32_t flags_of(std::initializer_list<std::uint8_t> bytes);  // insn_flag

  protected:
    ~isa_machine() = default;
};

}  // namespace knc::isa::test

#endif
