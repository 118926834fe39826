// The calls of an L2 module to the L1s behind its sockets.
//
// Models: l1d_snoop_if and l1i_snoop_if as transactions on the backward path (level_types.h).
#ifndef KNC_CACHE_L1_LINK_H
#define KNC_CACHE_L1_LINK_H

#include <knc/cache/level_types.h>

namespace knc::cache {

// Calls to one L1.
class l1_caller {
  public:
    l1_caller(level_target_socket& s, const base::clock& c) : socket_(s), transactions_(c) {}

    level_transaction& open(level_command c, line_t line, base::cycle_t now) {
        return transactions_.open(c, line, now);
    }
    level_transaction& open(level_command c, line_t line) { return transactions_.open(c, line); }
    // Completes the transaction. Its result is valid until the next one is opened.
    void send(level_transaction&, tlm::tlm_phase);
    void start() { direct_ = dynamic_cast<level_end_if*>(socket_.operator->()); }
    void fill(const line_fill&, base::cycle_t now);
    void retry(base::cycle_t now) { send(open(level_command::retry, 0, now), RETRY); }

  private:
    bool transport(level_transaction&, tlm::tlm_phase);

    level_target_socket& socket_;
    level_end_if* direct_ = nullptr;  // the L1, if it is one of the card
    level_transactions transactions_;
};

class l1d_link final : public l1d_snoop_if {
  public:
    l1d_link(level_target_socket& s, const base::clock& c) : l1_(s, c) {}
    // After elaboration.
    void start() { l1_.start(); }

    void fill(const line_fill& f, base::cycle_t now) override { l1_.fill(f, now); }
    void retry(base::cycle_t now) override { l1_.retry(now); }
    bool take_back(line_t, std::uint8_t* bytes, coherence::l1_keeps, base::cycle_t now) override;
    bool write_owned(line_t, std::uint8_t* bytes) const override;
    void filled(base::cycle_t now) override {
        l1_.send(l1_.open(level_command::filled, 0, now), RETRY);
    }
    void read_complete(line_t, const coherence::line_data&, base::cycle_t now) override;
    void write_complete(line_t, base::cycle_t now) override;

  private:
    mutable l1_caller l1_;
};

class l1i_link final : public l1i_snoop_if {
  public:
    l1i_link(level_target_socket& s, const base::clock& c) : l1_(s, c) {}
    void start() { l1_.start(); }

    void fill(const line_fill& f, base::cycle_t now) override { l1_.fill(f, now); }
    void retry(base::cycle_t now) override { l1_.retry(now); }
    void drop(line_t line) override { l1_.send(l1_.open(level_command::drop, line), SNOOP); }

  private:
    l1_caller l1_;
};

}  // namespace knc::cache

#endif
