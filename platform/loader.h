// Puts an image, and what it finds at its entry, into a card's memory: the Multiboot information,
// or what a Linux kernel needs (platform/linux_boot.h).
#ifndef KNC_PLATFORM_LOADER_H
#define KNC_PLATFORM_LOADER_H

#include <cstdint>
#include <string>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <platform/image.h>
#include <platform/linux_boot.h>

namespace platform {

// What a loader puts into memory beside an image.
struct boot_request {
    std::string command_line, initrd;  // the initrd's bytes; empty: none
};

// Checks that `i` fits a memory of `memory_size` bytes beside the loader's block and the device
// pages, and that command line and initrd have room. Throws input_error naming the image.
void check_placement(const image& i, const std::string& command_line, std::uint64_t initrd_size,
                     std::uint64_t memory_size);

// Checks that profile `p` has code of the size in which `i` starts: p55c has no 64-bit code. Throws
// input_error naming the image.
void check_code_size(const image& i, knc::isa::profile p);

// The host's debug access to the card's physical addresses. Takes no simulated time.
class host_access : public sc_core::sc_module {
  public:
    explicit host_access(sc_core::sc_module_name name) : sc_module(name) {}

    tlm_utils::simple_initiator_socket<host_access> socket{"socket"};

    // False where not all of it is memory.
    bool read(std::uint64_t physical, void* to, std::size_t size);
    bool write(std::uint64_t physical, const void* from, std::size_t size);
};

// Writes the image's segments and the information block; to be called when the sockets are bound.
// False if the card refuses a write.
bool place(const image&, const boot_request&, const linux_machine&, host_access&);

// Where and how the boot thread begins.
knc::isa::entry_point entry_of(const image&);

}  // namespace platform

#endif
