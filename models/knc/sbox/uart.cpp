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
            return divisor_latch() ? static_cast<std::uint8_t>(divisor_) : 0;
        case 1:
            return divisor_latch() ? static_cast<std::uint8_t>(divisor_ >> 8) : ier_;
        case 2:
            return iir_none_pending | ((fcr_ & fcr_enable) != 0 ? iir_fifos_on : 0);
        case 3:
            return lcr_;
        case 4:
            return mcr_;
        case 5:
            return lsr_thr_empty | lsr_transmitter_empty;
        case 6:
            return msr_connected;
        default:
            return scr_;
    }
}

void uart::write(unsigned offset, std::uint8_t value) {
    switch (offset) {
        case 0:
            if (divisor_latch())
                divisor_ = static_cast<std::uint16_t>((divisor_ & 0xff00) | value);
            else
                transmit_(static_cast<char>(value));
            break;
        case 1:
            if (divisor_latch())
                divisor_ = static_cast<std::uint16_t>((divisor_ & 0xff) | value << 8);
            else
                ier_ = value & 0x0f;
            break;
        case 2:
            fcr_ = value;
            break;
        case 3:
            lcr_ = value;
            break;
        case 4:
            mcr_ = value & 0x1f;
            break;
        case 7:
            scr_ = value;
            break;
        default:
            break;  // LSR and MSR are read-only
    }
}

}  // namespace knc::sbox
