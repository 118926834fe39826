// The requests of an L1 module to the L2 behind its socket.
//
// Models: l2_if as transactions (level_types.h). The L2's own events use l2_events_if; without it,
// the L2 only responds to requests.
#ifndef KNC_CACHE_L2_LINK_H
#define KNC_CACHE_L2_LINK_H

#include <knc/cache/level_types.h>

namespace knc::cache {

class l2_link final : public l2_if {
  public:
    l2_link(level_initiator_socket& s, const base::clock& c) : socket_(s), transactions_(c) {}
    void connect(l2_events_if* events) { events_ = events; }
    // After elaboration.
    void start() { direct_ = dynamic_cast<level_end_if*>(socket_.operator->()); }

    l2_answer access(const l2_access&, base::cycle_t now) override;
    l2_answer prefetch(const l2_prefetch&, base::cycle_t now) override;
    i_to_m_answer request_i_to_m(unsigned thread, line_t, base::cycle_t now) override;
    requester under_way(line_t) const override;
    void write_back(line_t, const coherence::line_data&, bool evicted, base::cycle_t now) override;
    bool read_once(unsigned thread, line_t, base::cycle_t now) override;
    bool write_once(unsigned thread, line_t, const coherence::line_data&, coherence::byte_mask,
                    base::cycle_t now) override;
    void evict(line_t, base::cycle_t now) override;
    bool flush(unsigned thread, base::cycle_t now) override;
    void completed(unsigned thread, base::cycle_t now) override;

    base::cycle_t next_event() const override {
        return events_ != nullptr ? events_->next_event() : base::never;
    }
    void process_due_events(base::cycle_t now) override {
        if (events_ != nullptr) events_->process_due_events(now);
    }
    bool sent() override { return events_ != nullptr && events_->sent(); }

  private:
    void send(level_transaction&) const;
    bool transport(level_transaction&) const;

    level_initiator_socket& socket_;
    level_end_if* direct_ = nullptr;  // the L2, if it is one of the card's base
    l2_events_if* events_ = nullptr;
    mutable level_transactions transactions_;
};

}  // namespace knc::cache

#endif
