// The I/O APIC of the SBOX: redirection entries and their pins.
//
// Models: 26 entries in the layout of an 82093AA, with a 16-bit destination in bits 15:0 of the
// upper half and "interrupt set" in bit 17, which requests the entry's interrupt as its pin does;
// edge and level trigger, polarity, mask, remote IRR, delivery modes. Decisions: an edge is lost
// while the entry is masked. The delivery status reads 0, because a message leaves at once. SMI,
// NMI, INIT and ExtINT are edge-triggered whatever bit 15 says. Modes 3 and 6 send nothing. An
// entry that becomes edge-triggered clears its remote IRR. Leaves out: arbitration ID. Source:
// 82093AA data sheet; comments of the card's machine-check driver on the entry's bits.
#ifndef KNC_SBOX_IO_APIC_H
#define KNC_SBOX_IO_APIC_H

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include <knc/base/archive_forward.h>
#include <knc/sbox/interrupt.h>

namespace knc::sbox {

// Bits of the lower half of an entry.
namespace entry {
inline constexpr std::uint32_t active_low = 1u << 13;
inline constexpr std::uint32_t remote_irr = 1u << 14;
inline constexpr std::uint32_t level = 1u << 15;
inline constexpr std::uint32_t masked = 1u << 16;
inline constexpr std::uint32_t set = 1u << 17;
}  // namespace entry

class io_apic {
  public:
    static constexpr unsigned pins = 26;
    static constexpr std::uint32_t low_writable = 0x0001'afff, high_writable = 0x0000'ffff;

    // `send` receives each interrupt.
    explicit io_apic(std::function<void(const interrupt&)> send) : send_(std::move(send)) {
        reset();
    }

    // `pin` is 0 .. pins - 1.
    std::uint32_t low(unsigned pin) const { return entries_[pin].low; }
    std::uint32_t high(unsigned pin) const { return entries_[pin].high; }
    bool line(unsigned pin) const { return entries_[pin].line; }
    void write_low(unsigned pin, std::uint32_t value);
    void write_high(unsigned pin, std::uint32_t value) {
        entries_[pin].high = value & high_writable;
    }

    void set_line(unsigned pin, bool level);
    // Raises and lowers the pin.
    void pulse(unsigned pin) {
        set_line(pin, true);
        set_line(pin, false);
    }
    // A local APIC has ended the level-triggered interrupt `vector`.
    void end_of_interrupt(std::uint8_t vector);
    // Masks all entries; the lines keep their levels.
    void reset();
    void serialize(base::archive&);

  private:
    struct redirection {
        std::uint32_t low = 0, high = 0;
        bool line = false;

        void serialize(base::archive&);
    };

    static bool level_triggered(const redirection&);
    static bool active(const redirection& r) {
        return r.line != ((r.low & entry::active_low) != 0);
    }
    void request(redirection&);
    void settle_level(redirection&);

    std::function<void(const interrupt&)> send_;
    std::array<redirection, pins> entries_{};
};

}  // namespace knc::sbox

#endif
