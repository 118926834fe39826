// What a Linux kernel finds in memory when it begins, and how it begins.
//
// Models: boot_params with the memory map, command line and initrd; the 32-bit entry of a bzImage,
// the 64-bit entry of a vmlinux with page tables of the first 4 GB; tables of the processors, as
// SFI 0.7 (a card's own way) and as Intel MP 1.4 (which current kernels read), on demand as ACPI.
// Leaves out: EFI, video. Source: Linux, Documentation/x86/boot.rst and zero-page.rst; the
// specifications of the tables.
#ifndef KNC_BOOT_LINUX_H
#define KNC_BOOT_LINUX_H

#include <cstdint>
#include <string>
#include <vector>

#include <knc/boot/kernel.h>
#include <knc/boot/machine.h>
#include <knc/isa/state.h>

namespace knc::boot {

struct memory_part {
    std::uint64_t physical;
    std::string bytes;
};

// All but the kernel itself and the initrd.
std::vector<memory_part> linux_tables(const kernel&, const std::string& command_line,
                                      const initrd_place&, const machine&);

isa::entry_point linux_entry(const kernel&);

}  // namespace knc::boot

#endif
