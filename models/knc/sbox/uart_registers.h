// The registers of a 16550 UART, its receiver and its interrupts.
//
// Models: the eight byte registers with the divisor latch; transmission without time, so the
// transmitter is always empty; a receive FIFO of 16 characters with its trigger levels, or the
// receiver buffer without FIFO; overruns; the four interrupts with their priorities; loopback; the
// modem's lines. Leaves out: parity, framing and break errors, shorter words, the time of a baud
// rate: a character takes the same number of cycles whatever the divisor says. Source: National
// Semiconductor PC16550D data sheet; IBM PC/AT technical reference for the gate behind OUT2.
//
// Time: every call has the cycle in which it happens. The cycle never decreases from call to call.
// What the receiver does by itself happens in the cycle next_activity(). A call in that cycle or
// later does it first, so the order of calls within a cycle does not matter.
#ifndef KNC_SBOX_UART_REGISTERS_H
#define KNC_SBOX_UART_REGISTERS_H

#include <array>
#include <cstdint>
#include <optional>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>

namespace knc::sbox {

// The options of the UART. Each has a configuration key of the same name under "uart.".
struct uart_parameters {
    // Cycles between two characters that arrive, at least 1: that of 110,000 characters per second
    // at 1.1 GHz.
    std::uint32_t character_cycles = 10'000;
    // The other end of the line sends only while RTS (MCR bit 1) is 1, or both the FIFO and the
    // interrupt of received data are on.
    bool handshake = true;
};

class uart_registers {
  public:
    static constexpr unsigned count = 8;

    // The line, and the pin of the interrupt.
    class outputs {
      public:
        // A character leaves. The other end may call input_ready().
        virtual void transmit(char) = 0;
        // The other end sends its next character; none: it has none at present.
        virtual std::optional<char> receive() = 0;
        // The level of the interrupt output has changed.
        virtual void interrupt(bool level, base::cycle_t now) = 0;

      protected:
        ~outputs() = default;
    };

    uart_registers(const uart_parameters&, outputs&);

    // `offset` 0-7.
    std::uint8_t read(unsigned offset, base::cycle_t now);
    void write(unsigned offset, std::uint8_t value, base::cycle_t now);
    // What a read would return now, without its side effects.
    std::uint8_t peek(unsigned offset) const;

    // The other end of the line has characters again.
    void input_ready(base::cycle_t now);
    // The state after power-on, which the interrupt output follows. The line is idle until the next
    // character is due.
    void reset(base::cycle_t now);

    void serialize(base::archive&);

    // The cycle in which the next character arrives or the time of the present one is over.
    base::cycle_t next_activity() const;
    void run(base::cycle_t now);
    // For a waveform: the interrupt output; characters in the receive FIFO.
    bool line() const { return line_; }
    unsigned received() const { return s_.filled; }
    // A character that arrives would raise the interrupt output.
    bool receive_interrupt_enabled() const;

  private:
    struct state {
        std::uint16_t divisor = 1;
        std::uint8_t ier = 0, fcr = 0, lcr = 0, mcr = 0, scr = 0;
        std::uint8_t modem_changes = 0;  // bits 3:0 of MSR
        bool overrun = false;
        bool transmit_request = false;   // the transmitter is empty, and nobody has been told
        bool timed_out = false;          // of the character time-out
        unsigned first = 0, filled = 0;  // of the FIFO
        std::array<std::uint8_t, 16> fifo{};

        void serialize(base::archive&);
    };

    bool divisor_latch() const { return (s_.lcr & 0x80) != 0; }
    bool fifos_on() const { return (s_.fcr & 1) != 0; }
    bool loopback() const { return (s_.mcr & 0x10) != 0; }
    unsigned capacity() const;
    unsigned trigger() const;
    bool invites() const;
    bool listening() const;
    std::uint8_t modem_lines() const;
    std::uint8_t line_status() const;
    std::uint8_t interrupt_identification() const;

    std::uint8_t read_buffer(base::cycle_t now);
    void transmit(std::uint8_t value, base::cycle_t now);
    void write_ier(std::uint8_t value);
    void write_fcr(std::uint8_t value);
    void write_mcr(std::uint8_t value);
    void accept(std::uint8_t character, base::cycle_t now);
    void clear_fifo();
    void settle(base::cycle_t now);

    const uart_parameters parameters_;
    outputs& outputs_;
    state s_;
    bool line_ = false;       // the interrupt output
    bool exhausted_ = false;  // the other end had no character when it was asked
    base::cycle_t arrival_at_ = base::never, timeout_at_ = base::never;
};

}  // namespace knc::sbox

#endif
