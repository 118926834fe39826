// The test device page: console, exit and marker for firmware that runs on the model.
//
// Models: +0x000 the UART (byte registers, stride 1), +0x100 test exit, +0x104 marker and +0x108
// fast-forward (0: off, else on; 32-bit, write-only). Other offsets and sizes get an address or
// burst error. A real card has no such page. Source: docs/firmware.md.
#ifndef KNC_SBOX_TESTDEV_H
#define KNC_SBOX_TESTDEV_H

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <knc/base/archive_forward.h>
#include <knc/sbox/ports.h>

namespace knc::sbox {

class testdev : public sc_core::sc_module {
  public:
    static constexpr std::uint64_t page_address = 0xfef0'0000;
    static constexpr std::uint64_t page_size = 0x1000;
    static constexpr std::uint64_t exit_register = 0x100, marker_register = 0x104,
                                   fast_forward_register = 0x108;

    // Offsets within the page. Debug reads return the same values as reads; debug writes change
    // nothing.
    tlm_utils::simple_target_socket<testdev> target{"target"};

    // Receives the firmware's exit and markers.
    sc_core::sc_port<test_if> run{"run"};
    sc_core::sc_port<uart_if> uart{"uart"};

    explicit testdev(sc_core::sc_module_name);

    // For a waveform: the number of the latest marker, and how many there were.
    std::uint32_t marker() const { return marker_; }
    std::uint64_t markers() const { return markers_; }

    void serialize(base::archive&);

  private:
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    unsigned transport_dbg(tlm::tlm_generic_payload&);

    std::uint32_t marker_ = 0;
    std::uint64_t markers_ = 0;
};

}  // namespace knc::sbox

#endif
