#include <knc/sbox/registers.h>

namespace knc::sbox {

registers::registers(const identity& card, outputs& o)
    : identity_(card),
      outputs_(o),
      etc_(card.clock_hz),
      io_apic_([this](const interrupt& i) { outputs_.send(i, now_); }) {
    reset(0);
}

void registers::reset(base::cycle_t now) {
    for (const register_row& r : register_table())
        for (unsigned n = 0; n < r.count; ++n) stored({&r, n}) = r.reset(identity_, n);
    etc_.reset(now);
    smpt_.reset();
    host_ = {};
    io_apic_.reset();
}

bool registers::read(std::uint32_t offset, std::uint32_t& value, base::cycle_t now) const {
    register_row::place p = register_table().find(offset);
    if (!p) return false;
    p.now = now;
    const auto read = p.row->does.read;
    value = read == nullptr ? stored_[offset / 4] : read(*this, p);
    return true;
}

bool registers::write(std::uint32_t offset, std::uint32_t value, base::cycle_t now) {
    register_row::place p = register_table().find(offset);
    if (!p) return false;
    p.now = now_ = now;
    const auto write = p.row->does.write;
    if (write == nullptr)
        keep(p, value);
    else
        write(*this, p, value);
    return true;
}

void registers::keep(const register_row::place& p, std::uint32_t value) {
    stored(p) = p.merged(stored(p), value);
}

void registers::end_of_interrupt(std::uint8_t vector, base::cycle_t now) {
    now_ = now;
    io_apic_.end_of_interrupt(vector);
}

void registers::set_pin(unsigned pin, bool level, base::cycle_t now) {
    now_ = now;
    io_apic_.set_line(pin, level);
}

registers::state registers::shown(base::cycle_t now) const {
    state s{host_.causes(), host_.enables(), etc_.value(now), 0, 0, 0};
    for (unsigned n = 0; n < io_apic::pins; ++n) {
        const std::uint32_t low = io_apic_.low(n);
        s.lines |= std::uint32_t{io_apic_.line(n)} << n;
        s.in_service |= std::uint32_t{(low & entry::remote_irr) != 0} << n;
        s.masked |= std::uint32_t{(low & entry::masked) != 0} << n;
    }
    return s;
}

}  // namespace knc::sbox
