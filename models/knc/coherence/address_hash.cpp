#include <knc/coherence/address_hash.h>

namespace knc::coherence {
namespace {

// Finaliser of the SplitMix64 generator: every bit of the result depends on every bit of x.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

}  // namespace

node_t address_hash::place(line_t line, unsigned n, std::uint64_t seed) {
    const line_t group = line / n;
    const auto within = static_cast<unsigned>(line - group * n);
    // The upper 32 bits, scaled to 0 .. n-1.
    const auto rotation = static_cast<unsigned>((mix(group ^ seed) >> 32) * n >> 32);
    const unsigned sum = within + rotation;
    return static_cast<node_t>(sum < n ? sum : sum - n);
}

}  // namespace knc::coherence
