// The summary of an issue whose static properties say everything (isa::static_group).
//
// Models nothing itself: repeats, in the form in which the issue needs them, the properties of an
// instruction and of the one that pairs with it. Source: docs/architecture.md, "The core".
#ifndef KNC_CORE_SUMMARY_H
#define KNC_CORE_SUMMARY_H

#include <cstdint>

#include <knc/core/retirement.h>
#include <knc/isa/insn.h>
#include <knc/isa/static_group.h>

namespace knc::core {

// Flags of the instructions of which more has to be asked than their handlers, also where nothing
// takes time.
inline constexpr std::uint32_t more_than_handler =
    isa::insn_at_completion | isa::insn_string | isa::insn_refused | isa::insn_undefined |
    isa::insn_not_executed | isa::insn_tf_afterwards | retirement::unusual_flags;

// The summary of an issue of `u` at linear address `la`, together with `v` behind it; nullptr:
// alone. It is not static_group::ready if the issue depends on more. Leaves out the index of `v`.
// Code is fetched in aligned blocks of `block_bytes`, a power of two.
isa::static_group summarize(const isa::insn& u, const isa::insn* v, std::uint64_t la,
                            std::uint64_t block_bytes);

}  // namespace knc::core

#endif
