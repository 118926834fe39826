// The registers of SBOX and DBOX, and the devices behind them.
//
// Models: the table of register_table.cpp with the elapsed time counter, the system memory page
// table, the I/O APIC, the interrupt commands and the host's interrupt. Reads have no side effect.
// Leaves out: DMA channels, MSI-X, sensors, power management, machine checks, uncore counters. So
// of the I/O APIC's pins, the registers raise only those of RDMASR0-7 (17-24); set_pin() is for
// devices beside the SBOX. Source: register_table.h.
//
// Time: every call has the cycle in which it happens. The cycle never decreases from call to call.
#ifndef KNC_SBOX_REGISTERS_H
#define KNC_SBOX_REGISTERS_H

#include <cstdint>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/sbox/elapsed_time.h>
#include <knc/sbox/host_interrupts.h>
#include <knc/sbox/identity.h>
#include <knc/sbox/io_apic.h>
#include <knc/sbox/page_table.h>
#include <knc/sbox/register_table.h>

namespace knc::sbox {

class registers {
  public:
    // The effects of the registers outside the SBOX.
    class outputs {
      public:
        // An interrupt leaves for the local APICs in cycle `now`.
        virtual void send(const interrupt&, base::cycle_t now) = 0;
        // Software requests the card's reset.
        virtual void request_reset() = 0;

      protected:
        ~outputs() = default;
    };

    registers(const identity&, outputs&);

    // `offset` in the block, a multiple of 4. Returns false and changes nothing if there is no
    // register. Read-only registers and reserved bits ignore writes.
    bool read(std::uint32_t offset, std::uint32_t& value, base::cycle_t now) const;
    bool write(std::uint32_t offset, std::uint32_t value, base::cycle_t now);

    // A local APIC has ended the level-triggered interrupt `vector`.
    void end_of_interrupt(std::uint8_t vector, base::cycle_t now);

    // The level of a pin of the I/O APIC changes.
    void set_pin(unsigned pin, bool level, base::cycle_t now);

    // Resets every register to its value after power-on.
    void reset(base::cycle_t now);

    void serialize(base::archive&);

    // The level of the interrupt line to the host.
    bool host_interrupt() const { return host_.line(); }
    // For a waveform: the causes of the host's interrupt, their enables; the elapsed time counter;
    // bit n: the line of pin n of the I/O APIC, an entry whose level-triggered interrupt has no EOI
    // yet, an entry that is masked.
    struct state {
        std::uint32_t causes, enables;
        std::uint64_t elapsed;
        std::uint32_t lines, in_service, masked;
    };
    state shown(base::cycle_t now) const;
    // The host address of the card's access `offset` bytes above the start of its windows.
    std::uint64_t host_address(std::uint64_t offset) const { return smpt_.host_address(offset); }

  private:
    friend struct register_behaviour;
    std::uint32_t& stored(const register_row::place& p) { return stored_[p.address() / 4]; }
    void keep(const register_row::place&, std::uint32_t value);

    const identity identity_;
    outputs& outputs_;
    std::vector<std::uint32_t> stored_ = std::vector<std::uint32_t>(block_size / 4);
    elapsed_time etc_;
    page_table smpt_;
    host_interrupts host_;
    io_apic io_apic_;
    base::cycle_t now_ = 0;  // of the present call
};

}  // namespace knc::sbox

#endif
