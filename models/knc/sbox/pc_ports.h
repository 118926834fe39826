// The two ports of a PC-like machine that bare-metal test programs print and end by.
//
// Models: a 16550 UART at 0x3F8-0x3FF and QEMU's debug exit at 0xF4: a write of `value` ends the
// run with code 2 * value + 1. Ports are bytes: a wider access goes to successive ports, as on the
// ISA bus; the exit register takes 1, 2 or 4 bytes as one value. Other ports: address error. A real
// card has no ports. Source: PC/AT technical reference; QEMU's isa-debug-exit.
#ifndef KNC_SBOX_PC_PORTS_H
#define KNC_SBOX_PC_PORTS_H

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <knc/sbox/ports.h>
#include <knc/sbox/uart.h>

namespace knc::sbox {

class pc_ports : public sc_core::sc_module {
  public:
    static constexpr std::uint64_t uart_port = 0x3f8, exit_port = 0xf4;

    // Addresses are port numbers.
    tlm_utils::simple_target_socket<pc_ports> target{"target"};

    // Takes what the program writes.
    sc_core::sc_port<test_if> run{"run"};

    explicit pc_ports(sc_core::sc_module_name);

    // The UART as after power-on.
    void reset() { uart_.reset(); }

  private:
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    tlm::tlm_response_status access_uart(tlm::tlm_generic_payload&);
    tlm::tlm_response_status access_exit(tlm::tlm_generic_payload&);

    uart uart_;
};

}  // namespace knc::sbox

#endif
