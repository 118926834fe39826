// A second PMU, written for obviousness: it looks at every single clock. The model is compared with
// it.
#ifndef KNC_TESTS_UNIT_PMU_REFERENCE_H
#define KNC_TESTS_UNIT_PMU_REFERENCE_H

#include <array>
#include <vector>

#include <knc/pmu/event_table.h>

#include "fixture.h"

namespace pmu_test {

// What software or a thread does at the beginning of a clock.
struct action {
    enum { write, spflt, privilege, reset } what;
    std::size_t thread;
    std::uint32_t address;  // write
    std::uint64_t value;    // write, spflt, privilege
};

struct clock_input {
    std::vector<action> actions;
    std::uint8_t execution_stage;
    // Events of the clock; those of scope core in row 4.
    std::array<std::array<std::uint64_t, base::event_count>, 5> events;
    // Clocks from here on, this one included, that are alike, have durations only and after this
    // one no actions; 0: not a quiet clock.
    std::size_t quiet;
};

class reference {
  public:
    explicit reference(const pmu::parameters& p) : parameters_(p) {}

    void act(const action& a, cycle_t now) {
        bank& b = banks_[a.thread];
        switch (a.what) {
            case action::privilege:
                user_[a.thread] = a.value != 0;
                return;
            case action::spflt:
                b.spflt = (b.spflt & 3) | a.value << 63;
                return;
            case action::reset:
                banks_ = {};
                return;
            case action::write:
                break;
        }
        switch (a.address) {
            case msr::cntr0:
            case msr::cntr1:
                b.counter[a.address & 1] = a.value;
                break;
            case msr::evtsel0:
            case msr::evtsel1:
                // The condition of a changed selection has not been seen before; INT is not part of
                // it.
                if (((b.evtsel[a.address & 1] ^ a.value) & ~intr) != 0)
                    b.before[a.address & 1] = false;
                b.evtsel[a.address & 1] = a.value;
                break;
            case msr::spflt:
                b.spflt = a.value;
                break;
            case msr::ovf:
                b.status &= ~a.value;
                break;
            case msr::ctrl:
                b.ctrl = a.value;
                break;
            default:
                FAIL();
        }
        lines(now, nowhere);
    }

    // One clock passes; it ends at `now`.
    void clock(const clock_input& in, cycle_t now) {
        std::array<unsigned, 4> contextless{};  // per bank: overflows with INT of either kind
        std::array<unsigned, 4> with_context{};
        for (std::size_t t = 0; t < 4; ++t) {
            bank& b = banks_[t];
            for (unsigned n = 0; n < 2; ++n) {
                const std::uint64_t select = b.evtsel[n];
                const base::event e = pmu::find_event(select & 0xFF, select >> 8 & 0xFF);
                const bool gate = (select & en) != 0 && (b.ctrl >> n & 1) != 0 &&
                                  ((b.spflt >> n & 1) == 0 || b.spflt >> 63 != 0) &&
                                  (select & (usr | os)) != 0 && e != base::event_count;
                if (!gate) {
                    b.before[n] = false;
                    continue;
                }
                const bool core = pmu::info(e).scope == pmu::event_scope::core;
                const std::uint64_t add = step(b, n, select, in, t, e, core);
                b.counter[n] += add;
                if (b.counter[n] <= top) continue;
                b.counter[n] -= top + 1;
                b.status |= 1u << n;
                ++b.overflows[n];
                // A clock has no thread, and yet each thread has clocks of its own.
                const bool nobodys = core && e != base::cpu_clk_unhalted;
                if ((select & intr) != 0) ++(nobodys ? contextless : with_context)[t];
            }
        }
        std::array<int, 4> elsewhere = nowhere;
        for (std::size_t t = 0; t < 4; ++t) {
            const bool by_stage =
                parameters_.contextless_pmi == pmu::contextless_pmi::execution_stage;
            if (by_stage && contextless[t] != 0 && with_context[t] == 0)
                elsewhere[t] = in.execution_stage;
        }
        lines(now, elsewhere);
    }

    struct bank {
        std::uint64_t counter[2], evtsel[2], spflt, ctrl, status, overflows[2];
        bool before[2];
        bool level;
        bool line;
    };
    const bank& state(std::size_t thread) const { return banks_[thread]; }
    pmis seen;

  private:
    bool selected(std::uint64_t select, std::size_t thread) const {
        return (select & (user_[thread] ? usr : os)) != 0;
    }

    std::uint64_t step(bank& b, unsigned n, std::uint64_t select, const clock_input& in,
                       std::size_t t, base::event e, bool core) const {
        std::uint64_t events = 0;
        if (core) {
            if (selected(select, t)) events = in.events[4][e];
        } else {
            for (std::size_t other = 0; other < 4; ++other) {
                const bool mine = other == t || (select & any) != 0;
                if (mine && selected(select, other)) events += in.events[other][e];
            }
        }
        const std::uint64_t threshold = select >> 24;
        const bool by_clock = threshold != 0 || (select & edge) != 0;
        if (!by_clock) return events;
        bool met = events >= (threshold == 0 ? 1 : threshold);
        if (threshold != 0 && (select & inv) != 0) met = !met && selected(select, t);
        const bool rose = met && !b.before[n];
        b.before[n] = met;
        return (select & edge) != 0 ? rose : met;
    }

    void lines(cycle_t now, std::array<int, 4> elsewhere) {
        std::array<bool, 4> stood{};
        std::array<bool, 4> pulse{};
        for (std::size_t t = 0; t < 4; ++t) stood[t] = banks_[t].line;
        for (std::size_t t = 0; t < 4; ++t) {
            bank& b = banks_[t];
            bool level = false;
            for (unsigned n = 0; n < 2; ++n)
                level |= (b.status >> n & 1) != 0 && (b.evtsel[n] & intr) != 0;
            if (level && !b.level) {
                const bool away = elsewhere[t] >= 0 && elsewhere[t] != static_cast<int>(t);
                pulse[away ? static_cast<std::size_t>(elsewhere[t]) : t] = true;
                b.line = !away;
            }
            if (!level) b.line = false;
            b.level = level;
        }
        for (std::size_t t = 0; t < 4; ++t) {
            if (pulse[t] && !stood[t]) seen.emplace_back(t, now);
        }
    }

    static constexpr std::array<int, 4> nowhere{-1, -1, -1, -1};

    const pmu::parameters parameters_;
    std::array<bank, 4> banks_{};
    std::array<bool, 4> user_{};
};

}  // namespace pmu_test

#endif
