// The two ports of a PC-like machine with which bare-metal test programs print and exit.
//
// Models: the UART at 0x3F8-0x3FF and QEMU's debug exit at 0xF4: a write of `value` ends the
// run with code 2 * value + 1. Ports are bytes: a wider access goes to successive ports, as on the
// ISA bus. The exit register accepts 1, 2 or 4 bytes as one value. An access to any other port gets
// an address error. Leaves out: all other devices of a PC. A real card has no ports. Source: PC/AT
// technical reference; QEMU's isa-debug-exit.
#ifndef KNC_SBOX_PC_PORTS_H
#define KNC_SBOX_PC_PORTS_H

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <knc/sbox/ports.h>

namespace knc::sbox {

class pc_ports : public sc_core::sc_module {
  public:
    static constexpr std::uint64_t uart_port = 0x3f8, exit_port = 0xf4;

    // Addresses are port numbers.
    tlm_utils::simple_target_socket<pc_ports> target{"target"};

    // Receives the program's exit.
    sc_core::sc_port<test_if> run{"run"};
    sc_core::sc_port<uart_if> uart{"uart"};

    explicit pc_ports(sc_core::sc_module_name);

  private:
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    tlm::tlm_response_status access_uart(tlm::tlm_generic_payload&);
    tlm::tlm_response_status access_exit(tlm::tlm_generic_payload&);
};

}  // namespace knc::sbox

#endif
