#include <platform/multiboot.h>

#include <algorithm>

#include <knc/boot/table_bytes.h>

namespace platform::multiboot {

namespace {

constexpr std::uint32_t header_magic = 0x1BADB002;
constexpr std::size_t search_size = 8192;  // the header lies within the first bytes of the file
constexpr std::size_t header_size = 12;

using knc::boot::load, knc::boot::store, knc::boot::append, knc::boot::first_megabyte;

// Flags of the information structure: which fields are valid.
constexpr std::uint32_t has_memory = 1u << 0;
constexpr std::uint32_t has_command_line = 1u << 2;
constexpr std::uint32_t has_memory_map = 1u << 6;
constexpr std::uint32_t has_loader_name = 1u << 9;

// Offsets in the structure and its size.
constexpr std::size_t at_flags = 0, at_mem_lower = 4, at_mem_upper = 8, at_cmdline = 16,
                      at_mmap_length = 44, at_mmap_addr = 48, at_loader_name = 64,
                      structure_size = 116;

}  // namespace

std::optional<header> find_header(std::string_view file) {
    const std::size_t end = std::min(file.size(), search_size);
    for (std::size_t at = 0; at + header_size <= end; at += 4) {
        if (load<std::uint32_t>(file, at) != header_magic) continue;
        const auto flags = load<std::uint32_t>(file, at + 4);
        if (header_magic + flags + load<std::uint32_t>(file, at + 8) == 0) return header{at, flags};
    }
    return {};
}

std::string information(const std::string& command_line, const std::vector<region>& map) {
    std::string block(structure_size, '\0');
    const auto here = [&] { return static_cast<std::uint32_t>(block_base + block.size()); };

    store(block, at_mmap_addr, here());
    for (const region& r : map) {
        append(block, std::uint32_t{20});  // size of what follows
        append(block, r.base);
        append(block, r.length);
        append(block, std::uint32_t{r.available ? 1u : 2u});
        if (r.base == 0) store(block, at_mem_lower, static_cast<std::uint32_t>(r.length >> 10));
        if (r.base == first_megabyte)
            store(block, at_mem_upper, static_cast<std::uint32_t>(r.length >> 10));
    }
    store(block, at_mmap_length, static_cast<std::uint32_t>(block.size() - structure_size));

    store(block, at_cmdline, here());
    block.append(command_line).push_back('\0');
    store(block, at_loader_name, here());
    block.append("knc-vp").push_back('\0');
    store(block, at_flags, has_memory | has_command_line | has_memory_map | has_loader_name);
    return block;
}

}  // namespace platform::multiboot
