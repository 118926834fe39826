// The system memory page table (SMPT): the mapping of the card's windows into its host's address
// space.
//
// Models: 32 windows of 16 GB; bits 31:2 of an entry are the host address in units of 16 GB. After
// reset, window n is the host's n-th 16 GB, as the card's kernel sets them up when no host does.
// The reset value of real hardware is not known. Leaves out: the effect of bit 0, no snoop. Source:
// the register's comments in the host driver of Linux.
#ifndef KNC_SBOX_PAGE_TABLE_H
#define KNC_SBOX_PAGE_TABLE_H

#include <array>
#include <cstdint>

#include <knc/base/archive_forward.h>

namespace knc::sbox {

class page_table {
  public:
    static constexpr unsigned windows = 32, window_bits = 34;
    static constexpr std::uint64_t window_bytes = std::uint64_t{1} << window_bits;
    static constexpr std::uint32_t writable = 0xffff'fffd;

    page_table() { reset(); }

    static constexpr std::uint32_t reset_value(unsigned window) { return window << 2; }
    void reset() {
        for (unsigned n = 0; n < windows; ++n) entries_[n] = reset_value(n);
    }

    std::uint32_t read(unsigned window) const { return entries_[window]; }
    void write(unsigned window, std::uint32_t value) { entries_[window] = value & writable; }

    // `offset` counts from the first window on and is below windows * window_bytes.
    std::uint64_t host_address(std::uint64_t offset) const {
        const std::uint64_t page = entries_[offset >> window_bits] >> 2;
        return page << window_bits | (offset & (window_bytes - 1));
    }
    void serialize(base::archive&);

  private:
    std::array<std::uint32_t, windows> entries_{};
};

}  // namespace knc::sbox

#endif
