// A 16550 UART, transmit side.
//
// Models: the eight byte registers with the divisor latch, a transmitter that is always empty,
// scratch register, FIFO and modem control as plain storage. Leaves out: reception (the line is
// idle), interrupts, baud rate timing. Source: National Semiconductor PC16550D data sheet.
#ifndef KNC_SBOX_UART_H
#define KNC_SBOX_UART_H

#include <cstdint>
#include <functional>
#include <utility>

namespace knc::sbox {

class uart {
  public:
    static constexpr unsigned registers = 8;

    // `transmit` receives each character written to THR.
    explicit uart(std::function<void(char)> transmit) : transmit_(std::move(transmit)) {}

    // `offset` 0-7. A read has no side effect.
    std::uint8_t read(unsigned offset) const;
    void write(unsigned offset, std::uint8_t value);
    void reset() { registers_ = {}; }

  private:
    struct register_file {
        std::uint16_t divisor = 1;
        std::uint8_t ier = 0, fcr = 0, lcr = 0, mcr = 0, scr = 0;
    };
    bool divisor_latch() const { return (registers_.lcr & 0x80) != 0; }

    std::function<void(char)> transmit_;
    register_file registers_;
};

}  // namespace knc::sbox

#endif
