// The tiles of a card, with the next activity of each.
//
// Models no hardware. All activities are beside each other, so that a look at every tile, of which
// most have nothing to do, takes a few lines of the host's cache.
#ifndef KNC_CARD_SCHEDULED_TILES_H
#define KNC_CARD_SCHEDULED_TILES_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/card/ports.h>

namespace knc::card {

class scheduled_tiles {
  public:
    scheduled_tiles() = default;
    // The tiles must outlive the list, and the list their last cycle.
    explicit scheduled_tiles(std::vector<tile_if*> tiles)
        : tiles_(std::move(tiles)), activities_(tiles_.size(), base::not_known) {
        for (std::size_t n = 0; n < tiles_.size(); ++n) tiles_[n]->keep_activity_in(activities_[n]);
    }
    scheduled_tiles(scheduled_tiles&&) = default;
    scheduled_tiles& operator=(scheduled_tiles&&) = default;

    std::size_t size() const { return tiles_.size(); }
    tile_if& operator[](std::size_t n) const { return *tiles_[n]; }
    auto begin() const { return tiles_.begin(); }
    auto end() const { return tiles_.end(); }

    // Bit n: tile n may act before cycle `end`.
    std::uint64_t active_before(base::cycle_t end) const {
        std::uint64_t active = 0;
        for (std::size_t n = 0; n < tiles_.size(); ++n)
            active |= std::uint64_t{next_activity(n) < end} << n;
        return active;
    }
    base::cycle_t next_activity(std::size_t n) const {
        const base::cycle_t known = activities_[n];
        return __builtin_expect(known != base::not_known, 1) ? known : tiles_[n]->next_activity();
    }

  private:
    std::vector<tile_if*> tiles_;
    std::vector<base::cycle_t> activities_;
};

}  // namespace knc::card

#endif
