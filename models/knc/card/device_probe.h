// The devices of a card as waveform signals: SBOX, UART, test device page, and the modules between
// them and the tiles.
//
// Models: registers and queues, at the SystemC time of sample(). Leaves out: the registers that the
// firmware reads back. Source: docs/waveforms.md.
#ifndef KNC_CARD_DEVICE_PROBE_H
#define KNC_CARD_DEVICE_PROBE_H

#include <cstdint>

#include <knc/base/signal.h>
#include <knc/card/bootstrap.h>
#include <knc/card/device_agent.h>
#include <knc/card/host_aperture.h>
#include <knc/card/interrupt_fabric.h>
#include <knc/sbox/sbox.h>
#include <knc/sbox/testdev.h>
#include <knc/sbox/uart.h>

namespace knc::card {

class device_probe {
  public:
    struct parts {
        const sbox::sbox& registers;
        const device_agent& agent;
        const interrupt_fabric& fabric;
        const bootstrap& firmware;
        const host_aperture* aperture;  // nullptr: a card without caches
        const sbox::uart* uart;         // nullptr, as `testdev`: no test devices
        const sbox::testdev* testdev;
    };

    // sbox.causes and so on, for the modules that are there.
    void list_signals(const parts&, base::signal_list&) const;
    // Copies the state in cycle `now`.
    void sample(const parts&, base::cycle_t now);

  private:
    struct {
        std::uint64_t causes = 0, enables = 0, host_interrupt = 0, elapsed = 0;
        std::uint64_t lines = 0, in_service = 0, masked = 0;
    } sbox_;
    std::uint64_t agent_waiting_ = 0, agent_busy_ = 0;
    std::uint64_t fabric_waiting_ = 0, boot_waits_ = 0, boot_starts_ = 0, aperture_lines_ = 0;
    std::uint64_t uart_line_ = 0, uart_received_ = 0, marker_ = 0, markers_ = 0;
};

}  // namespace knc::card

#endif
