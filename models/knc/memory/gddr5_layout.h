// The mapping of a controller's lines to interfaces, banks and rows.
//
// Models: fields of the line number, from the least significant bits: interface, column, bank
// group, column, bank, row. The row permutes the banks. Leaves out: which controller a line belongs
// to (coherence::address_hash decides it), the space that in-line ECC takes. Source: McCalpin 2013
// for rows and banks; the bit positions are unverified.
#ifndef KNC_MEMORY_GDDR5_LAYOUT_H
#define KNC_MEMORY_GDDR5_LAYOUT_H

#include <cstdint>

namespace knc::memory {

struct gddr5_place {
    std::uint32_t channel, bank;
    std::uint64_t row;
};

class gddr5_layout {
  public:
    // All are powers of two; `groups` is at most `banks`. `group_lines`, the consecutive lines of
    // one bank group, is at most `lines_per_row`. Throws std::invalid_argument otherwise.
    gddr5_layout(std::uint32_t channels, std::uint32_t banks, std::uint32_t groups,
                 std::uint32_t lines_per_row, std::uint32_t group_lines);

    gddr5_place operator()(std::uint64_t line) const {
        const std::uint64_t row = line >> row_shift_;
        const std::uint64_t bank = bank_(line) << group_bits_ | group_(line);
        return {static_cast<std::uint32_t>(channel_(line)),
                static_cast<std::uint32_t>(bank ^ (row & bank_mask_)), row};
    }

  private:
    struct field {
        unsigned shift;
        std::uint64_t mask;
        std::uint64_t operator()(std::uint64_t line) const { return line >> shift & mask; }
    };

    field channel_, group_, bank_;
    unsigned group_bits_, row_shift_;
    std::uint64_t bank_mask_;
};

}  // namespace knc::memory

#endif
