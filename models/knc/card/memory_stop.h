// A memory controller at its stop of the ring: requests in, answers out.
//
// Models: requests the controller has no room for wait in the order they arrived, behind the first
// that was refused; data are read or written when the controller takes the request, the answers
// leave when it is done. Leaves out: a limit to what waits. Source: docs/hierarchy.md.
#ifndef KNC_CARD_MEMORY_STOP_H
#define KNC_CARD_MEMORY_STOP_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/card/message_store.h>
#include <knc/coherence/address_hash.h>
#include <knc/coherence/memory_agent.h>
#include <knc/coherence/port.h>
#include <knc/memory/controller.h>

namespace knc::card {

class memory_stop final : coherence::port {
  public:
    // `self` is the controller's node. `errors` is told of what no controller can do.
    memory_stop(coherence::node_t self, const memory::controller_parameters&, std::uint64_t core_hz,
                const coherence::address_hash&, coherence::line_store&, message_store&,
                coherence::port& errors);
    memory_stop(const memory_stop&) = delete;
    memory_stop& operator=(const memory_stop&) = delete;

    // A message of kind mem_*, by its number, arrives at `t`.
    void arrive(std::uint32_t message, base::cycle_t t);
    // Everything of clock `t`, before which next_event() says there is nothing. Calls leave(number)
    // for each message that leaves in it.
    template <class Leave>
    void run(base::cycle_t t, Leave leave);
    // If nothing arrives: the first clock in which anything may happen, or base::never.
    base::cycle_t next_event() const { return next_; }

    const memory::controller& logic() const { return controller_; }
    // Requests the controller has not taken yet.
    std::size_t waiting() const { return waiting_; }

  private:
    // coherence::port, for memory_agent: keeps the answers.
    void send(const coherence::message&) override;
    void protocol_error(const std::string&) override;

    void submit_(base::cycle_t t);

    memory::controller controller_;
    const coherence::address_hash& hash_;
    message_store& messages_;
    coherence::port& errors_;
    coherence::memory_agent agent_;
    // Waiting requests, first to last.
    std::uint32_t first_ = message_store::none, last_ = message_store::none;
    std::size_t waiting_ = 0;
    // The answers to the request being performed.
    std::uint32_t answer_ = message_store::none;
    bool answered_ = false;
    base::cycle_t next_ = base::never;
    std::vector<memory::controller::completion> done_;
};

template <class Leave>
void memory_stop::run(base::cycle_t t, Leave leave) {
    submit_(t);
    done_.clear();
    controller_.run(t, done_);
    for (const memory::controller::completion& d : done_) {
        for (auto m = static_cast<std::uint32_t>(d.id); m != message_store::none;) {
            const std::uint32_t following = messages_.next(m);
            messages_.next(m) = message_store::none;
            leave(m);
            m = following;
        }
    }
    next_ = controller_.next_event();
    if (waiting_ != 0) next_ = std::min(next_, std::max(t + 1, controller_.next_room()));
}

}  // namespace knc::card

#endif
