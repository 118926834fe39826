// Virtual interrupts: VIF and VIP of a task that may not change IF.
//
// Models: virtual-8086 mode extensions (CR4.VME) with the interrupt redirection bitmap of a 32-bit
// TSS, protected-mode virtual interrupts (CR4.PVI). CLI, STI, PUSHF, POPF, INT n and IRET ask here
// when IOPL does not allow them. A TSS that does not reach its bitmap redirects nothing. Only a
// Pentium has the two bits. Source: Intel SDM vol. 3, "Interrupt and exception handling in
// virtual-8086 mode" and "Protected-mode virtual interrupts"; vol. 2 of each instruction.
#ifndef KNC_ISA_VIRTUAL_INTERRUPTS_H
#define KNC_ISA_VIRTUAL_INTERRUPTS_H

#include <cstdint>

#include <knc/isa/context.h>

namespace knc::isa {

// Whether CLI and STI act on VIF: the task is below its IOPL, and the extension of its mode is on.
bool has_virtual_interrupts(const context&);
// CLI, STI of such a task: STI raises #GP(0) while an interrupt is pending (VIP).
status clear_virtual_interrupts(context&);
status set_virtual_interrupts(context&);

// In virtual-8086 mode below IOPL 3: whether 16-bit PUSHF, POPF and IRET may act on VIF.
inline bool has_virtual_flags(const context& c, unsigned width) {
    return width == 2 && (c.s.cr4 & cr4_vme) != 0;
}
// The flags as such a PUSHF, or INT n, stores them: IF is VIF, and IOPL is 3.
std::uint16_t flags_with_virtual(const state&);
// Whether such a POPF or IRET may load the image; false: #GP(0) is set. It makes VIF what IF is.
bool load_virtual_flag(context&, std::uint16_t image);

// Whether INT n of virtual-8086 mode goes to the program's own handler. A blocked or failed read
// of the bitmap sets context.failure and returns no value.
enum class interrupt_goes : std::uint8_t { to_monitor, to_program, nowhere };
interrupt_goes redirection(context&, std::uint8_t vector);
// Enters that handler, by the table at linear address 0.
status enter_8086_handler(context&, std::uint8_t vector);

}  // namespace knc::isa

#endif
