// Bank conflicts between the two data accesses of a pair.
//
// Models: an L1 data cache of interleaved banks. A word is as wide as a bank. An access needs the
// bank of each word that it touches: 8 aligned bytes need two banks of 4 bytes, 8 unaligned bytes
// three. A bank serves one word per cycle, to both accesses if both need that word. Leaves out: the
// cost of a conflict (core.bank_conflict_cycles). Source: P54C (8 banks of 4 bytes);
// docs/pipeline.md.
#ifndef KNC_CORE_BANKS_H
#define KNC_CORE_BANKS_H

#include <cstdint>

#include <knc/isa/context.h>

namespace knc::core {

// Bytes [la, la + size), size at least 1.
struct data_access {
    std::uint64_t la = 0;
    std::uint32_t size = 1;
};

// Whether a bank has to serve two different words. `banks` and `bank_bytes` are at least 1.
inline bool banks_conflict(std::uint32_t banks, std::uint32_t bank_bytes, const data_access& u,
                           const data_access& v) {
    const auto word = [bank_bytes](std::uint64_t la) {
        return static_cast<std::int64_t>(la / bank_bytes);
    };
    // The distances in words from U's words to V's words are exactly those from `least` to `most`.
    // A conflict is a distance that is a multiple of the number of banks other than 0.
    const std::int64_t least = word(v.la) - word(u.la + u.size - 1);
    const std::int64_t most = word(v.la + v.size - 1) - word(u.la);
    const std::int64_t n = banks;
    if (most >= n) return most - most % n >= least;
    if (least <= -n) return least - least % n <= most;
    return false;
}

// The same of a vector instruction in U, which may leave out bytes in between but accesses some.
inline bool vector_banks_conflict(std::uint32_t banks, std::uint32_t bank_bytes,
                                  const isa::vector_bytes& u, const data_access& v) {
    const auto bytes = static_cast<std::uint32_t>(__builtin_popcountll(u.which));
    if ((u.which & (u.which + 1)) == 0)
        return banks_conflict(banks, bank_bytes, data_access{u.la, bytes}, v);
    for (std::uint64_t left = u.which; left != 0; left &= left - 1) {
        const std::uint64_t la = u.la + static_cast<unsigned>(__builtin_ctzll(left));
        if (banks_conflict(banks, bank_bytes, data_access{la, 1}, v)) return true;
    }
    return false;
}

}  // namespace knc::core

#endif
