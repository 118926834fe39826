// The order of the stops round the ring, and the route from one to another.
//
// Models: one stop per tile (core, L2 and directory slice share it), one per memory controller and
// one for the SBOX; shortest routes. Leaves out: stops of tiles that are fused off, a detour round
// a busy segment. Source: "memory controllers symmetrically placed between the cores" (Hot Chips
// 2012); the order itself is a decision (docs/hierarchy.md).
#ifndef KNC_RING_TOPOLOGY_H
#define KNC_RING_TOPOLOGY_H

#include <cstdint>
#include <string>
#include <vector>

#include <knc/ring/parameters.h>

namespace knc::ring {

struct route {
    direction way;
    unsigned hops;
};

// The route between two different stops of `stops`. If both directions are equally long, it goes up
// from an even stop and down from an odd one.
inline route shortest(unsigned from, unsigned to, unsigned stops) {
    const unsigned up = to > from ? to - from : to + stops - from;
    const unsigned down = stops - up;
    if (up < down || (up == down && from % 2 == 0)) return {direction::up, up};
    return {direction::down, down};
}

enum class agent : std::uint8_t { sbox, controller, tile };

struct place {
    agent what;
    std::uint16_t number;  // index of the tile or controller
};

// Returns sbox, controllerN or tileN.
std::string name_of(const place&);

class topology {
  public:
    // Stop 0 is the SBOX. In the up direction follow the tiles by index. Controller c of C precedes
    // tile floor((2c + 1) * tiles / 2C). So floor(tiles / C) tiles, or one more, are between two
    // neighbouring controllers, also across the SBOX. `tiles` is at least 1.
    topology(unsigned tiles, unsigned controllers);

    unsigned stops() const { return static_cast<unsigned>(order_.size()); }
    const place& at(unsigned s) const { return order_[s]; }

    static constexpr unsigned sbox() { return 0; }
    unsigned controller(unsigned number) const { return controllers_[number]; }
    unsigned tile(unsigned number) const { return tiles_[number]; }

  private:
    void add(agent, unsigned number, std::vector<std::uint16_t>& places);

    std::vector<place> order_;
    std::vector<std::uint16_t> controllers_, tiles_;  // the stops by index
};

}  // namespace knc::ring

#endif
