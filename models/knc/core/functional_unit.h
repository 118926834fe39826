// Fast-forward: instructions of a core's threads, one after the other, without time.
//
// Models: what instructions and events do to registers, memory, local APICs and devices; exactly
// one clock for an instruction, for an element of a REP string instruction and for the entry of an
// event. The threads of the core take turns. Leaves out: everything that costs or counts time:
// issue, pipelines, caches, TLBs, branch prediction, events of the PMU. Source:
// docs/fast_forward.md.
#ifndef KNC_CORE_FUNCTIONAL_UNIT_H
#define KNC_CORE_FUNCTIONAL_UNIT_H

#include <array>
#include <cstdint>
#include <optional>

#include <knc/base/archive_forward.h>
#include <knc/cache/direct_memory.h>
#include <knc/cache/l1_if.h>
#include <knc/core/functional_place.h>
#include <knc/core/thread.h>
#include <knc/pmu/counter_bank.h>

namespace knc::core {

struct rooms;

class functional_unit {
  public:
    explicit functional_unit(rooms& r) : rooms_(r) {}
    void connect(pmu::counter_bank& c) { counters_ = &c; }

    bool on() const { return place_.has_value(); }
    // Nothing of any thread is in flight. `l1d`, `l1i`: the core's own.
    void enter(const functional_place&, cache::l1d_if& l1d);
    // Branch target buffers are empty then, and no register has to be waited for.
    void leave(cache::l1d_if& l1d, cache::l1i_if& l1i);

    // Every thread starts between two instructions, with nothing kept of its code and translations.
    void begin_anew();

    bool reached() const { return place_->goal.reached; }
    // A thread executes, or time passes, until cycle `until`, until the next event is due, or until
    // a message has left the core.
    void run(base::cycle_t until);
    // After leave(): whose turn it was last.
    void serialize(base::archive&);

  private:
    base::cycle_t next_event() const;
    thread* choose();
    void skip(base::cycle_t until);
    void execute(thread&, base::cycle_t end);
    bool take_event(thread&);
    void execute_one(thread&, std::uint64_t ip, isa::insn&, bool shadow, base::cycle_t end);
    isa::status repeat(thread&, const isa::insn&, base::cycle_t end);
    template <bool remember>
    [[gnu::noinline]] void execute_plain(thread&, isa::insn*, base::cycle_t end);
    void use_code(std::uint64_t paddr, unsigned length);
    void finish_plain(thread&, const isa::insn&, isa::status);
    bool plain(const thread&) const;
    void pass_clock(thread&);
    void retired(thread&, std::uint64_t instructions);

    rooms& rooms_;
    pmu::counter_bank* counters_ = nullptr;
    cache::direct_memory direct_;
    std::optional<functional_place> place_;
    unsigned last_ = base::threads_per_core - 1;  // the thread whose turn it is, or was last
    base::cycle_t turn_ends_ = 0;
    // Lines of code that have been remembered in this turn; no code is in line 0.
    std::array<coherence::line_t, 64> noted_{};
};

}  // namespace knc::core

#endif
