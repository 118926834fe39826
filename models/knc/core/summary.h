// The summary of an issue whose static properties say everything (isa::static_group).
//
// Models nothing itself: repeats, in the form in which the issue needs them, the properties of an
// instruction and of the one that pairs with it. Source: docs/architecture.md, "The core".
#ifndef KNC_CORE_SUMMARY_H
#define KNC_CORE_SUMMARY_H

#include <cstdint>

#include <knc/isa/decode_cache.h>

namespace knc::core {

// Makes the summary of the instruction at linear address `la` in `p`. It has been decided whether
// that pairs with its successor, which is decoded in this case. Code is fetched in aligned blocks
// of `block_bytes`, a power of two.
void summarize(isa::decode_cache::page& p, std::uint64_t la, std::uint64_t block_bytes);

}  // namespace knc::core

#endif
