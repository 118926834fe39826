// A Linux kernel from a file, as a loader of the program starts it: what it needs room for, and
// what it finds (knc/boot/linux.h).
#ifndef KNC_PLATFORM_LINUX_BOOT_H
#define KNC_PLATFORM_LINUX_BOOT_H

#include <cstdint>
#include <string>
#include <vector>

#include <knc/boot/linux.h>

#include <platform/image.h>

namespace platform {

using knc::boot::memory_part;
// The machine as the tables describe it.
using linux_machine = knc::boot::machine;

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
