// An interrupt that the SBOX sends to local APICs.
//
// Models: the fields that a redirection entry of the I/O APIC and an interrupt command register
// have in common, in the encodings of the Intel SDM, vol. 3, 10.6.1. Leaves out: the route to the
// local APICs (knc/card/interrupt_fabric.h).
#ifndef KNC_SBOX_INTERRUPT_H
#define KNC_SBOX_INTERRUPT_H

#include <cstdint>

namespace knc::sbox {

// Fields in bits 11:0 of both registers.
namespace command {
inline constexpr std::uint32_t vector = 0xff;
inline constexpr unsigned mode_low = 8, mode_high = 10;
inline constexpr unsigned logical = 11;
}  // namespace command

// Delivery modes, bits 10:8.
namespace mode {
inline constexpr std::uint8_t fixed = 0, lowest_priority = 1, smi = 2, nmi = 4, init = 5,
                              startup = 6, extint = 7;
}  // namespace mode

struct interrupt {
    std::uint8_t mode = mode::fixed;
    std::uint8_t vector = 0;
    bool logical = false;  // the destination is a logical ID; otherwise an APIC ID
    bool level = false;    // level-triggered: its EOI is broadcast
    std::uint16_t destination = 0;
};

inline bool operator==(const interrupt& a, const interrupt& b) {
    return a.mode == b.mode && a.vector == b.vector && a.logical == b.logical &&
           a.level == b.level && a.destination == b.destination;
}

// The interrupt of a register pair, edge-triggered; the destination is in bits 15:0 of `high`.
inline interrupt interrupt_of(std::uint32_t low, std::uint32_t high) {
    interrupt i;
    i.vector = static_cast<std::uint8_t>(low & command::vector);
    i.mode = static_cast<std::uint8_t>(low >> command::mode_low & 7);
    i.logical = (low >> command::logical & 1) != 0;
    i.destination = static_cast<std::uint16_t>(high);
    return i;
}

}  // namespace knc::sbox

#endif
