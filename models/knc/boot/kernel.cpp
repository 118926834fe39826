#include <knc/boot/kernel.h>

#include <algorithm>

#include <fmt/format.h>

#include <knc/boot/table_bytes.h>

namespace knc::boot {

namespace {

// Fields of the setup header, at their offsets in the file and in boot_params.
constexpr std::size_t at_setup_sects = 0x1f1, at_boot_flag = 0x1fe, at_jump = 0x200,
                      at_header = 0x202, at_version = 0x206, at_loadflags = 0x211,
                      at_initrd = 0x218, at_initrd_size = 0x21c, at_initrd_addr_max = 0x22c,
                      at_cmdline_size = 0x238, at_pref_address = 0x258, at_init_size = 0x260;
constexpr std::uint8_t loaded_high = 1;
constexpr std::uint16_t boot_flag = 0xaa55, first_version = 0x020a;
constexpr std::size_t sector = 512;

template <typename T>
T field(const kernel& k, std::size_t at) {
    return load<T>(k.setup_header, at - at_setup_sects);
}

}  // namespace

bool looks_like_bzimage(std::string_view bytes) {
    return bytes.size() >= bzimage_header &&
           load<std::uint16_t>(bytes, at_boot_flag) == boot_flag &&
           bytes.substr(at_header, 4) == "HdrS";
}

std::string read_bzimage(std::string_view beginning, std::uint64_t size, kernel& to,
                         std::uint64_t& code) {
    if (!looks_like_bzimage(beginning)) return "not a bzImage";
    const auto version = load<std::uint16_t>(beginning, at_version);
    if (version < first_version)
        return fmt::format("a kernel of boot protocol {}.{:02}; 2.10 or later is wanted",
                           version >> 8, version & 0xff);
    if ((load<std::uint8_t>(beginning, at_loadflags) & loaded_high) == 0)
        return "a kernel that is loaded below 1 MB (zImage)";
    const unsigned sectors = std::max<unsigned>(load<std::uint8_t>(beginning, at_setup_sects), 1);
    code = (sectors + 1) * sector;
    if (code >= size) return "truncated: the protected-mode code is not in the file";
    // The jump at the start of the header goes to its end.
    const std::size_t end = at_header + load<std::uint8_t>(beginning, at_jump + 1);
    if (end < bzimage_header || end > code) return "damaged setup header";
    to.setup_header = beginning.substr(at_setup_sects, end - at_setup_sects);
    to.entry = bzimage_address;
    to.loaded_end = bzimage_address + (size - code);
    return "";
}

kernel_needs needs_of(const kernel& k) {
    // A vmlinux has no setup header: what all kernels since 2.6 accept.
    if (k.setup_header.empty()) return {0x8000'0000, 2047, k.loaded_end};
    const std::uint64_t size = field<std::uint32_t>(k, at_init_size);
    const auto preferred = field<std::uint64_t>(k, at_pref_address);
    // The kernel moves itself to its preferred address and needs init_size bytes from there.
    const std::uint64_t moved =
        preferred > ~std::uint64_t{0} - size ? ~std::uint64_t{0} : preferred + size;
    const std::uint64_t end = std::max({k.loaded_end, moved, bzimage_address + size});
    return {std::uint64_t{field<std::uint32_t>(k, at_initrd_addr_max)} + 1,
            field<std::uint32_t>(k, at_cmdline_size), end};
}

initrd_place initrd_of(const kernel& k) {
    if (k.setup_header.empty()) return {};
    return {field<std::uint32_t>(k, at_initrd), field<std::uint32_t>(k, at_initrd_size)};
}

}  // namespace knc::boot
