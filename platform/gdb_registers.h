// The registers of a thread as gdb sees them, and their description for it.
//
// Models: gdb's own features of x86-64 (org.gnu.gdb.i386.core and .segments), and two of this
// card's: control registers and EFER (org.knc.system), vectors and masks (org.knc.vector). The
// description is that of 64-bit code in every mode. General registers, RIP, the flags, the bases of
// FS and GS, vectors and masks can be written.
// Leaves out: SSE, which the card does not have. Source: GDB manual, appendix G; docs/gdb.md.
#ifndef KNC_PLATFORM_GDB_REGISTERS_H
#define KNC_PLATFORM_GDB_REGISTERS_H

#include <cstddef>
#include <string>
#include <string_view>

#include <knc/isa/context.h>

namespace platform {

// Registers have the numbers 0 to gdb_register_count() - 1.
std::size_t gdb_register_count();
inline constexpr std::size_t gdb_rip = 16;
std::size_t gdb_register_bytes(std::size_t number);
// Its bytes, in the card's order.
std::string read_gdb_register(const knc::isa::state&, std::size_t number);
// False: it cannot be written, or not so. RIP is the caller's: a core must agree.
bool write_gdb_register(knc::isa::context&, std::size_t number, std::string_view bytes);
// RIP as gdb sees it: the linear address of the instruction.
std::uint64_t linear_rip(const knc::isa::state&);

// target.xml.
const std::string& gdb_target_description();

}  // namespace platform

#endif
