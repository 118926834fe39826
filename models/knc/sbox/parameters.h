// The options of the SBOX. Each has a configuration key of the same name under "sbox.".
//
// Source of each default: the comment beside it; "unverified" marks what no document at hand gives.
#ifndef KNC_SBOX_PARAMETERS_H
#define KNC_SBOX_PARAMETERS_H

#include <cstdint>

namespace knc::sbox {

struct parameters {
    // Voltage codes in COREVOLT and MEMVOLT, 0-255: 250 mV + 5 mV for each step above 1. The cores'
    // code was read from a 3120A (1.1 V) and differs from card to card. The memory's is the nominal
    // 1.5 V of GDDR5, unverified.
    std::uint32_t core_voltage = 0xab;
    std::uint32_t memory_voltage = 0xfb;
    // Version field of the I/O APIC, 0-255: that of an 82093AA, unverified.
    std::uint32_t io_apic_version = 0x11;
    // Cycles between two 64-byte lines of the host's accesses to memory, at least 1. The default is
    // the 8 GB/s of a PCI Express 2.0 link of 16 lanes; unverified.
    std::uint32_t host_line_cycles = 10;
    // The address at which the bootstrap expects the image of the operating system, in scratchpad
    // 2: a multiple of 4 KB; read from a 3120A.
    std::uint32_t download_address = 64u << 20;
};

}  // namespace knc::sbox

#endif
