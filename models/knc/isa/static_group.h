// What is known of an issue before it happens: a decoded instruction and, if the two pair, its
// successor.
//
// Models nothing: a summary of the static properties of both. The core makes it once, when it has
// decided whether they pair, so that most issues look at nothing else (knc/core/ready_groups.cpp).
// Leaves out: everything that depends on registers, memory or time.
#ifndef KNC_ISA_STATIC_GROUP_H
#define KNC_ISA_STATIC_GROUP_H

#include <cstdint>

namespace knc::isa {

struct alignas(32) static_group {
    // Properties of the issue. Without `ready`, the others say nothing.
    enum property : std::uint16_t {
        ready = 1u << 0,        // neither instruction needs more than this summary
        both_access = 1u << 1,  // both access memory
        u_several = 1u << 2,    // insn_several_accesses
        v_several = 1u << 3,    // the same in V
        u_branch = 1u << 4,     // a branch, which issues in U
        v_branch = 1u << 5,     // a branch in V
        v_in_block = 1u << 6    // one block of code has the last bytes of both
    };

    std::uint32_t address = 0;    // registers that form an address of one of them
    std::uint32_t u_written = 0;  // address registers that the one in U writes
    std::uint32_t written = 0;    // the same of both
    std::uint16_t properties = 0;
    std::uint16_t v = 0;         // index in the page of the one in V; 0: none
    std::uint16_t u_cycles = 0;  // occupancy of the E stage by the one in U
    std::uint16_t cycles = 0;    // by both
    std::uint8_t u_length = 0, v_length = 0;

    bool is(property p) const { return (properties & p) != 0; }
};
static_assert(sizeof(static_group) == 32, "two in a line of the host's cache");

}  // namespace knc::isa

#endif
