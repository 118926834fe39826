#include <knc/memory/gddr5_layout.h>

#include <stdexcept>

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
                           std::uint32_t lines_per_row, std::uint32_t group_lines)
    : channel_bits_(log2(channels)),
      bank_bits_(log2(banks)),
      group_bits_(log2(groups)),
      low_column_bits_(log2(group_lines)),
      high_column_bits_(log2(lines_per_row) - low_column_bits_) {
    if (groups > banks || group_lines > lines_per_row)
        throw std::invalid_argument("memory layout: more bank groups than banks or lines of a row");
}

}  // namespace knc::memory
