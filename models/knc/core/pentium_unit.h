// What a Pentium with MMX counts and predicts, beside what every core of this model does.
//
// Models: the FIFO from which instructions issue; events of instructions as they retire (MMX, x87
// operations, segment loads, matches of breakpoints), of branches and their prediction, of the
// entry into handlers, and of waits for data, for the bus and for the x87 and MMX units, each in
// the ledger at its cause. A core with one thread. Leaves out: events that every core counts
// (knc/base/events.def), the registers (knc/pmu/p55c_front_end.h). Source: Intel's MMX developer's
// guide, chapter 6; SDM vol. 3, events of Pentium processors; docs/p55c.md.
#ifndef KNC_CORE_PENTIUM_UNIT_H
#define KNC_CORE_PENTIUM_UNIT_H

#include <cstdint>
#include <optional>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/core/cycle_accounting.h>
#include <knc/core/instruction_fifo.h>
#include <knc/core/parameters.h>
#include <knc/core/pentium_branches.h>
#include <knc/core/scoreboard.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>
#include <knc/isa/access_counts.h>
#include <knc/isa/event_delivery.h>
#include <knc/pmu/core_if.h>

namespace knc::core {

class pentium_unit {
  public:
    pentium_unit(const parameters&, const timeline&, cycle_accounting&, scoreboard&);
    void connect(pmu::core_if& p) { pmu_ = &p; }
    // The accesses of a new context are counted here.
    void watch(isa::context&);
    void reset();
    // Between a fast-forward and the instructions after it: nothing is predicted or fetched.
    void begin_anew();
    void serialize(base::archive&);

    // The first cycle, at least the present one, in which the FIFO has `u`. If that is now, `v` is
    // nullptr afterwards unless the FIFO has it, too.
    base::cycle_t decoded(thread&, const isa::insn& u, const isa::insn*& v);
    // An attempt at `i`, at linear address `la`, begins.
    void starts(thread&, const isa::insn& i, std::uint64_t la);
    // The fetch of the next instruction waits for its line, or for `cycles` for its translation.
    void fetch_waits(thread&);
    void fetch_walks(thread&, base::cycle_t cycles);
    // It ends, and is to be repeated from its start: nothing of it counts, but the clocks in which
    // `i` waits for data, or for the bus; nullptr: the entry into a handler.
    void blocked(thread&, const isa::insn* i);
    // `i` has retired; after its branch, if it is one.
    void retired(thread&, const isa::insn& i, bool in_v);
    // The branch at linear address `ip` is resolved. Returns the cycles that the refill of the
    // pipeline adds.
    std::uint32_t branch(thread&, const isa::insn&, std::uint64_t ip, bool in_v);
    // The thread has entered the handler of `what` from privilege level `cpl`.
    void entered(thread&, isa::event_kind, const isa::fault& what, std::uint8_t cpl);
    // From now on until cycle `start`, an issue waits for the registers of x87 and MMX; `v`:
    // nullptr: none.
    void waits(thread&, const isa::insn& u, const isa::insn* v, base::cycle_t start);
    // The core sleeps from the beginning of cycle `at` on, or wakes in it.
    void sleeps(bool on, base::cycle_t at) { pmu_->sleeps(on, at); }

  private:
    void take(const isa::insn&);
    void look_for_false_entry(thread&, const isa::insn&, bool in_v);
    void commit(base::event_row&);
    void flush(thread&, base::cycle_t refill);
    void count_taken(base::event_row&, bool flushes);
    void count_near(base::event_row&, const pentium_branches::outcome&, pentium_branches::kind,
                    bool taken, bool in_v);
    void count_unit(thread&, const isa::insn&, bool in_v);
    void count_wait(thread&, base::event, base::cycle_t from);
    void end_wait(thread&);
    void wait_of_mmx(unsigned t, const isa::insn&, base::cycle_t start);

    const parameters& parameters_;
    const timeline& time_;
    cycle_accounting& accounting_;
    scoreboard& results_;
    pmu::core_if* pmu_ = nullptr;
    pentium_branches branches_;
    instruction_fifo fifo_;
    bool fetch_waited_ = false;
    // What the branch under way does to the FIFO: it is empty until that cycle; 0: it goes on at
    // the target.
    std::optional<base::cycle_t> redirects_;
    isa::access_counts accesses_;
    bool waits_ = false;         // for memory or a device
    bool x87_was_last_ = false;  // of the instructions of x87 and MMX
    // Of the attempt that has begun, until it ends; then of the instruction in V.
    std::uint64_t la_ = 0;
    std::uint8_t cpl_ = 0;
    bool is_return_ = false;
};

}  // namespace knc::core

#endif
