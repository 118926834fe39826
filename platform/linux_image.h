// A Linux kernel as an image: bzImage, or vmlinux.
//
// Accepts: a bzImage that knc/boot/kernel.h accepts; vmlinux as an ELF64 file linked to the
// kernel's half of the address space (platform/image.h reads it). Nothing in the file is trusted.
#ifndef KNC_PLATFORM_LINUX_IMAGE_H
#define KNC_PLATFORM_LINUX_IMAGE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <knc/boot/kernel.h>

#include <platform/image.h>

namespace platform {

using knc::boot::looks_like_bzimage;

// Takes `bytes`, the content of file `path`, apart. Throws input_error.
image read_bzimage(std::string bytes, const std::string& path);

// Whether an ELF file with these segments is a vmlinux: its code is linked to the top 2 GB.
bool is_vmlinux(const std::vector<segment>&);

// A kernel's image without its content.
knc::boot::kernel kernel_of(const image&);
knc::boot::kernel_needs needs_of(const image&);

}  // namespace platform

#endif
