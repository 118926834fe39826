// A slice of the tag directory with its timing.
//
// Models: coherence::directory behind a pipeline. The slice accepts messages in the order of
// arrival, one every `interval` cycles. All messages that it sends for one leave together,
// `latency` cycles after its acceptance. Leaves out: limited capacity. Source: docs/hierarchy.md.
#ifndef KNC_CARD_DIRECTORY_SLICE_H
#define KNC_CARD_DIRECTORY_SLICE_H

#include <algorithm>
#include <cstdint>
#include <string>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/card/home_slice.h>
#include <knc/coherence/directory.h>
#include <knc/coherence/port.h>

namespace knc::card {

class directory_slice final : public home_slice, coherence::port {
  public:
    directory_slice(coherence::node_t tile, const coherence::address_hash& hash,
                    base::cycle_t latency, base::cycle_t interval, coherence::timed_port& out)
        : logic_(tile, hash, *this), latency_(latency), interval_(interval), out_(out) {}
    directory_slice(const directory_slice&) = delete;
    directory_slice& operator=(const directory_slice&) = delete;

    // A message for the slice arrives in cycle `t`; successive calls never decrease `t`.
    void receive(const coherence::message& m, base::cycle_t t) {
        const base::cycle_t start = std::max(t, free_);
        free_ = start + interval_;
        ++counts_.messages;
        counts_.waited += start - t;
        leaves_ = start + latency_;
        logic_.receive(m);
    }
    // The state after power-on, except the counts.
    void reset() {
        logic_.clear();
        free_ = 0;
    }

    // After reset().
    void serialize(base::archive&);

    coherence::directory& logic() { return logic_; }
    const coherence::directory& logic() const { return logic_; }
    // home_slice
    bool knows(coherence::line_t l) const override { return logic_.knows(l); }
    void view(coherence::debug_view& v) const override { v.slice(logic_); }
    void debug_write(coherence::line_t l, const std::uint8_t* data,
                     coherence::byte_mask m) override {
        logic_.debug_write(l, data, m);
    }
    const slice_counts& counted() const override { return counts_; }

  private:
    // coherence::port
    void send(const coherence::message& m) override { out_.send(m, leaves_); }
    void protocol_error(const std::string& text) override { out_.protocol_error(text); }

    coherence::directory logic_;
    const base::cycle_t latency_, interval_;
    coherence::timed_port& out_;
    base::cycle_t free_ = 0;    // the first cycle in which it can accept a message
    base::cycle_t leaves_ = 0;  // of the messages sent for the present one
    slice_counts counts_;
};

}  // namespace knc::card

#endif
