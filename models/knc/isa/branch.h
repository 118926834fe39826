// Near control transfer.
//
// Models: truncation of the target to the operand size, the canonical check of 64-bit mode, the CS
// limit otherwise. Source: Intel SDM vol. 2, JMP.
#ifndef KNC_ISA_BRANCH_H
#define KNC_ISA_BRANCH_H

#include <cstdint>

#include <knc/base/bits.h>
#include <knc/isa/context.h>

namespace knc::isa {

// Truncates `target` to T and checks it. False: #GP(0) is set.
template <class T>
bool branch_target_ok(context& c, std::uint64_t& target) {
    target = static_cast<T>(target);
    if constexpr (sizeof(T) == 8) {
        if (__builtin_expect(static_cast<std::uint64_t>(base::sign_extend(target, 48)) == target,
                             1))
            return true;
    } else {
        if (__builtin_expect(target <= c.s.seg[cs].limit, 1)) return true;
    }
    c.failure = c.gp();
    return false;
}

template <class T>
status branch_to(context& c, std::uint64_t target) {
    if (!branch_target_ok<T>(c, target)) return c.failure;
    c.s.r[rip] = target;
    return status::ok;
}

// Target of a relative branch: the next instruction plus the displacement.
inline std::uint64_t relative_target(const context& c, const insn& i) {
    return c.s.r[rip] + static_cast<std::uint64_t>(i.imm);
}

}  // namespace knc::isa

#endif
