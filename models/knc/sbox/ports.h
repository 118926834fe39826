// What the SBOX asks of the card around it, and what the card tells it.
#ifndef KNC_SBOX_PORTS_H
#define KNC_SBOX_PORTS_H

#include <cstdint>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/sbox/io_apic.h>

namespace knc::sbox {

// The way to the local APICs.
struct interrupt_sink_if : virtual sc_core::sc_interface {
    // The interrupt leaves in cycle `now`.
    virtual void send(const interrupt&, base::cycle_t now) = 0;
};

// Who resets the card.
struct reset_request_if : virtual sc_core::sc_interface {
    virtual void request_reset() = 0;
};

// The I/O APIC, as the local APICs see it.
struct eoi_if : virtual sc_core::sc_interface {
    // A local APIC's EOI of the level-triggered `vector` arrives at cycle `at`, which is not in
    // SystemC's past.
    virtual void end_of_interrupt(std::uint8_t vector, base::cycle_t at) = 0;
};

// What the test device does to the run.
struct test_if : virtual sc_core::sc_interface {
    // The firmware has printed a character.
    virtual void console(char) = 0;
    // The firmware ends the run.
    virtual void exit(std::uint32_t code) = 0;
    // The firmware has reached a place that it wants to be seen.
    virtual void marker(std::uint32_t number) = 0;
};

}  // namespace knc::sbox

#endif
