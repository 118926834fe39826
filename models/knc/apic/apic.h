// The SystemC module around one local APIC: sockets, pins, and time.
//
// Models: the register page as a TLM target (4 KB, aligned 32-bit accesses); interrupt messages in
// both directions as 8-byte writes (interrupt_message.h: encode(), fabric). The module has two
// modes. Driven by a core: the thread's core calls logic() with its own cycle and polls
// next_event(). Messages from bus_in wait in the inbox of the local APIC for their cycle. No
// process runs, and the pins are unused. Driven by itself, in a foreign system: a process follows
// SystemC time, and any processor model connects to the pins and the `processor` interface.
//
// Every socket and pin may stay unbound. The cycle of an access is that of the extension
// base::access; without it, it is sc_time_stamp() plus the annotated delay. Leaves out: DMI
// (registers have side effects), latency. Source: docs/apic.md.
#ifndef KNC_APIC_APIC_H
#define KNC_APIC_APIC_H

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <knc/apic/processor.h>
#include <knc/apic/local_apic.h>
#include <knc/base/clock.h>

namespace knc::apic {

enum class drive : std::uint8_t { core, self };

class apic : public sc_core::sc_module, private bus, private processor_if, public core_if {
  public:
    using input =
        sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
    using output =
        sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

    // Addresses 0 .. 0xFFF. A transaction that is not an aligned 32-bit one at a multiple of 16
    // gets the response TLM_BURST_ERROR_RESPONSE; reserved registers read 0. transport_dbg reads
    // any bytes and writes none.
    tlm_utils::simple_target_socket_optional<apic> mmio{"mmio"};
    // Messages for this APIC: 8-byte writes at fabric::interrupt.
    tlm_utils::simple_target_socket_optional<apic> bus_in{"bus_in"};
    // Messages for other APICs, and EOIs: 8-byte writes at fabric::interrupt and fabric::eoi.
    tlm_utils::simple_initiator_socket_optional<apic> bus_out{"bus_out"};

    // Driven by a core only: the core's direct access to the registers, and the receiver of
    // notifications about messages that arrive.
    sc_core::sc_export<core_if> core{"core"};
    sc_core::sc_port<message_listener_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> listener{"listener"};

    // Driven by itself only. intr, nmi, init and startup are 1 while the processor has such an
    // event to accept.
    input pmi{"pmi"}, thermal{"thermal"}, lint0{"lint0"}, lint1{"lint1"};
    output intr{"intr"}, nmi{"nmi"}, init{"init"}, startup{"startup"};
    sc_core::sc_export<processor_if> processor{"processor"};

    // `clk`: the core clock. `id`, `bsp`: see local_apic.
    apic(sc_core::sc_module_name, const parameters&, std::uint16_t id, bool bsp, base::clock clk,
         drive = drive::core);

    local_apic& logic() override { return local_apic_; }
    const local_apic& logic() const { return local_apic_; }

  private:
    void end_of_elaboration() override;
    void mmio_transport(tlm::tlm_generic_payload&, sc_core::sc_time& delay);
    unsigned mmio_debug(tlm::tlm_generic_payload&);
    void bus_transport(tlm::tlm_generic_payload&, sc_core::sc_time& delay);

    void send(const interrupt_message&, base::cycle_t now) override;
    void eoi_broadcast(std::uint8_t vector, base::cycle_t now) override;
    void transmit(std::uint64_t fabric_address, const interrupt_message&, base::cycle_t now);

    std::uint8_t acknowledge() override;
    bool take_nmi() override;
    bool take_init() override;
    bool take_startup(std::uint8_t& vector) override;
    std::uint8_t read_cr8() override { return local_apic_.cr8(); }
    void write_cr8(std::uint8_t value) override;

    void follow_time();
    void on_pmi();
    void on_thermal();
    void on_lint0();
    void on_lint1();
    // The cycle of SystemC time, or the latest cycle that the APIC has seen if that is later.
    base::cycle_t now();
    base::cycle_t cycle_of(const tlm::tlm_generic_payload&, const sc_core::sc_time& delay) const;
    void changed();

    const base::clock clock_;
    const drive drive_;
    local_apic local_apic_;
    base::cycle_t seen_ = 0;
    sc_core::sc_event wake_;
};

}  // namespace knc::apic

#endif
