// A Linux kernel as a loader sees it: the setup header of a bzImage, or what is known of a vmlinux.
//
// Models: the fields of the setup header that a loader reads; a bzImage of boot protocol 2.10 or
// later that is loaded high. Nothing in an image is trusted. Source: Linux,
// Documentation/x86/boot.rst.
#ifndef KNC_BOOT_KERNEL_H
#define KNC_BOOT_KERNEL_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace knc::boot {

struct kernel {
    std::string setup_header;      // of a bzImage, from its offset 1F1H; a vmlinux has none
    std::uint32_t entry = 0;       // physical
    bool long_mode = false;        // entered in 64-bit mode
    std::uint64_t loaded_end = 0;  // the first address after what is loaded
};

// What a loader must know of a kernel, in bytes.
struct kernel_needs {
    std::uint64_t initrd_limit;       // the first address that an initrd must not reach
    std::uint64_t command_line_size;  // without its 0
    std::uint64_t end;                // of the memory that the kernel takes before it knows the map
};
kernel_needs needs_of(const kernel&);

// The longest command line that any loader here hands over.
inline constexpr std::size_t longest_command_line = 0x7fff;

// Where the protected-mode code of a bzImage is loaded and entered.
inline constexpr std::uint32_t bzimage_address = 0x100000;
// A bzImage is recognised by its first `bzimage_header` bytes; its code begins at `bzimage_setup`
// at most.
inline constexpr std::size_t bzimage_header = 0x268, bzimage_setup = 256 * 512;

// Whether `bytes` begin like a bzImage.
bool looks_like_bzimage(std::string_view bytes);

// Takes the beginning of a bzImage of `size` bytes apart: all of it, or bzimage_setup bytes. `code`
// becomes the offset of its protected-mode code. Returns why it cannot be loaded, or "".
std::string read_bzimage(std::string_view beginning, std::uint64_t size, kernel&,
                         std::uint64_t& code);

// The initrd that the setup header names; both 0: none. A host that loads a card writes them.
struct initrd_place {
    std::uint64_t address = 0, size = 0;
};
initrd_place initrd_of(const kernel&);

}  // namespace knc::boot

#endif
