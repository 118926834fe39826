#include <knc/sbox/registers.h>

namespace knc::sbox {

namespace {

constexpr std::uint32_t high_half = 4;  // from the lower to the upper register of a pair
constexpr std::uint32_t reset_request = 1u << 0;
constexpr unsigned sendable_commands = 1u << mode::fixed | 1u << mode::lowest_priority |
                                       1u << mode::smi | 1u << mode::nmi | 1u << mode::init |
                                       1u << mode::startup;

}  // namespace

registers::registers(const identity& card, outputs& o)
    : identity_(card),
      outputs_(o),
      etc_(card.clock_hz),
      io_apic_([this](const interrupt& i) { outputs_.send(i, now_); }) {
    reset(0);
}

void registers::reset(base::cycle_t now) {
    for (const register_info& r : register_table)
        for (unsigned n = 0; n < r.count; ++n)
            stored(r.offset + n * r.stride) = r.reset(identity_, n);
    etc_.reset(now);
    smpt_.reset();
    host_ = {};
    io_apic_.reset();
}

bool registers::read(std::uint32_t offset, std::uint32_t& value, base::cycle_t now) const {
    const place at = find_register(offset);
    if (at.info == nullptr) return false;
    switch (at.info->does) {
        case behaviour::etc_low:
            value = static_cast<std::uint32_t>(etc_.value(now));
            break;
        case behaviour::etc_high:
            value = static_cast<std::uint32_t>(etc_.value(now) >> 32);
            break;
        case behaviour::smpt:
            value = smpt_.read(at.index);
            break;
        case behaviour::cause:
            value = host_.causes();
            break;
        case behaviour::cause_enable:
        case behaviour::cause_clear:
            value = host_.enables();
            break;
        case behaviour::redirection_low:
            value = io_apic_.low(at.index);
            break;
        case behaviour::redirection_high:
            value = io_apic_.high(at.index);
            break;
        default:
            value = stored_[offset / 4];
    }
    return true;
}

bool registers::write(std::uint32_t offset, std::uint32_t value, base::cycle_t now) {
    const place at = find_register(offset);
    if (at.info == nullptr) return false;
    now_ = now;
    const std::uint32_t bits = value & at.info->writable;
    switch (at.info->does) {
        case behaviour::fixed:
        case behaviour::etc_low:
        case behaviour::etc_high:
            break;
        case behaviour::stored:
            stored(offset) = bits;
            break;
        case behaviour::cleared:
            stored(offset) = 0;
            break;
        case behaviour::clear_by_ones:
            stored(offset) &= ~bits;
            break;
        case behaviour::etc_control:
            stored(offset) = bits;
            etc_.freeze((bits & etc_freeze) != 0, now);
            break;
        case behaviour::smpt:
            smpt_.write(at.index, value);
            break;
        case behaviour::reset:
            stored(offset) = bits;
            if ((bits & reset_request) != 0) outputs_.request_reset();
            break;
        case behaviour::cause:
            host_.clear_causes(bits);
            break;
        case behaviour::cause_enable:
            host_.set_enables(bits);
            break;
        case behaviour::cause_clear:
            host_.clear_enables(bits);
            break;
        case behaviour::doorbell:
            stored(offset) = bits;
            if ((bits & host_interrupts::request) != 0) host_.ring(at.index);
            break;
        case behaviour::redirection_low:
            io_apic_.write_low(at.index, value);
            break;
        case behaviour::redirection_high:
            io_apic_.write_high(at.index, value);
            break;
        case behaviour::command_low:
            command(offset, value);
            break;
        case behaviour::remote_dma:
            stored(offset) = bits;
            io_apic_.pulse(first_remote_dma_pin + at.index);
            break;
    }
    return true;
}

void registers::command(std::uint32_t offset, std::uint32_t value) {
    stored(offset) = value & command_writable;
    if ((value & command_send) == 0) return;
    const interrupt i = interrupt_of(value, stored(offset + high_half));
    if ((sendable_commands >> i.mode & 1) != 0) outputs_.send(i, now_);
}

void registers::end_of_interrupt(std::uint8_t vector, base::cycle_t now) {
    now_ = now;
    io_apic_.end_of_interrupt(vector);
}

}  // namespace knc::sbox
