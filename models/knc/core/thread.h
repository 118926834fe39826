// One hardware thread of a core: its architectural context, and the per-thread state of the rooms.
//
// Models: run state, the event whose delivery is pending, the instruction that executes at
// completion. Leaves out: its cycles and pending registers, which the rooms store
// (knc/core/rooms.h).
#ifndef KNC_CORE_THREAD_H
#define KNC_CORE_THREAD_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <knc/apic/local_apic.h>
#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/base/recorder.h>
#include <knc/core/branch_predictor.h>
#include <knc/core/code_window.h>
#include <knc/core/device_accesses.h>
#include <knc/core/environment.h>
#include <knc/core/line_use.h>
#include <knc/core/sampled_instruction.h>
#include <knc/isa/context.h>
#include <knc/isa/event_delivery.h>

namespace knc::core {

using base::run_state;

// The privilege level to which the events of a thread belong.
inline base::privilege privilege_of(const isa::context& c) {
    return c.s.cpl < c.lowest_user ? base::supervisor : base::user;
}

// An event whose delivery waits for memory, or for its turn.
struct pending_event {
    isa::event_kind kind = isa::event_kind::exception;
    isa::fault what;
    std::uint64_t next_ip = 0;
    bool begun = false;  // the delivery has begun, and waits for memory

    void serialize(base::archive&);
};

// An instruction that executes at completion, between its issue and its last cycle.
struct completing_instruction {
    bool counted = false;  // its own event was counted before its effect
    isa::insn code;
};

class thread {
  public:
    thread(unsigned index, isa::profile p, const environment_rooms& rooms,
           const branch_parameters& b)
        : context(environment_, p), branches(b), environment_(rooms, *this), index_(index) {}

    isa::context context;
    run_state state = run_state::wait_for_sipi;
    apic::local_apic* apic = nullptr;

    code_window code;           // fetch
    branch_predictor branches;  // fetch
    line_use lines;             // load-store
    device_accesses devices;    // load-store
    completing_instruction completing;
    pending_event delivery;
    bool in_string = false;  // between two elements of a REP string instruction
    std::string shutdown_reason;

    std::uint64_t retired = 0;
    // The observers of each instruction that the thread executes. Only the handler's is dropped by
    // itself.
    static constexpr std::uint8_t observe_profile = 1, observe_handler = 2, observe_debugger = 4,
                                  observe_signals = 8, observe_recorder = 16, observe_pebs = 32;
    static constexpr std::uint8_t observe_always =
        observe_profile | observe_debugger | observe_signals | observe_recorder | observe_pebs;
    std::uint8_t observed = 0;
    void observe(std::uint8_t by, bool on) {
        observed = static_cast<std::uint8_t>(on ? observed | by : observed & ~by);
    }
    // What comes before the next instruction.
    static constexpr std::uint8_t delivery_waits = 1, debugger_asks = 2, assist_waits = 4;
    std::uint8_t before = 0;
    sampled_instruction sampled;

    bool delivery_is_due() const { return (before & delivery_waits) != 0; }
    // Its last instruction is to be recorded (knc/core/pebs_unit.h).
    bool assist_is_due() const { return (before & assist_waits) != 0; }
    // `e` is delivered as the thread's next issue.
    void deliver_next(const pending_event& e) {
        delivery = e;
        before |= delivery_waits;
    }
    void end_delivery() { before &= debugger_asks | assist_waits; }
    // A debugger is asked before each instruction, or no more.
    void ask_debugger(bool on) {
        observed &= static_cast<std::uint8_t>(~observe_debugger);
        before &= delivery_waits | assist_waits;
        if (!on) return;
        observed |= observe_debugger;
        before |= debugger_asks;
    }

    // When a fast-forward has ended: nothing is in flight.
    void serialize(base::archive&);

    unsigned index() const { return index_; }
    // As a thread of core `n`.
    base::thread_number number(std::uint16_t n) const {
        return {n, static_cast<std::uint8_t>(index_)};
    }

  private:
    environment environment_;
    unsigned index_;
};

using thread_table = std::array<std::unique_ptr<thread>, base::threads_per_core>;

}  // namespace knc::core

#endif
