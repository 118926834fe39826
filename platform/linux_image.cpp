#include <platform/linux_image.h>

#include <algorithm>

#include <platform/input_error.h>

namespace platform {

namespace {

constexpr std::uint64_t kernel_half = 0xffff'ffff'8000'0000;

}  // namespace

image read_bzimage(std::string bytes, const std::string& path) {
    knc::boot::kernel k;
    std::uint64_t code = 0;
    if (const std::string why = knc::boot::read_bzimage(bytes, bytes.size(), k, code); !why.empty())
        throw input_error(path + ": " + why);
    image i;
    i.name = path.substr(path.rfind('/') + 1);
    i.protocol = boot_protocol::bzimage;
    i.setup_header = std::move(k.setup_header);
    i.entry = k.entry;
    i.segments = {{k.entry, k.entry, bytes.size() - code, code, bytes.size() - code, true}};
    i.file = std::move(bytes);
    return i;
}

bool is_vmlinux(const std::vector<segment>& segments) {
    return std::any_of(segments.begin(), segments.end(), [](const segment& s) {
        return s.executable && s.virtual_address >= kernel_half;
    });
}

knc::boot::kernel kernel_of(const image& i) {
    std::uint64_t end = 0;
    for (const segment& s : i.segments) end = std::max(end, s.physical + s.memory_size);
    return {i.setup_header, i.entry, i.protocol == boot_protocol::vmlinux, end};
}

knc::boot::kernel_needs needs_of(const image& i) {
    return knc::boot::needs_of(kernel_of(i));
}

}  // namespace platform
