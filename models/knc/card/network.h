// What lies between the tiles of a card, memory included: ring, tag directory and memory
// controllers (uncore.h), or a part of the user's own in place of all of them.
//
// Models: the interface only. Source: docs/integration.md, "A network of your own".
#ifndef KNC_CARD_NETWORK_H
#define KNC_CARD_NETWORK_H

#include <string>

#include <knc/base/signal.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/network_if.h>
#include <knc/coherence/types.h>

namespace knc::card {

class network : public coherence::network_if {
  public:
    // Where the stop of a tile, and that of the SBOX, are bound.
    virtual coherence::target_socket& tile(unsigned n) = 0;
    virtual coherence::target_socket& sbox() = 0;

    // If nothing is in flight: the least cycles from when a request leaves a tile to when anything
    // comes of it to any tile. 0: not known.
    virtual base::cycle_t lookahead() const { return 0; }

    // As after power-on, at cycle `now`: messages in flight are lost, memory is kept.
    virtual void reset(base::cycle_t now) = 0;

    // Debug accesses (docs/coherence.md). Memory is all there is to read and write: no cache can
    // have the line.
    virtual bool only_in_memory(coherence::line_t) = 0;
    // Offers what is here of the line, memory included.
    virtual void view(coherence::debug_view&) = 0;
    // Overwrites bytes of the line in everything that is here, memory included.
    virtual void debug_write(coherence::line_t, const coherence::line_data&,
                             coherence::byte_mask) = 0;

    // For a waveform: signals, and their refreshment.
    virtual base::signal_list signals() const { return {}; }
    virtual void sample() {}
};

}  // namespace knc::card

#endif
