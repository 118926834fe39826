#include <knc/sbox/io_apic.h>

namespace knc::sbox {

namespace {

constexpr unsigned sendable_modes = 1u << mode::fixed | 1u << mode::lowest_priority |
                                    1u << mode::smi | 1u << mode::nmi | 1u << mode::init |
                                    1u << mode::extint;

}  // namespace

bool io_apic::level_triggered(const redirection& r) {
    const std::uint8_t m = interrupt_of(r.low, 0).mode;
    return (r.low & entry::level) != 0 && (m == mode::fixed || m == mode::lowest_priority);
}

void io_apic::write_low(unsigned pin, std::uint32_t value) {
    redirection& r = entries_[pin];
    r.low = (value & low_writable) | (r.low & entry::remote_irr);
    if (!level_triggered(r)) r.low &= ~entry::remote_irr;
    if ((value & entry::set) != 0) request(r);
    settle_level(r);
}

void io_apic::set_line(unsigned pin, bool level) {
    redirection& r = entries_[pin];
    const bool was = active(r);
    r.line = level;
    if (!level_triggered(r) && !was && active(r)) request(r);
    settle_level(r);
}

void io_apic::end_of_interrupt(std::uint8_t vector) {
    for (redirection& r : entries_) {
        if ((r.low & entry::remote_irr) == 0 || (r.low & command::vector) != vector) continue;
        r.low &= ~entry::remote_irr;
        settle_level(r);
    }
}

void io_apic::reset() {
    for (redirection& r : entries_) {
        r.low = entry::masked;
        r.high = 0;
    }
}

// A level-triggered entry requests its interrupt while the pin is active, once per EOI.
void io_apic::settle_level(redirection& r) {
    if (level_triggered(r) && active(r)) request(r);
}

void io_apic::request(redirection& r) {
    if ((r.low & (entry::masked | entry::remote_irr)) != 0) return;
    interrupt i = interrupt_of(r.low, r.high);
    if ((sendable_modes >> i.mode & 1) == 0) return;
    i.level = level_triggered(r);
    if (i.level) r.low |= entry::remote_irr;
    send_(i);
}

}  // namespace knc::sbox
