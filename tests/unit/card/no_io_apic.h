// The other ends of an interrupt fabric without SBOX and scheduler.
#ifndef KNC_TESTS_UNIT_CARD_NO_IO_APIC_H
#define KNC_TESTS_UNIT_CARD_NO_IO_APIC_H

#include <cstdint>

#include <knc/base/clocked_if.h>
#include <knc/sbox/ports.h>

namespace knc::card::test {

struct no_io_apic final : sbox::io_apic_if, base::synchronize_if {
    void end_of_interrupt(std::uint8_t, base::cycle_t) override {}
    void pulse_pin(unsigned, base::cycle_t) override {}
    void synchronize() override {}
};

}  // namespace knc::card::test

#endif
