// The SystemC module around the registers of SBOX and DBOX: socket, interrupt line, time.
//
// Models: a TLM target of 128 KB, laid out as the host's BAR4. Accesses have 4 or 8 bytes and are
// aligned. An access of 8 bytes uses two registers. A write changes the upper one first, so the
// pair is complete when the lower one takes effect. Other sizes get a burst error. An access to an
// offset without a register gets an address error and changes nothing. The cycle of an access is
// that of the extension base::access; without it, it is sc_time_stamp() plus the annotated delay.
// The line to the host follows the registers in the next delta cycle. Leaves out: latency. Source:
// docs/sbox.md.
#ifndef KNC_SBOX_SBOX_H
#define KNC_SBOX_SBOX_H

#include <cstdint>
#include <set>
#include <tuple>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/sbox/ports.h>
#include <knc/sbox/registers.h>

namespace knc::sbox {

class sbox : public sc_core::sc_module,
             public io_apic_if,
             public pin_if,
             public base::pending_if,
             private registers::outputs {
  public:
    using input =
        sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
    using output =
        sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

    // Offsets in the block. transport_dbg reads registers without side effects and writes none.
    tlm_utils::simple_target_socket<sbox> target{"target"};
    // 1 while an enabled cause of an interrupt to the host is set.
    output host_interrupt{"host_interrupt"};
    // Receives the interrupts of the interrupt command registers and of the I/O APIC.
    sc_core::sc_port<interrupt_sink_if> interrupts{"interrupts"};
    // Notified when software sets the card's reset bit (RGCR).
    sc_core::sc_port<reset_request_if> reset_request{"reset_request"};

    sbox(sc_core::sc_module_name, const identity&);

    const registers& logic() const { return registers_; }

    void end_of_interrupt(std::uint8_t vector, base::cycle_t at) override {
        arrive({at, false, vector});
    }
    void pulse_pin(unsigned pin, base::cycle_t at) override {
        arrive({at, true, static_cast<std::uint8_t>(pin)});
    }
    // Resets every register at the present time; EOIs and edges in flight are lost.
    void reset();
    // At the present time.
    void serialize(base::archive&);
    void set_pin(unsigned pin, bool level, base::cycle_t now) override {
        registers_.set_pin(pin, level, now);
    }
    // With an EOI or an edge in flight, interrupts may leave in the present cycle.
    base::cycle_t pending_from() const override { return arrivals_.empty() ? base::never : 0; }

  private:
    // registers::outputs
    void send(const interrupt& i, base::cycle_t now) override { interrupts->send(i, now); }
    void request_reset() override { reset_request->request_reset(); }

    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    unsigned transport_dbg(tlm::tlm_generic_payload&);
    bool access(tlm::tlm_generic_payload&, base::cycle_t now);
    // What the tiles have sent to the I/O APIC: an EOI of a vector, an edge at a pin.
    struct arrival {
        base::cycle_t at;
        bool edge;
        std::uint8_t number;

        bool operator<(const arrival& o) const {
            return std::tie(at, edge, number) < std::tie(o.at, o.edge, o.number);
        }
        void serialize(base::archive&);
    };
    void arrive(const arrival&);
    void take_arrivals();
    void schedule();
    void drive_line();

    const base::clock clock_;
    registers registers_;
    std::multiset<arrival> arrivals_;
    sc_core::sc_event arrival_due_, line_due_;
};

}  // namespace knc::sbox

#endif
