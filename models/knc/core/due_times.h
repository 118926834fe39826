// When the next event of each hardware thread is due, apart from its instructions.
//
// Models no hardware. A core that has waited looks at all of them. They are beside each other, so
// that this takes two lines of the host's cache and not several of each thread.
#ifndef KNC_CORE_DUE_TIMES_H
#define KNC_CORE_DUE_TIMES_H

#include <algorithm>
#include <array>

#include <knc/apic/attention.h>
#include <knc/base/aligned_vector.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>

namespace knc::core {

struct alignas(base::host_line_bytes) due_times {
    std::array<apic::attention, base::threads_per_core> apics;  // kept by the local APICs
    // The last cycle of the instruction that executes at completion; base::never: none is under
    // way.
    std::array<base::cycle_t, base::threads_per_core> completions;

    due_times() { reset(); }
    // No instruction is under way.
    void reset() { completions.fill(base::never); }
    bool completes(unsigned t) const { return completions[t] != base::never; }
    base::cycle_t first_completion() const {
        return *std::min_element(completions.begin(), completions.end());
    }
    base::cycle_t first_of_apics() const {
        base::cycle_t first = base::never;
        for (const apic::attention& a : apics) first = std::min(first, a.next_event);
        return first;
    }
};

}  // namespace knc::core

#endif
