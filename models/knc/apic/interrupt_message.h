// An interrupt message between APICs, and its destination match.
//
// Models: the fields of the interrupt command register (ICR), their 8-byte encoding for a TLM
// payload, and the destination match with Knights Corner's widths (9-bit physical ID, 16-bit
// destination and logical ID). Leaves out: bus arbitration, retries and the remote-read delivery
// mode, which xAPICs do not have. Source: Intel SDM vol. 3, 10.6.2.
#ifndef KNC_APIC_MESSAGE_H
#define KNC_APIC_MESSAGE_H

#include <cstdint>

#include <knc/base/archive_forward.h>

namespace knc::apic {

// Encodings of ICR and LVT bits 10:8. 3 is reserved.
enum class delivery_mode : std::uint8_t {
    fixed = 0,
    lowest_priority = 1,
    smi = 2,
    nmi = 4,
    init = 5,
    startup = 6,
    extint = 7
};

// Encodings of ICR bits 19:18.
enum class destination_shorthand : std::uint8_t { none = 0, self = 1, all = 2, all_but_self = 3 };

struct interrupt_message {
    // source_id of a sender that is not a local APIC (I/O APIC, doorbell).
    static constexpr std::uint16_t external = 0xFFFF;
    // The destination that addresses every APIC, physical and logical.
    static constexpr std::uint16_t broadcast = 0xFFFF;

    delivery_mode mode = delivery_mode::fixed;
    std::uint8_t vector = 0;
    bool level_triggered = false;
    bool assert_level = true;  // false together with level_triggered: de-assertion
    bool logical = false;      // destination is a logical ID; otherwise an APIC ID
    std::uint16_t destination = 0;
    destination_shorthand shorthand = destination_shorthand::none;
    std::uint16_t source_id = external;

    void serialize(base::archive&);
};

inline bool operator==(const interrupt_message& a, const interrupt_message& b) {
    return a.mode == b.mode && a.vector == b.vector && a.level_triggered == b.level_triggered &&
           a.assert_level == b.assert_level && a.logical == b.logical &&
           a.destination == b.destination && a.shorthand == b.shorthand &&
           a.source_id == b.source_id;
}

// Bits 31:0 are ICR low (delivery status 0), 63:48 the destination, 47:32 source_id (reserved bits
// of ICR high).
std::uint64_t encode(const interrupt_message&);
// Inverse of encode(); ignores reserved bits.
interrupt_message decode(std::uint64_t);

// The addresses to which one APIC responds.
struct address {
    std::uint16_t id = 0;          // APIC ID, 9 bits
    std::uint16_t logical_id = 0;  // LDR bits 31:16
    std::uint8_t model = 0xF;  // DFR bits 31:28: 0xF flat, 0 cluster, others match broadcasts only
    std::uint8_t cluster_member_bits = 4;
    std::uint8_t logical_bits = 16;  // of logical_id
};

// Whether the destination field of `m` addresses `a`. Ignores shorthand and source.
bool addresses(const interrupt_message& m, const address& a);

// The target of the writes of `bus_out`: 8 bytes each, at these addresses of the interrupt fabric.
namespace fabric {
inline constexpr std::uint64_t interrupt = 0x0;  // an encoded message
inline constexpr std::uint64_t eoi = 0x8;  // end of a level-triggered interrupt: a message of which
                                           // only vector and source_id count
}  // namespace fabric

}  // namespace knc::apic

#endif
