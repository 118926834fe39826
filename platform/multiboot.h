// Multiboot 1: the header an image has, the information block its entry receives.
//
// Models: memory size, memory map, command line and loader name. Leaves out: modules, drives, VBE,
// APM. Source: Multiboot Specification 0.6.96.
#ifndef KNC_PLATFORM_MULTIBOOT_H
#define KNC_PLATFORM_MULTIBOOT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <knc/boot/machine.h>

namespace platform::multiboot {

inline constexpr std::uint32_t loader_magic = 0x2BADB002;  // in EAX at entry

// The loader's block: information structure, memory map and strings.
using knc::boot::block_base, knc::boot::block_size;

// The longest command line that fits the block, bytes.
inline constexpr std::size_t longest_command_line = 0x8000;

struct header {
    std::size_t offset;  // in the file
    std::uint32_t flags;
};
// The header in the first 8192 bytes of `file`.
std::optional<header> find_header(std::string_view file);

using knc::boot::region, knc::boot::memory_map;

// The block's content, to be loaded at block_base; the information structure is at its beginning.
std::string information(const std::string& command_line, const std::vector<region>&);

}  // namespace platform::multiboot

#endif
