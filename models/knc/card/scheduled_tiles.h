// The tiles of a card, with the next activity of each.
//
// Models no hardware. All activities are beside each other, so that a look at every tile, of which
// most have nothing to do, takes a few lines of the host's cache.
#ifndef KNC_CARD_SCHEDULED_TILES_H
#define KNC_CARD_SCHEDULED_TILES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <knc/base/aligned_vector.h>
#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/card/ports.h>

namespace knc::card {

class scheduled_tiles {
  public:
    scheduled_tiles() = default;
    // The tiles must outlive the list, and the list their last cycle.
    explicit scheduled_tiles(std::vector<tile_if*> tiles)
        : tiles_(std::move(tiles)),
          activities_((tiles_.size() + group - 1) / group * group, base::never) {
        for (std::size_t n = 0; n < tiles_.size(); ++n) tiles_[n]->keep_activity_in(activities_[n]);
    }
    scheduled_tiles(scheduled_tiles&&) = default;
    scheduled_tiles& operator=(scheduled_tiles&&) = default;

    std::size_t size() const { return tiles_.size(); }
    tile_if& operator[](std::size_t n) const { return *tiles_[n]; }
    auto begin() const { return tiles_.begin(); }
    auto end() const { return tiles_.end(); }

    // Calls visit(n, the next activity) for each tile that has one, in the order of the tiles,
    // until it returns false.
    template <class Visit>
    void each_awake(Visit visit) const {
        const std::size_t tiles = tiles_.size();
        for (std::size_t first = 0; first < tiles; first += group) {
            if (tiles > group && asleep(first)) continue;
            for (std::size_t n = first; n < std::min(first + group, tiles); ++n)
                if (activities_[n] != base::never && !visit(n, next_activity(n))) return;
        }
    }
    // Bit n: tile n may act before cycle `end`.
    std::uint64_t active_before(base::cycle_t end) const {
        std::uint64_t active = 0;
        each_awake([&active, end](std::size_t n, base::cycle_t next) {
            active |= std::uint64_t{next < end} << n;
            return true;
        });
        return active;
    }
    // The next activity of a tile has to be computed anew, as after a message.
    bool disturbed() const {
        return std::find(activities_.begin(), activities_.end(), base::not_known) !=
               activities_.end();
    }
    base::cycle_t next_activity(std::size_t n) const {
        const base::cycle_t known = activities_[n];
        return __builtin_expect(known != base::not_known, 1) ? known : tiles_[n]->next_activity();
    }

  private:
    // As many as a line of the host's cache has. Most of those of a card that does little sleep.
    static constexpr std::size_t group = base::host_line_bytes / sizeof(base::cycle_t);
    static_assert(base::never == ~base::cycle_t{0});

    // The tiles of a group.
    bool asleep(std::size_t first) const {
        base::cycle_t all = base::never;
        for (std::size_t n = first; n < first + group; ++n) all &= activities_[n];
        return all == base::never;
    }

    std::vector<tile_if*> tiles_;
    base::aligned_vector<base::cycle_t> activities_;  // whole groups
};

}  // namespace knc::card

#endif
