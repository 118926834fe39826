// The summary of an issue whose static properties say everything (isa::static_group).
//
// Models nothing itself: repeats, in the form in which the issue needs them, the properties of an
// instruction and of the one that pairs with it. Source: docs/architecture.md, "The core".
#ifndef KNC_CORE_SUMMARY_H
#define KNC_CORE_SUMMARY_H

#include <cstdint>

#include <knc/core/retirement.h>
#include <knc/isa/decode_cache.h>

namespace knc::core {

// Flags of the instructions of which more has to be asked than their handlers, also where nothing
// takes time.
inline constexpr std::uint32_t more_than_handler =
    isa::insn_at_completion | isa::insn_string | isa::insn_refused | isa::insn_undefined |
    isa::insn_not_executed | isa::insn_tf_afterwards | retirement::unusual_flags;

// Makes the summary of the instruction at linear address `la` in `p`. It has been decided whether
// that pairs with its successor, which is decoded in this case. Code is fetched in aligned blocks
// of `block_bytes`, a power of two.
void summarize(isa::decode_cache::page& p, std::uint64_t la, std::uint64_t block_bytes);

}  // namespace knc::core

#endif
