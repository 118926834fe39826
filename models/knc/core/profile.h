// The exact profile of a run: instructions and cycles of each thread, by the code that took them.
//
// Models no hardware: the reference for a sampled profile. A cycle belongs to the instruction that
// its thread retired last, or to no code while the thread is halted or does not run. A
// code_finder_if says which code an instruction belongs to; its counts serve all cores. Leaves out:
// the events in these cycles (knc/core/cycle_accounting.h).
#ifndef KNC_CORE_PROFILE_H
#define KNC_CORE_PROFILE_H

#include <array>
#include <cstdint>
#include <string>

#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/base/recorder.h>
#include <knc/isa/code_map.h>
#include <knc/isa/context.h>

namespace knc::core {

struct profile_cell {
    std::uint64_t instructions = 0;
    std::uint64_t clocks = 0;
};

// An instruction as the profile and the dump of a thread see it.
struct code_location {
    isa::context& context;  // of its thread
    base::privilege level;
    std::uint64_t ip;
    std::uint64_t paddr;  // of its first byte
};

// Knows the code that the threads execute. As an observer of the card's code map, it learns when a
// page may have other code than before.
class code_finder_if : public isa::code_map::observer {
  public:
    // Instructions of one level at [low, low + size), as far from their physical addresses, count
    // in `cell`.
    struct stretch {
        std::uint64_t low = 0, size = 0;
        profile_cell* cell = nullptr;
    };
    virtual stretch find(const code_location&) = 0;
    // Every page may have other code than before.
    virtual void forget() = 0;

    // Stretches found before this number changed are void.
    std::uint64_t version() const { return version_; }

  protected:
    ~code_finder_if() = default;
    void invalidate() { ++version_; }

  private:
    std::uint64_t version_ = 0;
};

// Numbers functions, for a waveform; 0: unknown.
class function_numbers_if {
  public:
    virtual std::uint64_t number(const code_location&) = 0;

  protected:
    ~function_numbers_if() = default;
};

// Gives code a name, for a dump; empty: unknown.
class code_names_if {
  public:
    virtual std::string name(const code_location&) = 0;

  protected:
    ~code_names_if() = default;
};

// The part of one core.
class profile {
  public:
    explicit profile(code_finder_if& f) : finder_(f) {
        for (activity& a : of_) a.cell = &stopped_;
    }
    // From now on, `r` learns of code that the threads of core `n` enter.
    void record(std::uint16_t n, base::recorder_if& r) {
        core_ = n;
        recorder_ = &r;
    }

    // Thread `n`, in context `c`, retired the instruction at `ip`, at `paddr`, in cycle `now`.
    void retired(unsigned n, isa::context& c, base::privilege level, std::uint64_t ip,
                 std::uint64_t paddr, base::cycle_t now) {
        activity& a = of_[n];
        if (__builtin_expect(ip - a.code.low >= a.code.size || paddr - ip != a.distance ||
                                 level != a.level || a.version != finder_.version(),
                             0))
            enter(n, {c, level, ip, paddr}, now);
        ++a.cell->instructions;
    }
    // The thread does nothing from this cycle on, until it wakes.
    void halts(unsigned thread, base::cycle_t from) { of_[thread].move_to(halted_, from); }
    void stops(unsigned thread, base::cycle_t from) { of_[thread].move_to(stopped_, from); }
    // Until its next instruction it is at its last one; without one, in no code.
    void wakes(unsigned thread, base::cycle_t now) {
        activity& a = of_[thread];
        a.move_to(a.code.cell != nullptr ? *a.code.cell : stopped_, now);
    }
    // The cycles before `now`, since the last call for the thread, count nowhere. It now does what
    // the state says.
    void pass_over(unsigned thread, base::run_state s, base::cycle_t now) {
        activity& a = of_[thread];
        a.since = now;
        if (s == base::run_state::halted)
            halts(thread, now);
        else if (s == base::run_state::running)
            wakes(thread, now);
        else
            stops(thread, now);
    }
    // The core was reset: the threads have executed nothing.
    void reset(base::cycle_t now) {
        for (activity& a : of_) {
            a.move_to(stopped_, now);
            a.code = {};
        }
        finder_.forget();
    }
    // Counts the cycles before `now`.
    void settle(base::cycle_t now) {
        for (activity& a : of_) a.pass(now);
    }

    // Cycles of all threads in HLT; and not running: before start-up, after a shutdown.
    std::uint64_t halted() const { return halted_.clocks; }
    std::uint64_t stopped() const { return stopped_.clocks; }

  private:
    struct activity {
        // Where the present instructions and cycles count; the cycles before `since` have been.
        profile_cell* cell = nullptr;
        base::cycle_t since = 0;
        code_finder_if::stretch code;  // of the last instruction
        std::uint64_t distance = 0;    // of its physical address
        std::uint64_t version = 0;
        base::privilege level = base::supervisor;

        void pass(base::cycle_t now) {
            if (now <= since) return;
            cell->clocks += now - since;
            since = now;
        }
        void move_to(profile_cell& to, base::cycle_t from) {
            pass(from);
            cell = &to;
        }
        void enter(const code_location& at, code_finder_if& f, base::cycle_t now) {
            code = f.find(at);
            distance = at.paddr - at.ip;
            level = at.level;
            version = f.version();
            move_to(*code.cell, now);
        }
    };

    void enter(unsigned n, const code_location& at, base::cycle_t now) {
        of_[n].enter(at, finder_, now);
        if (recorder_ != nullptr)
            recorder_->code_entered({core_, static_cast<std::uint8_t>(n)}, at.level, at.ip,
                                    at.context.s.r[isa::rsp], now);
    }

    code_finder_if& finder_;
    std::uint16_t core_ = 0;
    base::recorder_if* recorder_ = nullptr;
    profile_cell halted_, stopped_;
    std::array<activity, base::threads_per_core> of_;
};

}  // namespace knc::core

#endif
