#include <knc/boot/bootstrap.h>

#include <algorithm>
#include <string>
#include <vector>

#include <knc/boot/kernel.h>
#include <knc/boot/linux.h>

namespace knc::boot {

namespace {

// Bytes of memory, up to where the devices begin.
std::uint64_t usable(const machine& m) {
    return std::min(m.memory_size, device_hole);
}

bool read(memory_if& memory, std::uint64_t at, std::uint64_t size, std::string& to) {
    to.resize(size);
    return size == 0 || memory.read(at, to.data(), to.size());
}

// The text at `at`, `longest` bytes at most; nothing if there is no 0 where it must end.
std::optional<std::string> read_text(memory_if& memory, std::uint64_t at, std::uint64_t longest,
                                     const machine& m) {
    if (at >= usable(m)) return {};
    std::string text;
    if (!read(memory, at, std::min(longest + 1, usable(m) - at), text)) return {};
    const std::size_t end = text.find('\0');
    if (end == std::string::npos) return {};
    return text.substr(0, end);
}

// Whether an initrd lies in memory that the kernel leaves alone.
bool fits(const initrd_place& initrd, const kernel_needs& needs, const machine& m) {
    if (initrd.size == 0) return true;
    return initrd.address >= needs.end &&
           initrd.address + initrd.size <= std::min(needs.initrd_limit, usable(m));
}

}  // namespace

start start_image(memory_if& memory, std::uint32_t download_address, std::uint32_t image_size,
                  const machine& m) {
    const std::uint64_t end = std::uint64_t{download_address} + image_size;
    std::string image;
    kernel k;
    std::uint64_t code = 0;
    if (end > usable(m) || !read(memory, download_address, image_size, image) ||
        !read_bzimage(image, image_size, k, code).empty())
        return {post_image, {}};

    const kernel_needs needs = needs_of(k);
    if (needs.end > usable(m)) return {post_kernel, {}};

    const std::uint64_t longest =
        std::min<std::uint64_t>(needs.command_line_size, longest_command_line);
    const auto command_line = read_text(memory, end, longest, m);
    if (!command_line) return {post_command_line, {}};

    const initrd_place initrd = initrd_of(k);
    if (!fits(initrd, needs, m)) return {post_initrd, {}};

    std::vector<memory_part> parts = linux_tables(k, *command_line, initrd, m);
    parts.push_back({k.entry, image.substr(code)});
    for (const memory_part& p : parts)
        if (!memory.write(p.physical, p.bytes.data(), p.bytes.size())) return {post_kernel, {}};
    return {post_finished, linux_entry(k)};
}

}  // namespace knc::boot
