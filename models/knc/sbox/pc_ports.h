// The ports of a PC-like machine: bare-metal test programs print and exit by them, kernels of PCs
// also read the time and power off.
//
// Models: the UART at 0x3F8-0x3FF; QEMU's debug exit at 0xF4: a write of `value` ends the run
// with code 2 * value + 1; a real-time clock behind 0x70 and 0x71; the sleep control and status
// registers of hardware-reduced ACPI at 0x600 and 0x601: the state S5 ends the run with code 0.
// Ports are bytes: a wider access to the UART goes to successive ports, as on the ISA bus. The exit
// register accepts 1, 2 or 4 bytes as one value. An access to any other port gets an address error.
// Leaves out: all other devices of a PC. A real card has no ports. Source: PC/AT technical
// reference; QEMU's isa-debug-exit; ACPI Specification 5.0, 4.8.3.7.
#ifndef KNC_SBOX_PC_PORTS_H
#define KNC_SBOX_PC_PORTS_H

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <knc/base/archive_forward.h>
#include <knc/sbox/cmos_clock.h>
#include <knc/sbox/ports.h>

namespace knc::sbox {

class pc_ports : public sc_core::sc_module {
  public:
    static constexpr std::uint64_t uart_port = 0x3f8, exit_port = 0xf4, sleep_port = 0x600,
                                   clock_port = 0x70;
    // Bits of the sleep control register, and the type of S5 in the tables of the loader.
    static constexpr std::uint8_t sleep_enable = 1u << 5, sleep_type = 7u << 2, soft_off = 5u << 2;

    // Addresses are port numbers.
    tlm_utils::simple_target_socket<pc_ports> target{"target"};

    // Receives the program's exit.
    sc_core::sc_port<test_if> run{"run"};
    sc_core::sc_port<uart_if> uart{"uart"};

    explicit pc_ports(sc_core::sc_module_name);

    // Resets the clock to its state after power-on.
    void reset() { clock_.reset(); }
    void serialize(base::archive& a) { clock_.serialize(a); }

  private:
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    tlm::tlm_response_status access_uart(tlm::tlm_generic_payload&);
    tlm::tlm_response_status access_exit(tlm::tlm_generic_payload&);
    tlm::tlm_response_status access_sleep(tlm::tlm_generic_payload&);
    tlm::tlm_response_status access_clock(tlm::tlm_generic_payload&);

    cmos_clock clock_;
};

}  // namespace knc::sbox

#endif
