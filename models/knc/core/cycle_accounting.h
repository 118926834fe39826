// The use that each thread makes of its cycles, and the duration events of each use.
//
// Models: the occupancy of a thread after its issue (the execution stage, then waiting), the
// duration events of each cycle of it, CPU_CLK_UNHALTED while a thread is awake, the privilege
// level to which a thread's events belong. Sets in the picker when a thread may issue again. Leaves
// out: how many cycles an instruction takes (the callers). Source: PMU guide 327357-001;
// docs/pmu.md.
#ifndef KNC_CORE_CYCLE_ACCOUNTING_H
#define KNC_CORE_CYCLE_ACCOUNTING_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/core/picker.h>
#include <knc/core/timeline.h>

namespace knc::core {

// The use of a cycle. The table in cycle_accounting.cpp has the duration events of each value.
enum class occupancy : std::uint8_t {
    idle,       // nothing in flight: between issues, halted
    executing,  // a multi-cycle instruction beyond its first cycle
    microcode,  // microcode of an instruction or of event entry
    waiting     // for memory, a device, DELAY or the refill of the pipeline
};

class cycle_accounting {
  public:
    static constexpr unsigned threads = base::threads_per_core;

    cycle_accounting(base::ledger&, timeline&, picker&);
    // No thread is awake or has an occupancy; the privilege of all is supervisor.
    void reset();
    // From now on, the cycles of each thread count too (UNHALTED_CORE_CYCLES), and those of them in
    // which a clock of period `divider` ticks (UNHALTED_REFERENCE_CYCLES).
    void count_each_thread(std::uint32_t divider) { divider_ = divider; }
    // From now on, the cycles of walks for data count as `e`, too. The core counts each thread.
    void count_walks(base::event e) { walk_event_ = e; }
    // A core that counts each thread: thread `t` counts each cycle of [from, until) as `e`, too.
    // `from` is this cycle or a later one. `until`: base::never: until end_during().
    void count_during(unsigned t, base::event e, base::cycle_t from, base::cycle_t until) {
        stretches_[t].push_back({e, from, until});
    }
    // Those that have no end yet end with the cycle before this one.
    void end_during(unsigned t) {
        for (stretch& s : stretches_[t])
            if (s.until == base::never) s.until = time_.now();
    }

    // ---- extra cycles of the present issue of thread `t`, until they are taken
    void add_execute(unsigned t, base::cycle_t n) { of_[t].extra_execute += n; }
    void add_stall(unsigned t, base::cycle_t n) { of_[t].extra_stall += n; }
    bool has_extra(unsigned t) const { return (of_[t].extra_execute | of_[t].extra_stall) != 0; }
    base::cycle_t extra_stall(unsigned t) const { return of_[t].extra_stall; }
    base::cycle_t take_execute(unsigned t) { return std::exchange(of_[t].extra_execute, 0); }
    base::cycle_t take_stall(unsigned t) { return std::exchange(of_[t].extra_stall, 0); }

    // ---- occupancy from now on
    // The thread issues in this cycle; the cycles before it are counted.
    void begin_issue(unsigned t) {
        if (of_[t].doing != occupancy::idle) end_occupancy(t);
    }
    // It occupies the execution stage for `busy` cycles from the next one on, then waits `idle`
    // cycles.
    void occupy(unsigned t, base::cycle_t busy, base::cycle_t idle) {
        if ((busy | idle) == 0) return;
        activity& a = of_[t];
        a.doing = occupancy::executing;
        a.since = time_.now() + 1;
        a.until = time_.now() + 1 + busy;
        a.waits_until = a.until + idle;
        if (busy != 0) picker_.hold_stage(a.until);
        picker_.not_before(t, a.waits_until);
    }
    // This cycle and the next `cycles` - 1 run its microcode; no thread issues in them.
    void use_microcode(unsigned t, base::cycle_t cycles);
    // It may issue `idle` cycles later than its present occupancy allows.
    void stall(unsigned t, base::cycle_t idle);
    // No instruction issues in this cycle, and the thread waits for `cycles`.
    void lose_slot(unsigned t, base::cycle_t cycles);
    // After `busy` cycles of the execution stage it waits until cycle `ready`, or until resume().
    void wait(unsigned t, base::cycle_t busy, base::cycle_t ready);
    void resume(unsigned t, base::cycle_t at);
    // The present issue walks the page tables for `cycles`, which other calls account: for a fetch
    // now, else as extra cycles.
    void note_walk(unsigned t, base::cycle_t cycles, bool fetch) {
        walk& w = waits_[t].walks;
        const base::cycle_t first = time_.now() + (fetch ? 0 : 1);
        w.until = std::max(w.until, first) + cycles;
        w.cycles = (of_[t].extra_stall != 0 ? w.cycles : 0) + cycles;
        if (walk_event_ && !fetch) count_during(t, *walk_event_, w.until - cycles, w.until);
    }
    // The first cycle after the latest walk, unless its instruction had to wait for memory first;
    // the cycles of that instruction's walks.
    struct walk {
        base::cycle_t until = 0, cycles = 0;
    };
    const walk& walks(unsigned t) const { return waits_[t].walks; }
    // The first cycle in which `t`, which has issued, waits.
    base::cycle_t waits_from(unsigned t) const { return of_[t].until; }
    // DELAY: it waits for `cycles`, or until end_delay().
    void begin_delay(unsigned t, base::cycle_t cycles);
    void end_delay(unsigned t);
    bool delayed(unsigned t) const { return waits_[t].delay_until > time_.now(); }
    // It halts in this cycle; without that it could have issued again in cycle `otherwise`.
    void halt(unsigned t, base::cycle_t otherwise);
    // It sleeps from cycle `from` on, until wake().
    void sleep(unsigned t, base::cycle_t from);
    void wake(unsigned t);
    // Between two cycles: the cycles before now() in which `t` was neither halted, nor shut down,
    // nor waiting for SIPI.
    base::cycle_t awake_cycles(unsigned t) const;

    // Of the present cycle, as far as nothing issues in it.
    occupancy doing(unsigned t) const {
        const activity& a = of_[t];
        if (a.doing == occupancy::idle || time_.now() >= a.waits_until) return occupancy::idle;
        return time_.now() < a.until ? a.doing : occupancy::waiting;
    }

    // ---- fast-forward
    // From this cycle on, whose predecessors are counted, nothing counts: neither cycles nor what
    // the threads do. Their occupancies end, and they are ready unless they sleep or wait in DELAY.
    void freeze();
    // The thread is ready again, whatever it did, unless it sleeps or waits in DELAY.
    void forget_occupancy(unsigned t);
    // Cycles and events count again. The privilege of each thread must be set next.
    void thaw();
    // Between thaw() and the next instruction, when nothing occupies a thread.
    void serialize(base::archive&);

    // ---- counting
    // Adds all cycles before `now` to the ledger.
    void settle(base::cycle_t now);
    // The next cycle in which a thread's occupancy changes without a call.
    base::cycle_t next_change() const;

    // ---- privilege
    // The level of `t` is `level` from this cycle on. The PMU must have been settled up to the
    // beginning of the cycle if a counter depends on the level: events of this cycle may be in the
    // ledger already. Returns the row in which the thread's events count.
    base::event_row& count_at(unsigned t, base::privilege level);
    // An instruction or an event entry may have changed the level. Its remaining cycles still
    // belong to the level at which it began; the change is due when the thread is ready again.
    void follow_privilege(unsigned t, base::privilege level);
    base::privilege privilege(unsigned t) const { return ledger_.at[t]; }
    bool privilege_due(unsigned t) const {
        return (privileges_pending_ >> t & 1) != 0 && picker_.ready(t) <= time_.now();
    }
    // It is or will be true for a thread.
    bool privileges_change() const { return privileges_pending_ != 0; }
    // The next cycle in which privilege_due() is true for a thread; base::never if there is none.
    base::cycle_t next_privilege() const;

  private:
    struct alignas(64) activity {
        occupancy doing = occupancy::idle;
        base::cycle_t since = 0;
        base::cycle_t until = 0;        // from here on: waiting
        base::cycle_t waits_until = 0;  // from here on: idle
        base::cycle_t extra_execute = 0, extra_stall = 0;
    };
    struct long_wait {
        walk walks;
        // DELAY postpones the thread's next issue from the first cycle to the second.
        base::cycle_t delay_from = 0, delay_until = 0;
        base::cycle_t halted_until = 0;  // the cycle in which it would have issued without the halt

        void serialize(base::archive&);
    };

    // The thread is not idle yet. In most cases it has executed, then waited, and both are over.
    void end_occupancy(unsigned t) {
        activity& a = of_[t];
        if (a.doing != occupancy::executing || time_.now() < a.waits_until) {
            count_until(t, time_.now());
            return;
        }
        base::event_row& row = ledger_.counts[t][ledger_.at[t]];
        row[base::exec_stage_cycles] += std::max(a.until, a.since) - a.since;
        row[base::fe_stalled] += std::max(a.waits_until, a.since) - a.since;
        a.doing = occupancy::idle;
    }
    void count_until(unsigned t, base::cycle_t now);
    void count(unsigned t, occupancy, base::cycle_t end);
    void count_clock(base::cycle_t now);
    void count_thread(unsigned t, base::cycle_t now);
    void count_thread_clocks(unsigned t, base::cycle_t now);
    void count_stretches(unsigned t, base::cycle_t now);

    base::ledger& ledger_;
    timeline& time_;
    picker& picker_;
    std::array<activity, threads> of_;
    unsigned privileges_pending_ = 0;  // bit n: thread n follows another level
    std::array<long_wait, threads> waits_;
    base::cycle_t clock_counted_ = 0;  // CPU_CLK_UNHALTED is counted up to this cycle
    std::uint32_t divider_ = 0;        // 0: the cycles of a thread do not count
    std::array<base::cycle_t, threads> thread_counted_{};  // they are counted up to this cycle
    struct stretch {
        base::event counts;
        base::cycle_t from, until;
    };
    std::array<std::vector<stretch>, threads> stretches_;  // ahead of what is counted
    unsigned awake_ = 0;  // threads that are not halted, shut down or waiting for SIPI
    std::optional<base::event> walk_event_;
    bool frozen_ = false;
    base::event_row uncounted_{};  // takes what counts while it is frozen
    struct wakefulness {
        bool awake = false;
        base::cycle_t since = 0;   // of the present state
        base::cycle_t before = 0;  // awake before that

        void serialize(base::archive&);
    };
    std::array<wakefulness, threads> wakefulness_;
};

}  // namespace knc::core

#endif
