#include <knc/sbox/uart_registers.h>

#include <algorithm>

namespace knc::sbox {

namespace {

namespace reg {
constexpr unsigned rbr = 0, ier = 1, iir = 2, lcr = 3, mcr = 4, lsr = 5, msr = 6;
}
namespace ier {
constexpr std::uint8_t received = 1, transmitter = 2, line_status = 4, modem_status = 8;
constexpr std::uint8_t writable = 0x0f;
}  // namespace ier
namespace iir {
constexpr std::uint8_t none = 1, modem_status = 0, transmitter = 2, received = 4, line_status = 6,
                       timeout = 12, source = 0x0f;
constexpr std::uint8_t fifos_on = 0xc0;
}  // namespace iir
namespace fcr {
constexpr std::uint8_t enable = 1, clear_receiver = 2, kept = 0xc9;
constexpr unsigned trigger_low = 6;
}  // namespace fcr
namespace mcr {
constexpr std::uint8_t rts = 2, out2 = 8, writable = 0x1f;
}
namespace lsr {
constexpr std::uint8_t data_ready = 1, overrun = 2, transmitter_empty = 0x60;
}
namespace msr {
constexpr std::uint8_t changes = 0x0f, ring_ended = 4, ring = 0x40;
constexpr std::uint8_t connected = 0xb0;  // CTS, DSR and DCD
}  // namespace msr

// The character time-out, in times of a character.
constexpr base::cycle_t timeout_characters = 4;

}  // namespace

uart_registers::uart_registers(const uart_parameters& p, outputs& o)
    : parameters_(p), outputs_(o) {}

void uart_registers::reset(base::cycle_t now) {
    s_ = {};
    arrival_at_ = timeout_at_ = base::never;
    settle(now);
}

unsigned uart_registers::capacity() const {
    return fifos_on() ? static_cast<unsigned>(s_.fifo.size()) : 1;
}

unsigned uart_registers::trigger() const {
    constexpr std::array<std::uint8_t, 4> levels = {1, 4, 8, 14};
    return fifos_on() ? levels[s_.fcr >> fcr::trigger_low] : 1;
}

// The driver asks the other end to send, or evidently waits for it without raising RTS.
bool uart_registers::invites() const {
    return !parameters_.handshake || (s_.mcr & mcr::rts) != 0 ||
           (fifos_on() && (s_.ier & ier::received) != 0);
}

// The other end may send. As there is room, the line loses nothing.
bool uart_registers::listening() const {
    return !loopback() && s_.filled < capacity() && invites();
}

bool uart_registers::receive_interrupt_enabled() const {
    return (s_.ier & ier::received) != 0 && (s_.mcr & mcr::out2) != 0 && listening();
}

// Bits 7:4 of MSR: DCD, RI, DSR, CTS. In loopback they are OUT2, OUT1, DTR, RTS.
std::uint8_t uart_registers::modem_lines() const {
    if (!loopback()) return msr::connected;
    const unsigned m = s_.mcr;
    return static_cast<std::uint8_t>((m & 0x0c) << 4 | (m & 1) << 5 | (m & 2) << 3);
}

std::uint8_t uart_registers::line_status() const {
    return static_cast<std::uint8_t>(lsr::transmitter_empty |
                                     (s_.filled != 0 ? lsr::data_ready : 0) |
                                     (s_.overrun ? lsr::overrun : 0));
}

// In the order of their priorities. A time-out is shown in place of the level it came with.
std::uint8_t uart_registers::interrupt_identification() const {
    if ((s_.ier & ier::line_status) != 0 && s_.overrun) return iir::line_status;
    if ((s_.ier & ier::received) != 0 && s_.timed_out) return iir::timeout;
    if ((s_.ier & ier::received) != 0 && s_.filled >= trigger()) return iir::received;
    if ((s_.ier & ier::transmitter) != 0 && s_.transmit_request) return iir::transmitter;
    if ((s_.ier & ier::modem_status) != 0 && s_.modem_changes != 0) return iir::modem_status;
    return iir::none;
}

std::uint8_t uart_registers::peek(unsigned offset) const {
    switch (offset) {
        case reg::rbr:
            if (divisor_latch()) return static_cast<std::uint8_t>(s_.divisor);
            return s_.filled != 0 ? s_.fifo[s_.first] : 0;
        case reg::ier:
            return divisor_latch() ? static_cast<std::uint8_t>(s_.divisor >> 8) : s_.ier;
        case reg::iir:
            return interrupt_identification() | (fifos_on() ? iir::fifos_on : 0);
        case reg::lcr:
            return s_.lcr;
        case reg::mcr:
            return s_.mcr;
        case reg::lsr:
            return line_status();
        case reg::msr:
            return modem_lines() | s_.modem_changes;
        default:
            return s_.scr;
    }
}

std::uint8_t uart_registers::read(unsigned offset, base::cycle_t now) {
    run(now);
    const std::uint8_t value = peek(offset);
    switch (offset) {
        case reg::rbr:
            if (!divisor_latch()) read_buffer(now);
            break;
        case reg::iir:
            if ((value & iir::source) == iir::transmitter) s_.transmit_request = false;
            break;
        case reg::lsr:
            s_.overrun = false;
            break;
        case reg::msr:
            s_.modem_changes = 0;
            break;
        default:
            return value;
    }
    settle(now);
    return value;
}

std::uint8_t uart_registers::read_buffer(base::cycle_t now) {
    if (s_.filled == 0) return 0;
    const std::uint8_t c = s_.fifo[s_.first];
    s_.first = (s_.first + 1) % static_cast<unsigned>(s_.fifo.size());
    --s_.filled;
    s_.timed_out = false;
    timeout_at_ = now + timeout_characters * parameters_.character_cycles;
    return c;
}

void uart_registers::write(unsigned offset, std::uint8_t value, base::cycle_t now) {
    run(now);
    switch (offset) {
        case reg::rbr:
            if (divisor_latch())
                s_.divisor = static_cast<std::uint16_t>((s_.divisor & 0xff00) | value);
            else
                transmit(value, now);
            break;
        case reg::ier:
            if (divisor_latch())
                s_.divisor = static_cast<std::uint16_t>((s_.divisor & 0xff) | value << 8);
            else
                write_ier(value);
            break;
        case reg::iir:
            write_fcr(value);
            break;
        case reg::lcr:
            s_.lcr = value;
            break;
        case reg::mcr:
            write_mcr(value);
            break;
        case reg::lsr:
        case reg::msr:
            return;  // read-only
        default:
            s_.scr = value;
            return;
    }
    settle(now);
}

// The transmitter is empty again at once, which is a new request.
void uart_registers::transmit(std::uint8_t value, base::cycle_t now) {
    s_.transmit_request = true;
    if (loopback())
        accept(value, now);
    else
        outputs_.transmit(static_cast<char>(value));
}

// Whoever enables the interrupt of an empty transmitter gets it.
void uart_registers::write_ier(std::uint8_t value) {
    const std::uint8_t before = s_.ier;
    s_.ier = value & ier::writable;
    if ((s_.ier & ~before & ier::transmitter) != 0) s_.transmit_request = true;
}

// The other bits count only together with bit 0.
void uart_registers::write_fcr(std::uint8_t value) {
    const bool switched = ((value ^ s_.fcr) & fcr::enable) != 0;
    s_.fcr = (value & fcr::enable) != 0 ? value & fcr::kept : 0;
    if (switched || (fifos_on() && (value & fcr::clear_receiver) != 0)) clear_fifo();
}

void uart_registers::write_mcr(std::uint8_t value) {
    const std::uint8_t before = modem_lines();
    s_.mcr = value & mcr::writable;
    const std::uint8_t after = modem_lines();
    // Of RI only the end is noticed.
    auto changed = static_cast<std::uint8_t>((before ^ after) >> 4);
    if ((after & msr::ring) != 0) changed &= static_cast<std::uint8_t>(~msr::ring_ended);
    s_.modem_changes |= changed & msr::changes;
}

// A full FIFO keeps what it has; without FIFO the last character stays.
void uart_registers::accept(std::uint8_t character, base::cycle_t now) {
    const unsigned room = capacity();
    if (s_.filled == room) {
        s_.overrun = true;
        if (!fifos_on()) s_.fifo[s_.first] = character;
        return;
    }
    s_.fifo[(s_.first + s_.filled) % static_cast<unsigned>(s_.fifo.size())] = character;
    ++s_.filled;
    if (!s_.timed_out) timeout_at_ = now + timeout_characters * parameters_.character_cycles;
}

void uart_registers::clear_fifo() {
    s_.first = s_.filled = 0;
    s_.timed_out = false;
}

void uart_registers::input_ready(base::cycle_t now) {
    exhausted_ = false;
    settle(now);
}

base::cycle_t uart_registers::next_activity() const {
    return std::min(arrival_at_, timeout_at_);
}

void uart_registers::run(base::cycle_t now) {
    while (next_activity() <= now) {
        const base::cycle_t at = next_activity();
        if (timeout_at_ == at) {
            s_.timed_out = true;
            timeout_at_ = base::never;
        }
        if (arrival_at_ == at) {
            arrival_at_ = base::never;
            if (listening()) {
                const auto c = outputs_.receive();
                exhausted_ = !c;
                if (c) accept(static_cast<std::uint8_t>(*c), at);
            }
        }
        settle(at);
    }
}

// What follows from the registers: the times of the receiver and the level of the interrupt output.
void uart_registers::settle(base::cycle_t now) {
    if (!fifos_on() || s_.filled == 0 || s_.timed_out) timeout_at_ = base::never;
    // The line's characters begin at multiples of their time.
    if (arrival_at_ == base::never && !exhausted_ && listening())
        arrival_at_ = (now / parameters_.character_cycles + 1) * parameters_.character_cycles;
    // In loopback the modem's outputs are inactive, and OUT2 is the gate of the interrupt.
    const bool level =
        interrupt_identification() != iir::none && (s_.mcr & mcr::out2) != 0 && !loopback();
    if (level == line_) return;
    line_ = level;
    outputs_.interrupt(level, now);
}

}  // namespace knc::sbox
