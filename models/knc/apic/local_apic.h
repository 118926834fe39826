// The local APIC of one hardware thread: registers, interrupt acceptance and priorities, local
// vector table, IPIs, timer.
//
// Models: an xAPIC as in the Intel SDM, vol. 3, chapter 10, with Knights Corner's widths: 9-bit
// APIC ID at 31:23, 16-bit ICR destination and logical ID at 31:16; on demand with the PC's, 8 bits
// at 31:24 (parameters::id_bits). docs/apic.md lists the decisions where the manual leaves room.
// Leaves out: x2APIC, CMCI, TSC-deadline timer, directed EOI, focus processor, SMM (an SMI is
// counted and has no effect), the bus errors of the ESR.
//
// Time: every call has the cycle in which it happens. The cycle never decreases from call to call.
// A call first processes everything that was due in its cycle or before.
#ifndef KNC_APIC_LOCAL_APIC_H
#define KNC_APIC_LOCAL_APIC_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/apic/attention.h>
#include <knc/apic/inbox.h>
#include <knc/apic/interrupt_message.h>
#include <knc/apic/parameters.h>
#include <knc/apic/registers.h>
#include <knc/apic/timer.h>
#include <knc/apic/vector_set.h>
#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/recorder.h>

namespace knc::apic {

// The connections of an APIC.
struct bus {
    virtual ~bus() = default;
    // Sends a message to other APICs. The sender has already delivered it to itself if it is a
    // destination. An arbitrated message (arbitrated()) is an exception: the sender is one of the
    // candidates.
    virtual void send(const interrupt_message&, base::cycle_t now) = 0;
    // An EOI ended the level-triggered interrupt `vector`.
    virtual void eoi_broadcast(std::uint8_t vector, base::cycle_t now) = 0;
    // INTA for an ExtINT: the vector of the external (8259-compatible) interrupt controller.
    // Returns false if there is none: the APIC then delivers its spurious vector.
    virtual bool external_vector(std::uint8_t& vector, base::cycle_t now);
};

class local_apic {
  public:
    // `id`: 9-bit APIC ID after reset. `bsp`: boot processor, which does not wait for a startup
    // IPI.
    local_apic(const parameters&, std::uint16_t id, bool bsp, bus&);

    // --- register page ---

    // One aligned 32-bit access at byte `offset` of the page. Returns false if there is no register
    // (reserved offset, not a multiple of 16, or the APIC is globally disabled). Then the value is
    // 0, nothing is written and the ESR records an illegal register address. A read-only register
    // ignores writes and returns true.
    bool read(std::uint32_t offset, std::uint32_t& value, base::cycle_t now);
    bool write(std::uint32_t offset, std::uint32_t value, base::cycle_t now);
    // An access that is not an aligned 32-bit one: the ESR records an illegal register address.
    void refuse(base::cycle_t now);
    // The value that read() would return, without side effects. Of the events due before `now`,
    // only the timer's count is considered.
    std::uint32_t peek(std::uint32_t offset, base::cycle_t now) const;

    // IA32_APIC_BASE (MSR 0x1B). write_base() returns false where WRMSR must raise #GP(0): a
    // reserved bit (EXTD too: no x2APIC), or another address than 0xFEE00000, where the page is
    // fixed.
    std::uint64_t base() const;
    bool write_base(std::uint64_t value, base::cycle_t now);
    bool globally_enabled() const { return globally_enabled_; }

    // CR8: bits 7:4 of the TPR.
    std::uint8_t cr8() const { return static_cast<std::uint8_t>(at(reg::tpr) >> 4); }
    void set_cr8(std::uint8_t value, base::cycle_t now);

    // --- interrupt sources ---

    bool pmi(
        base::cycle_t now);  // rising edge of the PMU's line; whether the LVT entry delivered it
    void thermal(base::cycle_t now);                         // a signal of the thermal sensor
    void lint(unsigned pin, bool level, base::cycle_t now);  // the level of pin LINT0 or LINT1

    std::uint16_t id() const {
        return static_cast<std::uint16_t>(at(reg::id) >> (32 - parameters_.id_bits));
    }
    // Whether a message of the interrupt fabric is for this APIC, by shorthand and destination.
    // `own`: this APIC sent it; then false if the APIC has already delivered the message to itself.
    // The fabric must supply `own`, because software may give the sender's ID to several APICs.
    bool accepts(const interrupt_message&, bool own) const;
    // A message for this APIC takes effect in cycle `now`.
    void receive(const interrupt_message&, base::cycle_t now);
    // Queues a message for this APIC. It takes effect in cycle `when`: at the first call for that
    // cycle or a later one.
    void post(const interrupt_message&, base::cycle_t when);

    // Processes everything that is due at or before `now`.
    void advance(base::cycle_t now) {
        if (now >= attention_->next_event) catch_up(now);
    }
    // See attention.
    base::cycle_t next_event() const { return attention_->next_event; }

    // --- towards the thread ---

    // The thread has at least one of the events below to accept; see attention.
    bool pending() const { return attention_->pending; }
    // From now on, both are kept at `where`, which outlives this.
    void keep_attention_in(attention& where) {
        where = *attention_;
        attention_ = &where;
    }
    // A fixed interrupt of higher priority than the PPR, or an ExtINT.
    bool interrupt_pending() const { return interrupt_; }
    bool nmi_pending() const { return nmi_; }
    bool init_pending() const { return init_; }
    bool startup_pending() const { return startup_; }
    // INTA: returns the vector to deliver; the spurious vector if no interrupt is pending.
    std::uint8_t acknowledge(base::cycle_t now);
    bool take_nmi();
    bool take_init();
    bool take_startup(std::uint8_t& vector);
    // The thread waits for a startup IPI: after reset and INIT, unless it is the boot processor.
    bool waiting_for_startup() const { return waiting_; }

    // INIT: registers as after reset, except the ID and IA32_APIC_BASE. The thread calls it when it
    // accepts the INIT. Events received after the INIT (startup IPI, NMI) remain pending.
    void init_reset();
    // Reset: the whole APIC, including messages in flight. The statistics below are kept.
    void reset();

    void serialize(base::archive&);

    // From now on, `r` learns of messages and of the timer, as those of thread `n`.
    void attach(base::thread_number n, base::recorder_if& r) {
        thread_ = n;
        recorder_ = &r;
    }

    // --- for arbitration, report and trace ---

    bool software_enabled() const { return (at(reg::svr) & svr::enabled) != 0; }
    std::uint8_t processor_priority() const;
    std::uint8_t arbitration_priority() const;
    const vector_set& irr() const { return irr_; }
    const vector_set& isr() const { return isr_; }
    std::uint64_t pmi_count() const { return pmis_; }  // PMIs delivered
    std::uint64_t pmi_lost_count() const {
        return lost_pmis_;
    }  // edges that found the entry masked or unusable
    std::uint64_t eoi_count() const { return eois_; }  // writes of the EOI register
    std::uint64_t smi_count() const { return smis_; }  // SMIs received, without effect

  private:
    std::uint32_t& at(std::uint32_t offset) { return file_[offset / register_spacing]; }
    const std::uint32_t& at(std::uint32_t offset) const { return file_[offset / register_spacing]; }
    void reset_registers();
    friend struct register_behaviour;
    register_row::place place_of(std::uint32_t offset, base::cycle_t now) const;
    std::uint32_t value_of(const register_row::place&) const;
    void keep(const register_row::place&, std::uint32_t value);
    void write_lvt_masks();
    void end_of_interrupt(base::cycle_t now);
    void send(base::cycle_t now);

    bool narrow() const { return parameters_.id_bits == 8; }
    std::uint16_t destination() const;
    bool addressed_by(const interrupt_message&) const;
    void take(const interrupt_message&, base::cycle_t now);
    void apply(const interrupt_message&);
    bool accept(std::uint8_t vector, bool level);
    bool deliver_local(std::uint32_t lvt_offset);
    void raise_error(std::uint32_t esr_bit);
    bool pin_active(unsigned pin) const;
    bool pin_extint(unsigned pin) const;
    void pin_edge(unsigned pin);
    void sample_level_pin();
    bool timer_unmasked() const { return (at(reg::lvt_timer) & lvt::masked) == 0; }
    void catch_up(base::cycle_t now);
    void settle();

    const parameters parameters_;
    const std::uint16_t reset_id_;
    const bool bsp_;
    bus& bus_;
    base::thread_number thread_;
    base::recorder_if* recorder_ = nullptr;

    std::array<std::uint32_t, 64>
        file_{};  // registers at 0x000-0x3F0 without a member of their own
    vector_set irr_, isr_, tmr_;
    std::uint32_t errors_ = 0;  // recorded since the last write of the ESR
    timer timer_;
    inbox inbox_;
    std::array<bool, 2> pins_{};
    std::uint8_t level_vector_ = 0;  // the vector for which LINT0's remote IRR is set
    bool globally_enabled_ = true;

    bool extint_ = false;  // an ExtINT message
    bool nmi_ = false;
    bool init_ = false;
    bool startup_ = false;
    bool waiting_ = false;
    std::uint8_t startup_vector_ = 0;

    // Derived by settle(), read before every instruction.
    bool interrupt_ = false;
    attention own_attention_;
    attention* attention_ = &own_attention_;

    std::uint64_t pmis_ = 0, lost_pmis_ = 0, eois_ = 0, smis_ = 0;
};

// Whether several APICs compete for `m`: lowest-priority delivery with more than one possible
// target.
bool arbitrated(const interrupt_message& m);

// Arbitration among the APICs that match a lowest-priority message: the lowest arbitration priority
// wins, then the lowest APIC ID. Software-disabled APICs do not take part; nullptr if no APIC does.
local_apic* lowest_priority_target(const std::vector<local_apic*>& candidates);

}  // namespace knc::apic

#endif
