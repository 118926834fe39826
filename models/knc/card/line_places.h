// The places outside the tiles' caches that may have a line, for accesses without side effects.
//
// Models no hardware: directory slices, messages on the ring, messages at the controllers, memory.
// Leaves out: the caches, which belong to the tiles. Source: docs/coherence.md, "Debug accesses".
#ifndef KNC_CARD_LINE_PLACES_H
#define KNC_CARD_LINE_PLACES_H

#include <vector>

#include <knc/card/home_slice.h>
#include <knc/card/memory_stop.h>
#include <knc/coherence/debug_view.h>
#include <knc/ring/carrier.h>

namespace knc::card {

class line_places {
  public:
    line_places(const coherence::address_hash& hash, ring::carrier& carrier,
                coherence::line_store& store)
        : hash_(hash), carrier_(carrier), store_(store) {}

    // Slices and controllers, each in order of their numbers.
    void add(home_slice& s) { slices_.push_back(&s); }
    void add(memory_stop& c) { controllers_.push_back(&c); }

    // No tile has the line or sends it, so only memory has it.
    bool only_in_memory(coherence::line_t);
    // Offers the copies of the line in these places.
    void view(coherence::debug_view&);
    // Overwrites bytes of the line in all copies in these places.
    void debug_write(coherence::line_t, const coherence::line_data&, coherence::byte_mask);

    // The number of messages in flight, including those at a controller.
    std::size_t under_way() const;
    const ring::carrier& carrier() const { return carrier_; }
    const std::vector<memory_stop*>& controllers() const { return controllers_; }

  private:
    template <class Visit>
    void for_each_message(Visit visit) {
        if (carrier_.size() != 0) carrier_.for_each(visit);
        for (memory_stop* const c : controllers_)
            if (c->messages().size() != 0) c->messages().for_each(visit);
    }

    const coherence::address_hash& hash_;
    ring::carrier& carrier_;
    coherence::line_store& store_;
    std::vector<home_slice*> slices_;
    std::vector<memory_stop*> controllers_;
};

}  // namespace knc::card

#endif
