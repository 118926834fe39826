// Transfers of control that load CS.
//
// Models: far JMP, CALL and RET, IRET, in real, virtual-8086, protected and long mode, with call
// gates, inner stacks and the return to an outer level.
// A thread has no compatibility sub-mode: in long mode it can load only 64-bit code segments;
// others are #GP(selector). The 32-bit segment that turned paging on continues to execute until it
// jumps to a 64-bit one. Source: Intel SDM vol. 2 (CALL, IRET, JMP, RET), vol. 3, 5.8.
#ifndef KNC_ISA_FAR_TRANSFER_H
#define KNC_ISA_FAR_TRANSFER_H

#include <cstdint>

#include <knc/isa/context.h>
#include <knc/isa/segmentation.h>

namespace knc::isa {

// `width`: operand size in bytes. All change nothing unless they end with status::ok.
status far_jump(context&, std::uint16_t selector, std::uint64_t offset, unsigned width);
status far_call(context&, std::uint16_t selector, std::uint64_t offset, unsigned width);
status far_return(context&, unsigned width, std::uint16_t release);
status interrupt_return(context&, unsigned width);

// ---- shared parts

// Whether `code` may be loaded into CS in the present mode and is present; else #GP or #NP.
bool code_loadable(context&, const segment& code);
// Whether `ip` can be fetched from in `code`; else #GP(0).
bool ip_allowed(context&, const segment& code, std::uint64_t ip);
// Loads CS, with `cpl` as its RPL, and RIP. In long mode a 64-bit segment only.
void enter_code(context&, segment code, std::uint64_t ip, std::uint8_t cpl);
// Real and virtual-8086 mode: checks `ip` against the limit, then loads.
bool real_mode_ip_allowed(context&, std::uint64_t ip);
void enter_real_mode_code(context&, std::uint16_t selector, std::uint64_t ip);

inline bool selects_descriptors(const context& c) {
    return c.s.protected_mode() && !c.s.virtual_8086();
}

}  // namespace knc::isa

#endif
