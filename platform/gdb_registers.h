// The registers of a thread as gdb sees them, and their description for it.
//
// Models: gdb's own features of x86-64 (org.gnu.gdb.i386.core and .segments) or of i386
// (org.gnu.gdb.i386.core), whose registers i8086 has too, and two of this card's: control registers
// and EFER (org.knc.system), vectors and masks (org.knc.vector). A description holds for all
// threads in every mode: that of i386 shows the lower halves. General registers, RIP, the flags,
// the bases of FS and GS, vectors and masks can be written. Leaves out: SSE, which the card does
// not have. Source: GDB manual, appendix G; docs/gdb.md.
#ifndef KNC_PLATFORM_GDB_REGISTERS_H
#define KNC_PLATFORM_GDB_REGISTERS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <knc/isa/context.h>

namespace platform {

// What gdb takes the card's code for.
enum class gdb_code : std::uint8_t { x86_64, i386, i8086 };

// Registers have the numbers 0 to count() - 1.
class gdb_register_set {
  public:
    static const gdb_register_set& of(gdb_code);

    std::size_t count() const { return rows_.size(); }
    // The number of RIP, or EIP.
    std::size_t ip() const { return ip_; }
    std::size_t bytes(std::size_t number) const;
    // Its bytes, in the card's order.
    std::string read(const knc::isa::state&, std::size_t number) const;
    // False: it cannot be written, or not so. RIP is the caller's: a core must agree.
    bool write(knc::isa::context&, std::size_t number, std::string_view bytes) const;
    // Linear address `la` as bytes of RIP, and back; none: not so many bytes.
    std::string ip_bytes(std::uint64_t la) const;
    std::optional<std::uint64_t> ip_of(std::string_view bytes) const;
    // target.xml.
    const std::string& description() const { return description_; }

    struct row;
    struct feature;

  private:
    gdb_register_set(const char* architecture, const std::vector<feature>&, std::size_t ip);

    std::vector<const row*> rows_;  // by number
    std::size_t ip_;
    std::string description_;
};

// RIP as gdb sees it: the linear address of the instruction.
std::uint64_t linear_rip(const knc::isa::state&);

}  // namespace platform

#endif
