// What a Linux kernel finds in memory when it begins, and how it begins.
//
// Models: boot_params with the memory map, command line and initrd; the 32-bit entry of a bzImage,
// the 64-bit entry of a vmlinux with page tables of the first 4 GB; tables of the processors, as
// SFI 0.7 (a card's own way) and as Intel MP 1.4 (which current kernels read). Leaves out: EFI,
// ACPI, video. Source: Linux, Documentation/x86/boot.rst and zero-page.rst; the two specifications.
#ifndef KNC_PLATFORM_LINUX_BOOT_H
#define KNC_PLATFORM_LINUX_BOOT_H

#include <cstdint>
#include <string>
#include <vector>

#include <knc/isa/state.h>

#include <platform/image.h>

namespace platform {

struct memory_part {
    std::uint64_t physical;
    std::string bytes;
};

// The machine as the tables describe it.
struct linux_machine {
    std::uint64_t memory_size = 0;  // bytes
    std::uint32_t threads = 0, boot_apic_id = 0;
    std::uint32_t signature = 0;  // CPUID leaf 1
};

// Where an initrd of `size` bytes lies: as high as the kernel allows, at a page. Throws input_error
// naming the image if there is no room.
std::uint64_t initrd_address(const image& kernel, std::uint64_t size, std::uint64_t memory_size);

// Checks that the kernel, the initrd and the command line have room. Throws input_error.
void check_linux(const image& kernel, const std::string& command_line, std::uint64_t initrd_size,
                 std::uint64_t memory_size);

// All but the kernel's own segments and the initrd.
std::vector<memory_part> linux_tables(const image& kernel, const std::string& command_line,
                                      std::uint64_t initrd_size, const linux_machine&);

knc::isa::entry_point linux_entry(const image& kernel);

}  // namespace platform

#endif
