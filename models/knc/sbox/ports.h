// The interfaces between the SBOX and the card around it.
//
// Models no hardware: the calls of the SBOX and its test devices to the card and to each other, and
// of the card to the SBOX.
#ifndef KNC_SBOX_PORTS_H
#define KNC_SBOX_PORTS_H

#include <cstdint>
#include <optional>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/sbox/io_apic.h>

namespace knc::sbox {

// The connection to the local APICs.
struct interrupt_sink_if : virtual sc_core::sc_interface {
    // The interrupt leaves in cycle `now`.
    virtual void send(const interrupt&, base::cycle_t now) = 0;
};

// The receiver of reset requests.
struct reset_request_if : virtual sc_core::sc_interface {
    virtual void request_reset() = 0;
};

// The I/O APIC, as the tiles use it. `at` is not before the present SystemC time.
struct io_apic_if : virtual sc_core::sc_interface {
    // A local APIC's EOI of the level-triggered `vector` arrives in cycle `at`.
    virtual void end_of_interrupt(std::uint8_t vector, base::cycle_t at) = 0;
    // An edge at `pin` arrives in cycle `at`.
    virtual void pulse_pin(unsigned pin, base::cycle_t at) = 0;
};

// The pins of the I/O APIC.
struct pin_if : virtual sc_core::sc_interface {
    // The level of `pin` changes in cycle `now`.
    virtual void set_pin(unsigned pin, bool level, base::cycle_t now) = 0;
};

// The registers of the UART, for the devices in which it appears. `offset` 0-7.
struct uart_if : virtual sc_core::sc_interface {
    virtual std::uint8_t read(unsigned offset) = 0;
    virtual void write(unsigned offset, std::uint8_t value) = 0;
    // What a read would return, without its side effects.
    virtual std::uint8_t peek(unsigned offset) const = 0;
};

// The other end of the UART's line.
struct line_if : virtual sc_core::sc_interface {
    // The firmware has sent a character.
    virtual void transmit(char) = 0;
    // Its own next character; none: it has none at present.
    virtual std::optional<char> receive() = 0;
};

// The effects of the test device on the run.
struct test_if : virtual sc_core::sc_interface {
    // The firmware ends the run.
    virtual void exit(std::uint32_t code) = 0;
    // The firmware has written the marker register.
    virtual void marker(std::uint32_t number) = 0;
    // The firmware wants to be executed without time from now on, or in time again.
    virtual void fast_forward(bool on) = 0;
};

}  // namespace knc::sbox

#endif
