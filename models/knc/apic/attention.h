// What a local APIC has for its core.
//
// Models no hardware: the two values that the core reads most often. A core keeps those of all its
// local APICs beside each other (local_apic::keep_attention_in).
#ifndef KNC_APIC_ATTENTION_H
#define KNC_APIC_ATTENTION_H

#include <knc/base/clock.h>

namespace knc::apic {

struct attention {
    // The cycle of the next timer interrupt or queued message; base::never if there is none. A
    // masked timer raises no interrupt and is not included.
    base::cycle_t next_event = base::never;
    // The thread has at least one of local_apic's events to accept. While it waits for a startup
    // IPI, only that and INIT are included.
    bool pending = false;
};

}  // namespace knc::apic

#endif
