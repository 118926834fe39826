#include <knc/isa/access_counts.h>

#include <algorithm>

namespace knc::isa {
namespace {

enum kind : unsigned { executes, writes, of_ports, accesses };  // R/W in DR7

kind kind_of(const state& s, unsigned n) {
    return static_cast<kind>(s.dr[7] >> (16 + 4 * n) & 3);
}
bool enabled_in(const state& s, unsigned n) {
    return (s.dr[7] >> 2 * n & 3) != 0;
}
bool meets(const state& s, unsigned n, std::uint64_t first, unsigned size) {
    constexpr unsigned lengths[] = {1, 2, 8, 4};
    const std::uint64_t length = lengths[s.dr[7] >> (18 + 4 * n) & 3];
    const std::uint64_t from = s.dr[n] & ~(length - 1);
    return first < from + length && from < first + size;
}

bool crosses(std::uint64_t at, unsigned size, unsigned boundary) {
    return at / boundary != (at + size - 1) / boundary;
}

// 10 bytes are an access of 8 and one of 2. A block (a state of the x87 unit, of a task) is one
// that begins at a multiple of 4, or not.
std::uint32_t misaligned_parts(std::uint64_t la, unsigned size) {
    switch (size) {
        case 1:
            return 0;
        case 2:
        case 4:
            return crosses(la, size, 4);
        case 8:
            return crosses(la, size, 8);
        case 10:
            return std::uint32_t{crosses(la, 8, 8)} + crosses(la + 8, 2, 4);
        default:
            return (la & 3) != 0;
    }
}

}  // namespace

void access_counts::data(const state& s, std::uint64_t la, unsigned size, bool write, bool mmx) {
    const std::uint32_t parts = misaligned_parts(la, size);
    misaligned += parts;
    if (mmx) mmx_misaligned += parts;
    for (unsigned n = 0; n < matches.size(); ++n) {
        const kind k = kind_of(s, n);
        if ((k == accesses || (k == writes && write)) && meets(s, n, la, size)) ++matches[n];
    }
}

void access_counts::ports(const state& s, std::uint16_t first, unsigned size, bool write) {
    const bool split = crosses(first, size, 4);
    const std::uint32_t cycles = split ? 2 : 1;
    io_cycles += cycles;
    if (write) uncached_writes += cycles;
    misaligned += split;
    if ((s.cr4 & cr4_de) == 0) return;
    for (unsigned n = 0; n < matches.size(); ++n)
        if (kind_of(s, n) == of_ports && meets(s, n, first, size)) ++matches[n];
}

void access_counts::instruction(const state& s, std::uint64_t la) {
    for (unsigned n = 0; n < matches.size(); ++n)
        if (kind_of(s, n) == executes && s.dr[n] == la && !enabled_in(s, n)) ++matches[n];
}

bool access_counts::any() const {
    return (misaligned | io_cycles | uncached_reads | uncached_writes | write_hits |
            write_misses) != 0 ||
           std::any_of(matches.begin(), matches.end(), [](std::uint32_t n) { return n != 0; });
}

}  // namespace knc::isa
