#include <platform/linux_image.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/table_bytes.h>

namespace platform {

namespace {

// Fields of the setup header, at their offsets in the file and in boot_params.
constexpr std::size_t at_setup_sects = 0x1f1, at_boot_flag = 0x1fe, at_jump = 0x200,
                      at_header = 0x202, at_version = 0x206, at_loadflags = 0x211,
                      at_initrd_addr_max = 0x22c, at_cmdline_size = 0x238, at_pref_address = 0x258,
                      at_init_size = 0x260, header_end = 0x268;
constexpr std::uint8_t loaded_high = 1;
constexpr std::uint16_t boot_flag = 0xaa55, first_version = 0x020a;
constexpr std::size_t sector = 512;
constexpr std::uint64_t high_address = 0x100000;
constexpr std::uint64_t kernel_half = 0xffff'ffff'8000'0000;

}  // namespace

bool looks_like_bzimage(std::string_view bytes) {
    return bytes.size() >= header_end && load<std::uint16_t>(bytes, at_boot_flag) == boot_flag &&
           bytes.substr(at_header, 4) == "HdrS";
}

image read_bzimage(std::string bytes, const std::string& path) {
    const auto fail = [&](const std::string& what) { throw input_error(path + ": " + what); };
    image i;
    i.name = path.substr(path.rfind('/') + 1);
    i.protocol = boot_protocol::bzimage;
    const auto version = load<std::uint16_t>(bytes, at_version);
    if (version < first_version)
        fail(fmt::format("a kernel of boot protocol {}.{:02}; 2.10 or later is wanted",
                         version >> 8, version & 0xff));
    if ((load<std::uint8_t>(bytes, at_loadflags) & loaded_high) == 0)
        fail("a kernel that is loaded below 1 MB (zImage)");
    const unsigned sectors = std::max<unsigned>(load<std::uint8_t>(bytes, at_setup_sects), 1);
    const std::size_t code = (sectors + 1) * sector;
    if (code >= bytes.size()) fail("truncated: the protected-mode code is not in the file");
    // The jump at the start of the header goes to its end.
    const std::size_t end = at_header + load<std::uint8_t>(bytes, at_jump + 1);
    if (end < header_end || end > code) fail("damaged setup header");
    i.setup_header = bytes.substr(at_setup_sects, end - at_setup_sects);
    i.entry = high_address;
    i.segments = {
        {high_address, high_address, bytes.size() - code, code, bytes.size() - code, true}};
    i.file = std::move(bytes);
    return i;
}

bool is_vmlinux(const std::vector<segment>& segments) {
    return std::any_of(segments.begin(), segments.end(), [](const segment& s) {
        return s.executable && s.virtual_address >= kernel_half;
    });
}

linux_needs needs_of(const image& i) {
    std::uint64_t end = 0;
    for (const segment& s : i.segments) end = std::max(end, s.physical + s.memory_size);
    // A vmlinux has no setup header: what all kernels since 2.6 accept.
    if (i.setup_header.empty()) return {0x8000'0000, 2047, end};
    const auto field = [&](std::size_t at) {
        return load<std::uint32_t>(i.setup_header, at - at_setup_sects);
    };
    const std::uint64_t preferred =
        load<std::uint64_t>(i.setup_header, at_pref_address - at_setup_sects);
    // The kernel moves itself to its preferred address and needs init_size bytes from there.
    end = std::max({end, preferred + field(at_init_size), high_address + field(at_init_size)});
    return {std::uint64_t{field(at_initrd_addr_max)} + 1, field(at_cmdline_size), end};
}

}  // namespace platform
