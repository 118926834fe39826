// The coherence side of a memory controller with its timing.
//
// Models: requests for which the controller has no room wait in the order of arrival, after the
// first one that was refused. Data are read or written when the controller accepts the request; the
// responses leave when it completes the request. A write of no bytes needs no controller: its
// response leaves when its turn comes. Leaves out: a limit on waiting requests. Source:
// docs/hierarchy.md.
#ifndef KNC_CARD_MEMORY_STOP_H
#define KNC_CARD_MEMORY_STOP_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/card/message_store.h>
#include <knc/coherence/address_hash.h>
#include <knc/coherence/memory_agent.h>
#include <knc/coherence/port.h>
#include <knc/memory/controller.h>
#include <knc/ring/controller_if.h>

namespace knc::card {

class memory_stop final : public ring::controller_if, coherence::port {
  public:
    // `self` is the controller's node. Its messages and protocol errors go to `out`.
    memory_stop(coherence::node_t self, const memory::controller_parameters&, std::uint64_t core_hz,
                const coherence::address_hash&, coherence::line_store&, coherence::timed_port& out);
    memory_stop(const memory_stop&) = delete;
    memory_stop& operator=(const memory_stop&) = delete;

    // A message for this controller arrives in cycle `t`, which has not run yet, or not too many
    // cycles ago; see may_wait().
    void receive(const coherence::message&, base::cycle_t t);
    // One about this line is under way; see coherence::direct_end_if.
    void expect(coherence::line_t line) const { agent_.expect(line); }
    // The state after power-on; waiting requests are lost.
    void reset();
    // Whether a waveform shows logic() from now on: the controller runs soon after each command,
    // not only when it completes a request, and not ahead.
    void watch(bool on) { watched_ = on; }
    // After reset().
    void serialize(base::archive&);

    // ring::controller_if
    bool may_wait(const coherence::message&, base::cycle_t cycles) const override;
    base::cycle_t latest() const override { return controller_->latest(); }
    bool may_run_late(base::cycle_t until) const override {
        return until <= sent_until_ && urgent_ == 0;
    }
    base::cycle_t next_activity() const override { return next_; }
    void run(base::cycle_t until) override;
    void run_ahead(base::cycle_t until) override;
    base::cycle_t now() const override { return now_; }

    unsigned banks() const { return parameters_.organisation.banks; }
    const memory::controller& logic() const { return *controller_; }
    // Reads and writes of lines that the controller has accepted since the start of the run.
    std::uint64_t reads() const { return reads_; }
    std::uint64_t writes() const { return writes_; }
    // Requests that the controller has not accepted yet.
    std::size_t waiting() const { return waiting_; }
    // The messages at this stop: waiting requests, and responses that have not left.
    message_store& messages() { return messages_; }
    const message_store& messages() const { return messages_; }

  private:
    // coherence::port, for memory_agent: stores the responses.
    void send(const coherence::message&) override;
    void protocol_error(const std::string& text) override { out_.protocol_error(text); }

    bool is_urgent(const coherence::message&) const;
    void step(base::cycle_t t);
    void submit(base::cycle_t t);
    void respond(std::uint32_t n, base::cycle_t t);

    const memory::controller_parameters parameters_;
    const std::uint64_t core_hz_;
    std::optional<memory::controller> controller_;
    const coherence::address_hash& hash_;
    coherence::timed_port& out_;
    coherence::memory_agent agent_;
    message_store messages_;
    // The list of waiting requests.
    std::uint32_t first_ = message_store::none, last_ = message_store::none;
    std::size_t waiting_ = 0;
    std::size_t urgent_ = 0;  // of these, the first ones up to the last that cannot be late
    std::uint64_t reads_ = 0, writes_ = 0;
    // The responses to the request being executed.
    std::uint32_t answer_ = message_store::none;
    bool answered_ = false;
    base::cycle_t now_ = 0, next_ = base::never;
    base::cycle_t sent_until_ = 0;  // what leaves before that cycle has been sent
    bool watched_ = false;
    std::vector<memory::controller::completion> done_;
};

}  // namespace knc::card

#endif
