#include <knc/memory/gddr5_layout.h>

#include <stdexcept>

#include <knc/base/bits.h>

namespace knc::memory {

namespace {

unsigned log2(std::uint32_t n) {
    unsigned bits = 0;
    while (bits < 31 && std::uint32_t{1} << bits < n) ++bits;
    if (std::uint32_t{1} << bits != n)
        throw std::invalid_argument("memory layout: not a power of two");
    return bits;
}

}  // namespace

gddr5_layout::gddr5_layout(std::uint32_t channels, std::uint32_t banks, std::uint32_t groups,
                           std::uint32_t lines_per_row, std::uint32_t group_lines) {
    if (groups > banks || group_lines > lines_per_row)
        throw std::invalid_argument("memory layout: more bank groups than banks or lines of a row");
    unsigned at = 0;
    const auto take = [&at](unsigned bits) {
        const field f{at, base::mask(bits)};
        at += bits;
        return f;
    };
    channel_ = take(log2(channels));
    take(log2(group_lines));
    group_ = take(log2(groups));
    take(log2(lines_per_row) - log2(group_lines));
    bank_ = take(log2(banks) - log2(groups));
    row_shift_ = at;
    group_bits_ = log2(groups);
    bank_mask_ = base::mask(log2(banks));
}

}  // namespace knc::memory
