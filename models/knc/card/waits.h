// What the threads of a card wait for, as text for the report of a run that has ended badly.
//
// Models no hardware. Leaves out: what the threads of one core wait for (core::core::dump()).
#ifndef KNC_CARD_WAITS_H
#define KNC_CARD_WAITS_H

#include <iosfwd>
#include <memory>
#include <vector>

#include <knc/card/interrupt_fabric.h>
#include <knc/card/tile.h>
#include <knc/coherence/address_hash.h>

namespace knc::card {

using tile_list = std::vector<std::unique_ptr<tile>>;

// One line: which threads run, and where; which ones do not, and what can wake them.
void write_conclusion(std::ostream&, const tile_list&, core::code_names_if*);
// The lines that tiles have requested from each other and from memory.
void write_misses(std::ostream&, const tile_list&, const coherence::address_hash&);
// The messages between local APICs in cycle `now`.
void write_messages(std::ostream&, const interrupt_fabric&, base::cycle_t now);

}  // namespace knc::card

#endif
