#include <knc/sbox/uart.h>

namespace knc::sbox {

namespace {

constexpr std::uint8_t lsr_thr_empty = 1u << 5, lsr_transmitter_empty = 1u << 6;
constexpr std::uint8_t iir_none_pending = 1u << 0, iir_fifos_on = 3u << 6;
constexpr std::uint8_t fcr_enable = 1u << 0;
constexpr std::uint8_t msr_connected = 0xb0;  // CTS, DSR and DCD asserted

}  // namespace

std::uint8_t uart::read(unsigned offset) const {
    switch (offset) {
        case 0:
            return divisor_latch() ? static_cast<std::uint8_t>(registers_.divisor) : 0;
        case 1:
            return divisor_latch() ? static_cast<std::uint8_t>(registers_.divisor >> 8)
                                   : registers_.ier;
        case 2:
            return iir_none_pending | ((registers_.fcr & fcr_enable) != 0 ? iir_fifos_on : 0);
        case 3:
            return registers_.lcr;
        case 4:
            return registers_.mcr;
        case 5:
            return lsr_thr_empty | lsr_transmitter_empty;
        case 6:
            return msr_connected;
        default:
            return registers_.scr;
    }
}

void uart::write(unsigned offset, std::uint8_t value) {
    switch (offset) {
        case 0:
            if (divisor_latch())
                registers_.divisor =
                    static_cast<std::uint16_t>((registers_.divisor & 0xff00) | value);
            else
                transmit_(static_cast<char>(value));
            break;
        case 1:
            if (divisor_latch())
                registers_.divisor =
                    static_cast<std::uint16_t>((registers_.divisor & 0xff) | value << 8);
            else
                registers_.ier = value & 0x0f;
            break;
        case 2:
            registers_.fcr = value;
            break;
        case 3:
            registers_.lcr = value;
            break;
        case 4:
            registers_.mcr = value & 0x1f;
            break;
        case 7:
            registers_.scr = value;
            break;
        default:
            break;  // LSR and MSR are read-only
    }
}

}  // namespace knc::sbox
