// The machine as a loader describes it to what it loads: its memory map, and the facts in the
// tables of processors.
//
// Models: memory from 0 up, with holes for the loader's own block, for tables below 1 MB and for
// the devices below 4 GB. Source: docs/usage.md.
#ifndef KNC_BOOT_MACHINE_H
#define KNC_BOOT_MACHINE_H

#include <cstdint>
#include <vector>

namespace knc::boot {

// The loader's block: what it hands over to what it loads. The memory map calls it reserved.
inline constexpr std::uint32_t block_base = 0x90000, block_size = 0x10000;
// Nothing is loaded between the block and the end of the first megabyte: the tables of the
// processors lie there.
inline constexpr std::uint64_t first_megabyte = 0x100000;
// Between the two no memory is used: device pages.
inline constexpr std::uint64_t device_hole = 0xfec0'0000, four_gigabytes = 0x1'0000'0000;

struct region {
    std::uint64_t base, length;
    bool available;
};
// The memory map of a card with `memory_size` bytes: memory lies at 0 up, except that nothing of it
// is used from device_hole to 4 GB.
std::vector<region> memory_map(std::uint64_t memory_size);

struct machine {
    std::uint64_t memory_size = 0;  // bytes
    std::uint32_t threads = 0, boot_apic_id = 0;
    std::uint32_t signature = 0;  // CPUID leaf 1
    // Whether there are ACPI tables, as kernels of PCs want them, and the ports they name; 0: none.
    bool acpi = false;
    std::uint16_t uart_port = 0, sleep_port = 0, reset_port = 0;
    bool clock = false;  // the real-time clock of a PC
};

}  // namespace knc::boot

#endif
