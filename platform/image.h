// A firmware image: an ELF executable with a Multiboot 1 header, or a Linux kernel
// (platform/linux_image.h), checked and taken apart.
//
// Accepts: ELF32 (EM_386) and ELF64 (EM_X86_64), little endian, ET_EXEC, a Multiboot 1 header in
// the first 8192 bytes that asks for nothing but page alignment, memory map and the a.out fields
// (which are not needed: the segments are used); without one, an ELF64 file that is a vmlinux.
// Nothing in the file is trusted: every offset, size and count is checked before it is used.
#ifndef KNC_PLATFORM_IMAGE_H
#define KNC_PLATFORM_IMAGE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace platform {

struct segment {
    std::uint64_t physical, virtual_address;  // where it is loaded, where the program sees it
    std::uint64_t memory_size;                // bytes; what exceeds `file_size` is zero
    std::uint64_t file_offset, file_size;     // its content in image::file
    bool executable;
};

// A section with instructions. Sections named .code16 and .code32 hold code of these modes. All
// others hold code of the file's class, but 64-bit code where there is a .code32: 64-bit programs
// also come as ELF32.
struct code_section {
    std::uint64_t address;  // virtual
    std::uint64_t file_offset, size;
    unsigned bits;
};

struct symbol {
    std::uint64_t address, size;  // virtual
    std::string name;
    bool function;
    bool label = false;     // without a type, in a section with instructions: code in assembly
    std::uint8_t rank = 0;  // of several names of one address, the one of the lowest rank is used
};

// How a loader starts an image.
enum class boot_protocol : std::uint8_t { multiboot, bzimage, vmlinux };

struct image {
    std::string name;  // of the file, without its directory
    boot_protocol protocol = boot_protocol::multiboot;
    std::string setup_header;  // of a bzImage, from its offset 1F1H
    std::string file;          // its bytes
    std::uint32_t entry = 0;
    std::vector<segment> segments;   // none overlaps another, in the order of the file
    std::vector<code_section> code;  // in the order of the file; only those that it holds whole
    std::vector<symbol> symbols;     // by address; functions and objects of nonzero address

    std::string_view content(const segment& s) const {
        return std::string_view{file}.substr(s.file_offset, s.file_size);
    }
    // The first symbol called `wanted`.
    const symbol* find(std::string_view wanted) const;
    // The physical address of `size` bytes at `virtual_address`; nothing unless one segment holds
    // them all.
    std::optional<std::uint64_t> physical(std::uint64_t virtual_address, std::uint64_t size) const;
};

// Whether `bytes` begin like an ELF file.
bool looks_like_elf(std::string_view bytes);

// Takes `bytes`, the content of file `path`, apart. Throws input_error.
image read_image(std::string bytes, const std::string& path);
// The same of any executable with fixed addresses that has symbols of functions: a kernel, or a
// program of one. It need not be one that can be loaded.
image read_program(std::string bytes, const std::string& path);

}  // namespace platform

#endif
