// A tile's slice of the L3 as a module.
//
// Models: l3_slice, with a socket towards the tile's stop of the ring (knc/coherence/types.h), in
// the place of a slice of the tag directory. The module has no process: it runs when a message
// arrives. Leaves out: the same as l3_slice. Source: docs/hierarchy.md.
#ifndef KNC_CARD_L3_H
#define KNC_CARD_L3_H

#include <string>

#include <systemc>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/card/l3_slice.h>
#include <knc/card/uncore_parameters.h>
#include <knc/coherence/endpoint.h>
#include <knc/coherence/network_if.h>

namespace knc::card {

class l3 : public sc_core::sc_module, coherence::endpoint::owner {
  public:
    coherence::endpoint network;
    coherence::error_port errors{"errors"};

    // `tile` is the index of its tile.
    l3(sc_core::sc_module_name, coherence::node_t tile, const coherence::address_hash&,
       const uncore_parameters&, const base::clock&);

    void reset() { slice_.reset(); }
    void empty() { slice_.empty(); }
    void serialize(base::archive& a) { slice_.serialize(a); }

    l3_slice& logic() { return slice_; }
    const l3_slice& logic() const { return slice_; }

  private:
    // coherence::endpoint::owner
    void receive(const coherence::message& m, base::cycle_t t) override { slice_.receive(m, t); }
    void protocol_error(const std::string&) override;

    l3_slice slice_;
};

}  // namespace knc::card

#endif
