#include <knc/isa/segmentation.h>

#include <knc/isa/paging.h>

namespace knc::isa {

bool within_limit(const segment& g, std::uint64_t off, unsigned size) {
    const std::uint64_t last = off + size - 1;
    const bool expand_down = is_data(g) && (g.type() & 4) != 0;
    if (!expand_down) return last <= g.limit;
    return off > g.limit && last <= (g.big() ? 0xffff'ffffu : 0xffffu);
}

bool canonical_range(std::uint64_t la, unsigned size) {
    return canonical(la) && canonical(la + size - 1);
}

}  // namespace knc::isa
