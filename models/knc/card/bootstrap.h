// The card's bootstrap, as a module between the SBOX's interrupts and the interrupt fabric.
//
// Models: the boot processor that waits in the bootstrap, until an interrupt of the SBOX with
// vector 229 reaches it: an interrupt command that the host writes. The interrupt takes as long as
// any other; then the bootstrap starts the image, or gives up, writes the POST code, and waits
// again (knc/boot/bootstrap.h). Leaves out: the bootstrap's instructions, and its local APIC: other
// interrupts take the usual way. Source: docs/sbox.md.
#ifndef KNC_CARD_BOOTSTRAP_H
#define KNC_CARD_BOOTSTRAP_H

#include <cstdint>
#include <optional>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/base/archive_forward.h>
#include <knc/boot/bootstrap.h>
#include <knc/card/parameters.h>
#include <knc/card/ports.h>
#include <knc/sbox/ports.h>

namespace knc::card {

class bootstrap : public sc_core::sc_module,
                  public sbox::interrupt_sink_if,
                  private boot::memory_if {
  public:
    // The card's address space: memory by debug accesses, registers of the SBOX.
    tlm_utils::simple_initiator_socket<bootstrap> addresses{"addresses"};
    // Receives the interrupts that do not start the image.
    sc_core::sc_port<sbox::interrupt_sink_if> fabric{"fabric"};
    sc_core::sc_port<boot_request_if> scheduler{"scheduler"};

    bootstrap(sc_core::sc_module_name, const parameters&);

    // After power-on or a reset: whether the boot processor waits for an image.
    void wait_for_image(bool waits) {
        waits_ = waits;
        starting_ = false;
    }

    void serialize(base::archive&);

    // For a waveform: it waits for an image; it starts one.
    bool waits() const { return waits_; }
    bool starting() const { return starting_; }

    // sbox::interrupt_sink_if
    void send(const sbox::interrupt&, base::cycle_t now) override;

    // The interrupt has reached the boot processor: the entry of the image, or nothing if the
    // bootstrap waits again. All tiles are at the present SystemC time.
    std::optional<isa::entry_point> start_image();

  private:
    bool starts(const sbox::interrupt&) const;
    bool read(std::uint64_t physical, void* to, std::size_t size) override;
    bool write(std::uint64_t physical, const void* from, std::size_t size) override;
    std::uint32_t access_register(tlm::tlm_command, std::uint64_t offset, std::uint32_t value);

    const boot::machine machine_;
    const std::uint32_t download_address_;
    const base::cycle_t latency_;
    bool waits_ = false, starting_ = false;
};

}  // namespace knc::card

#endif
