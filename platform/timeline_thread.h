// The tracks of one hardware thread in the time line.
//
// Models: its run state; its functions, one inside the other as they call each other; the entries
// and handlers of its exceptions and interrupts; its performance interrupts from the overflow to
// the handler's first instruction. A function begins where its first instruction does, and ends
// where the thread executes one that called it, or IRET has left its handler. Leaves out:
// recursion; code that changes stacks begins at its function anew.
#ifndef KNC_PLATFORM_TIMELINE_THREAD_H
#define KNC_PLATFORM_TIMELINE_THREAD_H

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <platform/recording.h>
#include <platform/trace_events.h>

namespace platform {

class timeline_thread {
  public:
    using cycle_t = knc::base::cycle_t;
    enum class kind : std::uint8_t { state, functions, interrupts, messages, count };

    timeline_thread(knc::base::thread_number, trace_events&);

    trace_events::track track(kind) const;

    void on(cycle_t, const steps::state_change&);
    void on(cycle_t, const steps::core_reset&);
    void on(cycle_t, const steps::code_entry&);
    void on(cycle_t, const steps::event&);
    void on(cycle_t, const steps::handler_begin&);
    void on(cycle_t, const steps::handler_return&);
    void on(cycle_t, const steps::pmi_raise&);
    void on(cycle_t, const steps::pmi_arrival&);
    void on(cycle_t, const steps::apic_write&);
    void on(cycle_t, const steps::timer_expiry&);
    void on(cycle_t, const steps::instruction&) {}
    void on(cycle_t, const steps::msr_access&) {}

  private:
    struct frame {
        const program* in;
        std::size_t function;
        knc::base::privilege level;
        std::uint64_t sp;  // after its first instruction
    };
    struct handler {
        std::uint64_t sp;  // to which it returns
        std::uint8_t cpl;
        std::size_t frames;  // of what it has interrupted
        bool entering;
    };
    // A request of the local APIC: a vector, or NMI.
    using request = std::uint16_t;
    static constexpr request nmi = 0x100;

    void leave_frames(std::size_t keep, cycle_t);
    void leave_handlers(std::size_t keep, cycle_t);
    void stop(cycle_t);
    trace_events::track edge_track(std::uint64_t edge) const;
    void next_phase(std::uint64_t edge, cycle_t, const char* phase);
    void end_edge(std::uint64_t edge, cycle_t, const std::string& arguments);

    const knc::base::thread_number number_;
    trace_events& events_;
    knc::base::run_state state_ = knc::base::run_state::wait_for_sipi;
    std::vector<frame> frames_;
    std::vector<handler> handlers_;
    // Overflows on their way to the local APIC, those that wait for the thread by their request,
    // and the one whose handler is being entered (0: none).
    std::deque<std::uint64_t> raised_;
    std::map<request, std::uint64_t> requested_;
    std::uint64_t entering_ = 0;
    std::uint64_t edges_ = 0;
};

}  // namespace platform

#endif
