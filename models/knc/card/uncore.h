// The card's own network: ring, tag directory and memory controllers.
//
// Models: the wiring of ring and controllers, which are modules of the card. The directory slices
// are modules of the tiles; add() connects them. Leaves out: the behaviour of the parts. Source:
// docs/hierarchy.md.
#ifndef KNC_CARD_UNCORE_H
#define KNC_CARD_UNCORE_H

#include <deque>
#include <memory>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/card/controller.h>
#include <knc/card/directory.h>
#include <knc/card/fabric_probe.h>
#include <knc/card/l3.h>
#include <knc/card/line_places.h>
#include <knc/card/network.h>
#include <knc/card/parts.h>
#include <knc/card/shared_cache_if.h>
#include <knc/ring/ring.h>

namespace knc::card {

class uncore final : public network, public shared_cache_if {
  public:
    // Throws std::invalid_argument for impossible parameters; see impossible(). `errors` must
    // outlive the uncore.
    uncore(const network_place&, coherence::error_if& errors);

    // What the scheduler runs: the ring, which runs the controllers.
    coherence::network_if& clocked() { return ring_; }
    // The L2 of the tile takes its transactions from where the slice at its stop does.
    void add(coherence::initiator_socket* l2, unsigned tile) {
        if (auto* const e = dynamic_cast<coherence::endpoint*>(l2)) e->share(transactions_of(tile));
    }
    // Adds the slice of a tile; called in the order of the tiles.
    void add(directory& d) {
        d.network.share(transactions_of(slices_.size()));
        lines_.add(d.logic());
        slices_.push_back(&d.logic());
    }
    void add(l3& d) {
        d.network.share(transactions_of(slices_.size()));
        lines_.add(d.logic());
        slices_.push_back(&d.logic());
        l3_slices_.push_back(&d.logic());
    }
    // shared_cache_if
    base::cycle_t flush(base::cycle_t at) override;
    // Of the tiles, in order; none without an L3.
    const std::vector<l3_slice*>& l3_slices() const { return l3_slices_; }

    // network
    coherence::target_socket& tile(unsigned n) override { return ring_.tile(n); }
    coherence::target_socket& sbox() override { return ring_.sbox(); }
    base::cycle_t lookahead() const override { return lookahead_; }
    void reset(base::cycle_t now) override;
    void serialize(base::archive&) override;
    bool only_in_memory(coherence::line_t l) override { return lines_.only_in_memory(l); }
    void view(coherence::debug_view& v) override { lines_.view(v); }
    void debug_write(coherence::line_t line, const coherence::line_data& d,
                     coherence::byte_mask mask) override {
        lines_.debug_write(line, d, mask);
    }
    network_counts counts() const override;
    ring_counts ring() const override;
    base::signal_list signals() const override;
    // Whether some of its signals are wanted from now on.
    void watch(bool on);
    void sample() override { probe_.sample(); }
    // coherence::network_if
    base::cycle_t next_activity() const override { return ring_.next_activity(); }
    base::cycle_t next_delivery() const override { return ring_.next_delivery(); }
    void run(base::cycle_t until) override { ring_.run(until); }
    base::cycle_t now() const override { return ring_.now(); }

  private:
    const line_places& add_controllers(const network_place&, coherence::error_if&);
    // Those of a part's thread.
    coherence::transaction_pool& transactions_of(std::size_t part) {
        return transactions_[ring::carrier::thread_of_part(part, transactions_.size())];
    }

    // Of L2s, home slices and controllers, for each host thread that runs parts of the network.
    std::deque<coherence::transaction_pool> transactions_;
    ring::ring ring_;
    const base::cycle_t lookahead_;
    std::vector<std::unique_ptr<controller>> controllers_;
    std::vector<const home_slice*> slices_;  // of the tiles
    std::vector<l3_slice*> l3_slices_;
    line_places lines_;
    fabric_probe probe_;
};

}  // namespace knc::card

#endif
