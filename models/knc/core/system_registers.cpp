#include <knc/core/system_registers.h>

namespace knc::core {

system_registers::system_registers(std::uint16_t core, timeline& time, cycle_accounting& accounting,
                                   pmi_path& pmi, socket& msr)
    : time_(time), accounting_(accounting), pmi_(pmi), msr_(msr) {
    extension_.core = core;
}

bool system_registers::write_apic_base(thread& t, std::uint64_t value) {
    if (!t.apic->write_base(value, time_.now())) return false;
    if (!t.apic->globally_enabled()) pmi_.forget_requests(t);
    t.context.flush_translations();
    return true;
}

bool system_registers::read_msr(thread& t, std::uint32_t number, std::uint64_t& value) {
    return access(t, number, false, value);
}

bool system_registers::write_msr(thread& t, std::uint32_t number, std::uint64_t value) {
    return access(t, number, true, value);
}

bool system_registers::rdpmc(thread& t, std::uint32_t counter, std::uint64_t& value) {
    return end(t, pmu_->rdpmc(begin(t), counter, value));
}

void system_registers::spflt(thread& t, bool enable) {
    pmu_->spflt(begin(t), enable);
    end(t, true);
}

// The event of the completing instruction is counted before its effect and before the registers it
// reads. The target counts it when it accepts the access (base::access::retires).
base::access& system_registers::begin(thread& t) {
    accounting_.settle(time_.now());
    extension_.thread = static_cast<std::uint8_t>(t.index());
    extension_.cycle = time_.now();
    if (outside_) {
        extension_.cpl = 0;
        extension_.retires = nullptr;
        return extension_;
    }
    t.completing.counted = true;
    extension_.cpl = t.context.s.cpl;
    extension_.retires = &t.context.events()[base::instructions_executed];
    return extension_;
}

// Returns `accepted`. Counts the instruction here if the target was not the PMU.
bool system_registers::end(thread& t, bool accepted) {
    if (outside_) return accepted;
    if (leaves_) time_.leave();
    if (accepted && extension_.retires != nullptr) {
        ++*extension_.retires;
        pmu_->counters().settle(time_.now());
    }
    extension_.retires = nullptr;
    t.completing.counted = accepted;
    return accepted;
}

bool system_registers::access(thread& t, std::uint32_t number, bool write, std::uint64_t& value) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    base::access& by = begin(t);
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(number);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(sizeof value);
    p.set_streaming_width(sizeof value);
    p.set_extension(&by);
    msr_->b_transport(p, delay);
    p.clear_extension(&by);
    time_.look_at(time_.now());
    return end(t, p.is_response_ok());
}

}  // namespace knc::core
