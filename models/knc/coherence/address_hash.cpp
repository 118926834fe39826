#include <knc/coherence/address_hash.h>

#include <stdexcept>

namespace knc::coherence {
namespace {

// The finaliser of the SplitMix64 generator: every bit of the result depends on every bit of x.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

constexpr unsigned most_block_bits = 16;

}  // namespace

address_hash::address_hash(unsigned tiles, unsigned controllers, const hash_parameters& p)
    : tiles_(tiles), controllers_(controllers), seeds_(p), block_mask_(line_t{p.block_lines} - 1) {
    while (block_bits_ < most_block_bits && p.block_lines >> block_bits_ > 1) ++block_bits_;
    if (p.block_lines != 1u << block_bits_)
        throw std::invalid_argument("lines of a block: not a power of two up to 65536");
}

node_t address_hash::place(line_t number, unsigned n, std::uint64_t seed) {
    const line_t group = number / n;
    const auto within = static_cast<unsigned>(number - group * n);
    // The upper 32 bits, scaled to 0 .. n-1.
    const auto rotation = static_cast<unsigned>((mix(group ^ seed) >> 32) * n >> 32);
    const unsigned sum = within + rotation;
    return static_cast<node_t>(sum < n ? sum : sum - n);
}

}  // namespace knc::coherence
