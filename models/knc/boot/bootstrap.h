// The card's bootstrap from the moment its host tells it to start the image that the host has
// copied to the card's memory.
//
// Models: the checks of image, command line and initrd; the tables that the image finds; its copy
// to the place where it is entered; the POST codes of these steps. Where the host puts what: the
// image at the download address with its size in scratchpad 5; the command line, ended by a 0,
// behind the image; the initrd anywhere, its address and size in the copied image's setup header.
// Leaves out: images with a signature, the ELF images of memory tests, time: the steps take none.
// Source: the host driver of Linux 5.9 (mic_x100.c); POST codes: readme of Intel's software
// stack 2.1.
#ifndef KNC_BOOT_BOOTSTRAP_H
#define KNC_BOOT_BOOTSTRAP_H

#include <cstddef>
#include <cstdint>
#include <optional>

#include <knc/boot/machine.h>
#include <knc/isa/state.h>

namespace knc::boot {

// The vector of the interrupt that starts the image.
inline constexpr std::uint8_t start_vector = 229;
// The scratchpad with the size of the image in bytes.
inline constexpr unsigned size_scratchpad = 5;

// POST codes: two ASCII characters, the first in the lowest byte. The code is that of the last step
// that began: the steps that a host can see are those in which the bootstrap gives up.
constexpr std::uint32_t post_code(const char (&c)[3]) {
    return static_cast<std::uint32_t>(c[0]) | static_cast<std::uint32_t>(c[1]) << 8;
}
inline constexpr std::uint32_t post_waiting = post_code("12"), post_image = post_code("40"),
                               post_kernel = post_code("50"), post_command_line = post_code("51"),
                               post_initrd = post_code("52"), post_finished = post_code("FF");

// The card's memory.
struct memory_if {
    virtual bool read(std::uint64_t physical, void* to, std::size_t size) = 0;
    virtual bool write(std::uint64_t physical, const void* from, std::size_t size) = 0;

  protected:
    ~memory_if() = default;
};

// What the bootstrap has done: its POST code, and the entry of the image unless it gave up.
struct start {
    std::uint32_t post = post_image;
    std::optional<isa::entry_point> entry;
};
// Nothing is written to `memory` unless the image is entered.
start start_image(memory_if& memory, std::uint32_t download_address, std::uint32_t image_size,
                  const machine&);

}  // namespace knc::boot

#endif
