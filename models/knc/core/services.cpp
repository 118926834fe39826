// What a thread asks of its core while it executes: devices, MSRs, time, its local APIC.

#include <knc/core/core.h>

#include <algorithm>
#include <cstring>

namespace knc::core {

namespace {

constexpr std::uint32_t msr_apic_base = 0x1b;
constexpr std::uint64_t apic_page_address = 0xfee0'0000;
// RAM does not answer here: local APIC, test device, flash (card memory map).
constexpr std::uint64_t hole_start = 0xfee0'0000, hole_end = 0x1'0000'0000;

}  // namespace

thread::thread(core& c, std::uint8_t index, isa::profile p, const branch_parameters& b)
    : context(*this, p), branches(b), core_(c), index_(index) {
    context.count_in(core_.ledger_.counts[index][base::supervisor]);
}

bool thread::is_ram(std::uint64_t paddr) const {
    return paddr < core_.ram_size_ && (paddr < hole_start || paddr >= hole_end);
}

std::uint8_t* thread::page(std::uint64_t paddr) {
    return is_ram(paddr) ? core_.ram_ + (paddr & ~std::uint64_t{0xfff}) : nullptr;
}

isa::status thread::read_device(std::uint64_t paddr, unsigned size, void* data) {
    return device(address_space::memory, paddr, size, false, data);
}

isa::status thread::write_device(std::uint64_t paddr, unsigned size, const void* data) {
    std::uint8_t copy[8] = {};
    std::memcpy(copy, data, std::min<std::size_t>(size, sizeof copy));
    return device(address_space::memory, paddr, size, true, copy);
}

isa::status thread::read_port(std::uint16_t port, unsigned size, void* data) {
    return device(address_space::ports, port, size, false, data);
}

isa::status thread::write_port(std::uint16_t port, unsigned size, const void* data) {
    std::uint8_t copy[8] = {};
    std::memcpy(copy, data, std::min<std::size_t>(size, sizeof copy));
    return device(address_space::ports, port, size, true, copy);
}

isa::status thread::device(address_space space, std::uint64_t address, unsigned size, bool write,
                           void* data) {
    context.unusual = true;
    if (replayed_ < answered_.size()) {
        const device_request& r = answered_[replayed_++];
        if (!write) std::memcpy(data, r.data.data(), size);
        return isa::status::ok;
    }
    // Uncached accesses come after the writes before them.
    if (fence() != isa::status::ok) return isa::status::blocked;
    device_request r;
    r.space = space;
    r.core = core_.index_;
    r.thread = index_;
    r.write = write;
    r.size = size;
    r.address = address;
    r.issued = core_.time_.now();
    if (write) std::memcpy(r.data.data(), data, size);
    if (space == address_space::memory && local_apic_page(address)) {
        core_.access_apic(*this, r);
        if (!write) std::memcpy(data, r.data.data(), size);
        core_.accounting_.add_stall(index_, core_.parameters_.apic_cycles);
        answered_.push_back(r);
        replayed_ = answered_.size();
        return isa::status::ok;
    }
    ticket_ = ticket_ % most_tickets + 1;
    r.ticket = ticket_;
    outstanding_ = r;
    if (space == address_space::memory && core_.caches_ != nullptr && is_ram(address)) {
        core_.caches_->uncached(index_, r.ticket, write, address, size, r.data.data(),
                                core_.time_.now());
        core_.look_at_caches();
        return isa::status::blocked;
    }
    core_.time_.leave();
    core_.outside_.post(r);
    return isa::status::blocked;
}

bool thread::device_done(std::uint32_t ticket, const std::array<std::uint8_t, 8>& data) {
    if (ticket != ticket_ || !waits_for_device()) return false;
    outstanding_.data = data;
    answered_.push_back(outstanding_);
    outstanding_.ticket = 0;
    return true;
}

bool thread::local_apic_page(std::uint64_t paddr) const {
    return apic->globally_enabled() && paddr >> 12 == apic_page_address >> 12;
}

bool thread::read_msr(std::uint32_t number, std::uint64_t& value) {
    if (number == msr_apic_base) {
        value = apic->base();
        return true;
    }
    return core_.access_msr(*this, number, false, value);
}

bool thread::write_msr(std::uint32_t number, std::uint64_t value) {
    if (number == msr_apic_base) {
        if (!apic->write_base(value, core_.time_.now())) return false;
        if (!apic->globally_enabled()) skid.forget_requests();
        context.flush_translations();
        return true;
    }
    return core_.access_msr(*this, number, true, value);
}

bool thread::rdpmc(std::uint32_t counter, std::uint64_t& value) {
    const bool accepted = core_.pmu_port_->rdpmc(core_.begin_counted(*this), counter, value);
    return core_.end_counted(*this, accepted);
}

std::uint64_t thread::tsc() {
    return core_.pmu_port_->tsc(core_.time_.now());
}

void thread::spflt(bool enable) {
    core_.pmu_port_->spflt(core_.begin_counted(*this), enable);
    core_.end_counted(*this, true);
}

std::uint32_t thread::apic_id() const {
    return apic->id();
}

void thread::code_written(std::uint64_t paddr, unsigned size) {
    core_.code_map_.written(paddr, size);
}

bool thread::holds_code(std::uint64_t paddr) const {
    return core_.code_map_.holds_code(paddr) ||
           (core_.caches_ != nullptr && core_.caches_->holds_code(paddr / coherence::line_bytes));
}

std::uint8_t thread::read_cr8() {
    return apic->cr8();
}

void thread::write_cr8(std::uint8_t priority) {
    apic->set_cr8(priority, core_.time_.now());
}

void thread::refused(const std::string& text) {
    core_.outside_.warn(text);
}

// The event of the late instruction under way comes before its effect, and before what it reads:
// who serves the access counts it, once it is accepted (base::access::retires).
base::access& core::begin_counted(thread& t) {
    accounting_.settle(time_.now());
    t.counted = true;
    extension_.thread = t.index();
    extension_.cpl = t.context.s.cpl;
    extension_.cycle = time_.now();
    extension_.retires = &t.context.events()[base::instructions_executed];
    return extension_;
}

// Returns `accepted`. Where the access was none of the PMU's, nobody has counted the instruction.
bool core::end_counted(thread& t, bool accepted) {
    if (accepted && extension_.retires != nullptr) {
        ++*extension_.retires;
        pmu_->settle(time_.now());
    }
    extension_.retires = nullptr;
    t.counted = accepted;
    return accepted;
}

void core::access_apic(thread& t, device_request& r) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    extension_.thread = t.index();
    extension_.cpl = t.context.s.cpl;
    extension_.cycle = time_.now();
    p.set_command(r.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(r.address & 0xfff);
    p.set_data_ptr(r.data.data());
    p.set_data_length(r.size);
    p.set_streaming_width(r.size);
    p.set_extension(&extension_);
    (*apic_page[t.index()])->b_transport(p, delay);
    p.clear_extension(&extension_);
    if (!r.write && !p.is_response_ok()) r.data.fill(0);
    time_.leave();
    time_.look_at(time_.now() + 1);
}

bool core::access_msr(thread& t, std::uint32_t number, bool write, std::uint64_t& value) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    base::access& by = begin_counted(t);
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(number);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(sizeof value);
    p.set_streaming_width(sizeof value);
    p.set_extension(&by);
    msr->b_transport(p, delay);
    p.clear_extension(&by);
    time_.look_at(time_.now());
    return end_counted(t, p.is_response_ok());
}

}  // namespace knc::core
