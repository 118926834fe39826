#include <knc/ring/topology.h>

#include <fmt/format.h>

namespace knc::ring {

std::string name_of(const place& p) {
    switch (p.what) {
        case agent::sbox:
            return "sbox";
        case agent::controller:
            return fmt::format("controller{}", p.number);
        default:
            return fmt::format("tile{}", p.number);
    }
}

topology::topology(unsigned tiles, unsigned controllers) : order_{{agent::sbox, 0}} {
    unsigned c = 0;
    for (unsigned t = 0; t < tiles; ++t) {
        while (c < controllers && (2 * c + 1) * tiles / (2 * controllers) == t)
            add(agent::controller, c++, controllers_);
        add(agent::tile, t, tiles_);
    }
}

void topology::add(agent what, unsigned number, std::vector<std::uint16_t>& places) {
    places.push_back(static_cast<std::uint16_t>(order_.size()));
    order_.push_back({what, static_cast<std::uint16_t>(number)});
}

}  // namespace knc::ring
