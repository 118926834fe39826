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

namespace platform::multiboot {

inline constexpr std::uint32_t loader_magic = 0x2BADB002;  // in EAX at entry

// The loader's block: information structure, memory map and strings. The memory map calls it
// reserved.
inline constexpr std::uint32_t block_base = 0x90000;
inline constexpr std::uint32_t block_size = 0x10000;

// The longest command line that fits the block, bytes.
inline constexpr std::size_t longest_command_line = 0x8000;

// Between the two no memory is used: device pages.
inline constexpr std::uint64_t device_hole = 0xFEC00000, four_gigabytes = 0x1'0000'0000;

struct header {
    std::size_t offset;  // in the file
    std::uint32_t flags;
};
// The header in the first 8192 bytes of `file`.
std::optional<header> find_header(std::string_view file);

struct region {
    std::uint64_t base, length;
    bool available;
};
// The memory map of a card with `memory_size` bytes: memory lies at 0 up, except that nothing of it
// is used from device_hole to 4 GB.
std::vector<region> memory_map(std::uint64_t memory_size);

// The block's content, to be loaded at block_base; the information structure is at its beginning.
std::string information(const std::string& command_line, const std::vector<region>&);

}  // namespace platform::multiboot

#endif
