// A slice of the L3 with its timing.
//
// Models: cache::l3_cache behind a pipeline. The slice accepts messages in the order of arrival,
// one every `interval` cycles. All messages that it sends for one leave together: for a request
// after the lookup, for another message earlier (cache::l3_parameters). Leaves out: limited
// bandwidth of the data. Source: docs/hierarchy.md.
#ifndef KNC_CARD_L3_SLICE_H
#define KNC_CARD_L3_SLICE_H

#include <algorithm>
#include <string>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/cache/l3_cache.h>
#include <knc/card/home_slice.h>
#include <knc/coherence/port.h>

namespace knc::card {

class l3_slice final : public home_slice, coherence::port {
  public:
    l3_slice(coherence::node_t tile, const coherence::address_hash& hash,
             const cache::l3_parameters& p, coherence::timed_port& out)
        : logic_(tile, hash, p, *this), p_(p), out_(out) {}
    l3_slice(const l3_slice&) = delete;
    l3_slice& operator=(const l3_slice&) = delete;

    // A message for the slice arrives in cycle `t`; successive calls never decrease `t`.
    void receive(const coherence::message& m, base::cycle_t t) {
        const base::cycle_t start = std::max(t, free_);
        free_ = start + p_.interval;
        ++counts_.messages;
        counts_.waited += start - t;
        leaves_ = start + (is_request(m.kind) ? p_.cycles : p_.forward_cycles);
        logic_.receive(m);
    }
    // The state after power-on, except the counts.
    void reset() {
        empty();
        logic_.reset_usage();
    }
    // No line is left; what is counted stays.
    void empty() {
        logic_.clear();
        free_ = 0;
    }
    // See shared_cache_if; one line every `interval` cycles.
    base::cycle_t flush(base::cycle_t t);
    // After reset().
    void serialize(base::archive&);
    cache::l3_cache& logic() { return logic_; }
    const cache::l3_cache& logic() const { return logic_; }

    // home_slice
    bool knows(coherence::line_t l) const override { return logic_.knows(l); }
    void view(coherence::debug_view& v) const override { logic_.view(v); }
    void debug_write(coherence::line_t l, const std::uint8_t* data,
                     coherence::byte_mask m) override {
        logic_.debug_write(l, data, m);
    }
    const slice_counts& counted() const override { return counts_; }

  private:
    // coherence::port
    void send(const coherence::message& m) override { out_.send(m, leaves_); }
    void protocol_error(const std::string& text) override { out_.protocol_error(text); }

    cache::l3_cache logic_;
    const cache::l3_parameters p_;
    coherence::timed_port& out_;
    base::cycle_t free_ = 0;    // the first cycle in which it can accept a message
    base::cycle_t leaves_ = 0;  // of the messages sent for the present one
    slice_counts counts_;
};

}  // namespace knc::card

#endif
