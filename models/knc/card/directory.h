// A tile's slice of the tag directory as a module.
//
// Models: directory_slice, with a socket towards the tile's stop of the ring
// (knc/coherence/types.h). The module has no process: it runs when a message arrives. Leaves out:
// the same as directory_slice. Source: docs/hierarchy.md.
#ifndef KNC_CARD_DIRECTORY_H
#define KNC_CARD_DIRECTORY_H

#include <string>

#include <systemc>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/card/directory_slice.h>
#include <knc/card/uncore_parameters.h>
#include <knc/coherence/endpoint.h>
#include <knc/coherence/network_if.h>

namespace knc::card {

class directory : public sc_core::sc_module, coherence::endpoint::owner {
  public:
    coherence::endpoint network;
    coherence::error_port errors{"errors"};

    // `tile` is the index of its tile.
    directory(sc_core::sc_module_name, coherence::node_t tile, const coherence::address_hash&,
              const uncore_parameters&, const base::clock&);

    void reset() { slice_.reset(); }
    void serialize(base::archive& a) { slice_.serialize(a); }

    directory_slice& logic() { return slice_; }
    const directory_slice& logic() const { return slice_; }

  private:
    // coherence::endpoint::owner
    void receive(const coherence::message& m, base::cycle_t t) override { slice_.receive(m, t); }
    void expect(const coherence::message& m) const override { slice_.logic().expect(m.line); }
    void protocol_error(const std::string&) override;

    directory_slice slice_;
};

}  // namespace knc::card

#endif
