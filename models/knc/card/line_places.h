// Where a line may be outside the tiles' caches, for accesses without side effects.
//
// Models: directory slices, messages on the ring, messages at the controllers, memory. Leaves out:
// the caches, which belong to the tiles. Source: docs/coherence.md, "Debug accesses".
#ifndef KNC_CARD_LINE_PLACES_H
#define KNC_CARD_LINE_PLACES_H

#include <vector>

#include <knc/card/directory_slice.h>
#include <knc/card/memory_stop.h>
#include <knc/coherence/debug_view.h>
#include <knc/ring/carrier.h>

namespace knc::card {

class line_places {
  public:
    line_places(const coherence::address_hash& hash, ring::carrier& carrier,
                coherence::line_store& store)
        : hash_(hash), carrier_(carrier), store_(store) {}

    // Slices and controllers, both in order of their numbers.
    void add(directory_slice& s) { slices_.push_back(&s); }
    void add(memory_stop& c) { controllers_.push_back(&c); }

    // No tile has the line or sends it: memory is all there is to read and write.
    bool only_in_memory(coherence::line_t);
    // Offers what is here of the line.
    void view(coherence::debug_view&);
    // Overwrites bytes of the line in everything that is here.
    void debug_write(coherence::line_t, const coherence::line_data&, coherence::byte_mask);

    // Messages that have been sent and not been delivered, or are at a controller.
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
    std::vector<directory_slice*> slices_;
    std::vector<memory_stop*> controllers_;
};

}  // namespace knc::card

#endif
