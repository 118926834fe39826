// The UART of the console as a module: time, the interrupt's pin, the line to the user.
//
// Models: a 16550 that the test device page and, in profile compat, the ports 0x3F8-0x3FF show.
// Its interrupt output is connected to pin 8 of the SBOX's I/O APIC. A real card has no UART, and
// nothing at that pin. Leaves out: what uart_registers.h leaves out. Source: docs/sbox.md.
#ifndef KNC_SBOX_UART_H
#define KNC_SBOX_UART_H

#include <systemc>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/sbox/ports.h>
#include <knc/sbox/uart_registers.h>

namespace knc::sbox {

class uart : public sc_core::sc_module,
             public uart_if,
             public base::pending_if,
             private uart_registers::outputs {
  public:
    static constexpr unsigned interrupt_pin = 8;

    // The other end of the line.
    sc_core::sc_port<line_if> line{"line"};
    // The I/O APIC.
    sc_core::sc_port<pin_if> interrupts{"interrupts"};

    uart(sc_core::sc_module_name, const base::clock&, const uart_parameters&);

    // uart_if, at the present SystemC time.
    std::uint8_t read(unsigned offset) override;
    void write(unsigned offset, std::uint8_t value) override;
    std::uint8_t peek(unsigned offset) const override { return registers_.peek(offset); }

    // The other end of the line has characters again. No tile is ahead of the present SystemC time
    // by more than the device latency.
    void input_ready();
    void reset();
    // At the present time.
    void serialize(base::archive&);
    const uart_registers& logic() const { return registers_; }

    // base::pending_if
    base::cycle_t pending_from() const override { return registers_.next_activity(); }

  private:
    // uart_registers::outputs
    void transmit(char c) override { line->transmit(c); }
    std::optional<char> receive() override { return line->receive(); }
    void interrupt(bool level, base::cycle_t now) override {
        interrupts->set_pin(interrupt_pin, level, now);
    }

    base::cycle_t now() const { return clock_.cycle(sc_core::sc_time_stamp()); }
    void run();
    void schedule();

    const base::clock clock_;
    uart_registers registers_;
    base::cycle_t scheduled_ = base::never;
    sc_core::sc_event due_;
};

}  // namespace knc::sbox

#endif
