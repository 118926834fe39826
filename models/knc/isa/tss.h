// The task state segment as the source of inner stacks.
//
// Models: SS:SP of privilege levels 0-2 in 16- and 32-bit TSSs, RSP0-2 and IST1-7 in the 64-bit
// TSS. Leaves out: the I/O permission map (the card has no ports). Source: Intel SDM vol. 3,
// chapter 7.
#ifndef KNC_ISA_TSS_H
#define KNC_ISA_TSS_H

#include <cstdint>

#include <knc/isa/context.h>
#include <knc/isa/far_stack.h>

namespace knc::isa {

// Outside long mode: the stack of privilege level `cpl`, checked; #TS or #SS if it cannot be used.
bool read_inner_stack(context&, std::uint8_t cpl, far_stack& k);

// In long mode: RSP`cpl`, or IST`ist` if `ist` is not 0.
bool read_long_mode_stack(context&, std::uint8_t cpl, unsigned ist, std::uint64_t& sp);

}  // namespace knc::isa

#endif
