// Registers that an instruction accesses outside its thread's context: MSRs, counters, the
// time-stamp counter, the local APIC's base and task priority.
//
// Models: one transport per access, and its order with the instruction's own event: the event is
// counted before the access reads or changes a register, and only if the access is not rejected.
// Leaves out: MSRs of the context itself (knc/isa). Source: PMU guide 327357-001; docs/pmu.md.
#ifndef KNC_CORE_SYSTEM_REGISTERS_H
#define KNC_CORE_SYSTEM_REGISTERS_H

#include <cstdint>

#include <tlm>

#include <knc/base/access.h>
#include <knc/core/cycle_accounting.h>
#include <knc/core/pmi_path.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>
#include <knc/pmu/core_if.h>

namespace knc::core {

class system_registers {
  public:
    using socket = tlm::tlm_initiator_socket<>;

    // `msr`: address = MSR number, 8 bytes.
    system_registers(std::uint16_t core, timeline&, cycle_accounting&, pmi_path&, socket& msr);
    void connect(pmu::core_if& p) { pmu_ = &p; }
    // The core's run ends after each cycle with an access.
    void leave_at_access(bool on) { leaves_ = on; }

    // While it exists, accesses come from outside, without an instruction that is to be counted.
    // The counters are settled.
    class from_outside {
      public:
        explicit from_outside(system_registers& r) : registers_(r) { r.outside_ = true; }
        ~from_outside() { registers_.outside_ = false; }
        from_outside(const from_outside&) = delete;
        from_outside& operator=(const from_outside&) = delete;

      private:
        system_registers& registers_;
    };

    static std::uint64_t apic_base(const thread& t) { return t.apic->base(); }
    // Returns false for #GP(0), like the functions below.
    bool write_apic_base(thread&, std::uint64_t value);
    // MSRs behind the socket.
    bool read_msr(thread&, std::uint32_t number, std::uint64_t& value);
    bool write_msr(thread&, std::uint32_t number, std::uint64_t value);
    bool rdpmc(thread&, std::uint32_t counter, std::uint64_t& value);
    std::uint64_t tsc() const { return pmu_->tsc(time_.now()); }
    void spflt(thread&, bool enable);
    void write_cr8(thread& t, std::uint8_t priority) { t.apic->set_cr8(priority, time_.now()); }

  private:
    base::access& begin(thread&);
    bool end(thread&, bool accepted);
    bool access(thread&, std::uint32_t number, bool write, std::uint64_t& value);

    timeline& time_;
    cycle_accounting& accounting_;
    pmi_path& pmi_;
    socket& msr_;
    pmu::core_if* pmu_ = nullptr;
    base::access extension_;
    bool outside_ = false;
    bool leaves_ = false;
};

}  // namespace knc::core

#endif
