// A Linux kernel as an image: bzImage, or vmlinux.
//
// Accepts: a bzImage of boot protocol 2.10 or later that is loaded high; vmlinux as an ELF64 file
// linked to the kernel's half of the address space (platform/image.h reads it). Nothing in the file
// is trusted. Source: Linux, Documentation/x86/boot.rst.
#ifndef KNC_PLATFORM_LINUX_IMAGE_H
#define KNC_PLATFORM_LINUX_IMAGE_H

#include <cstdint>
#include <string>
#include <string_view>

#include <platform/image.h>

namespace platform {

// Whether `bytes` begin like a bzImage.
bool looks_like_bzimage(std::string_view bytes);

// Takes `bytes`, the content of file `path`, apart. Throws input_error.
image read_bzimage(std::string bytes, const std::string& path);

// Whether an ELF file with these segments is a vmlinux: its code is linked to the top 2 GB.
bool is_vmlinux(const std::vector<segment>&);

// What a loader must know of a kernel. Fields of the setup header, in bytes.
struct linux_needs {
    std::uint64_t initrd_limit;       // the first address that an initrd must not reach
    std::uint64_t command_line_size;  // without its 0
    std::uint64_t end;                // of the memory that the kernel takes before it knows the map
};
linux_needs needs_of(const image&);

}  // namespace platform

#endif
