// The L2 cache of a tile as a module.
//
// Models: the connections of l2_cache, which has the logic: to the L1s, and to the network. Leaves
// out: the same as l2_cache. Source: docs/hierarchy.md.
#ifndef KNC_CACHE_L2_H
#define KNC_CACHE_L2_H

#include <array>
#include <cstdint>
#include <optional>

#include <systemc>

#include <knc/cache/l2_base.h>
#include <knc/cache/l2_cache.h>
#include <knc/coherence/endpoint.h>
#include <knc/coherence/network_if.h>

namespace knc::cache {

class l2 final : public l2_base, private knc::cache::network, private coherence::endpoint::owner {
  public:
    // The network between the tiles (knc/coherence/types.h).
    coherence::endpoint network;
    coherence::error_port errors{"errors"};

    // The parameters must be possible; see impossible(). `pins` are those of the tile.
    l2(sc_core::sc_module_name, std::uint8_t tile, const parameters&,
       const coherence::address_hash&, base::ledger&, line_pins& pins, const base::clock&);

    // l2_base
    coherence::initiator_socket* network_socket() override { return &network; }
    void reset() override;
    bool replies_pending() const override { return logic_->replies_pending(); }
    void view(const l1_data& above, coherence::debug_view&) const override;
    void debug_write(line_t line, const std::uint8_t* data, coherence::byte_mask m) override {
        logic_->debug_write(line, data, m);
    }
    bool each_line(const std::function<void(line_t)>& f) const override {
        logic_->each_line(f);
        return true;
    }
    occupancy used() const override {
        return {logic_->mshrs_used(), logic_->agent().victims_used(), logic_->streams(),
                logic_->arrived(), logic_->deferred()};
    }
    coherence::l2_state state_of(line_t l) const override { return logic_->state(l); }

    void attach(base::recorder_if& r) override {
        recorder_ = &r;
        logic_->attach(r);
    }

    // From now on, requests for lines and accesses that leave no copy carry the monitoring ID of
    // their thread, one of `ids` (docs/cmt.md). Called before the first access.
    void monitor(const std::array<std::uint16_t, l2_cache::threads>& ids) {
        tagging_.ids = &ids;
        reset();
    }
    l2_cache& logic() { return *logic_; }
    const l2_cache& logic() const { return *logic_; }

  private:
    // The network for an L2 whose requests carry monitoring IDs.
    struct tagging final : knc::cache::network {
        explicit tagging(l2& o) : owner(o) {}
        void send(const coherence::message& m, base::cycle_t leaves) override {
            coherence::message tagged = m;
            const bool asks = m.kind == coherence::message_kind::get_s ||
                              m.kind == coherence::message_kind::get_m ||
                              m.kind == coherence::message_kind::i_to_m ||
                              m.kind == coherence::message_kind::read_once ||
                              m.kind == coherence::message_kind::write_once;
            if (asks) tagged.tag = (*ids)[owner.logic_->requested_for()];
            owner.send(tagged, leaves);
        }
        void protocol_error(const std::string& text) override { owner.protocol_error(text); }

        l2& owner;
        const std::array<std::uint16_t, l2_cache::threads>* ids = nullptr;
    };
    friend struct tagging;

    // cache::network
    void send(const coherence::message& m, base::cycle_t leaves) override {
        network.send(m, leaves);
    }
    // cache::network, coherence::endpoint::owner
    void protocol_error(const std::string& text) override { coherence::report(errors, text); }
    // coherence::endpoint::owner
    void receive(const coherence::message&, base::cycle_t) override;

    const std::uint8_t tile_;
    const parameters p_;
    const coherence::address_hash& hash_;
    base::ledger& ledger_;
    line_pins& pins_;
    base::recorder_if* recorder_ = nullptr;
    tagging tagging_{*this};
    std::optional<l2_cache> logic_;  // its address never changes
};

}  // namespace knc::cache

#endif
