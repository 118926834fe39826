// What a Pentium's events say of the accesses of an instruction, beside their number.
//
// Models: misaligned accesses, I/O cycles, accesses to memory that may not be cached, stores that
// hit or miss, matches of DR0-DR3, enabled or not, between the beginning of an instruction and its
// end. Leaves out: who counts them when it has ended (knc/core/pentium_unit.h). Source: Intel SDM
// vol. 3, events of Pentium processors; docs/p55c.md.
#ifndef KNC_ISA_ACCESS_COUNTS_H
#define KNC_ISA_ACCESS_COUNTS_H

#include <array>
#include <cstdint>

#include <knc/isa/state.h>

namespace knc::isa {

struct access_counts {
    std::uint32_t misaligned = 0, mmx_misaligned = 0, io_cycles = 0;
    std::uint32_t uncached_reads = 0, uncached_writes = 0;  // of data; the latter with I/O
    // Stores to lines that the data cache has, or does not have; those of MMX instructions.
    std::uint32_t write_hits = 0, write_misses = 0, mmx_write_misses = 0;
    std::array<std::uint32_t, 4> matches{};  // of DR0-DR3

    // An access to `size` bytes of data; `mmx`: of an MMX instruction.
    void data(const state&, std::uint64_t la, unsigned size, bool write, bool mmx);
    // A store to a line, in the data cache or not.
    void stored(bool hit, bool mmx) {
        ++(hit ? write_hits : write_misses);
        if (!hit && mmx) ++mmx_write_misses;
    }
    // An access to `size` ports.
    void ports(const state&, std::uint16_t first, unsigned size, bool write);
    // An instruction that starts at `la`. A breakpoint that is enabled does not match it here: its
    // exception does.
    void instruction(const state&, std::uint64_t la);
    bool any() const;
};

}  // namespace knc::isa

#endif
