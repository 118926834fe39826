// Exceptions, interrupts, HLT, and what a thread asks of the machine around it.

#include <algorithm>
#include <cstring>
#include <utility>

#include <knc/isa/paging.h>

#include "attempt.h"
#include "machine.h"

namespace knc::reference {
namespace {

using core::run_state;

constexpr std::uint64_t hole_start = 0xfee0'0000, hole_end = 0x1'0000'0000, apic_page = 0xfee0'0000,
                        page_mask = 0xfff;
constexpr std::uint32_t msr_apic_base = 0x1b;

}  // namespace

bool machine::take_interrupt(thread& t, bool shadow) {
    if (shadow) return false;
    isa::context& c = t.c;
    pending_event e;
    e.next_ip = c.s.r[isa::rip];
    if (!c.nmi_blocked && t.local_apic->take_nmi()) {
        c.nmi_blocked = true;
        e.kind = isa::event_kind::nmi;
        e.what.vector = isa::vector_nmi;
    } else if ((c.s.eflags & isa::flag_if) != 0 && t.local_apic->interrupt_pending()) {
        e.kind = isa::event_kind::external_interrupt;
        e.what.vector = t.local_apic->acknowledge(now_);
    } else {
        return false;
    }
    enter(t, e);
    return true;
}

// This clock is the first of event entry.
void machine::enter(thread& t, const pending_event& e) {
    isa::context& c = t.c;
    t.event.reset();
    t.in_string = false;
    t.forget_translation();
    // Whatever the entry does is done at CPL 0; the handler's level counts from its first issue on.
    t.at = base::supervisor;
    c.count_in(t.counts());
    remember(t, "event");
    attempt a(t.counts());
    const isa::delivery d = isa::deliver(c, e.kind, e.what, e.next_ip);
    if (d == isa::delivery::shutdown) {
        shut_down(t);
        return;
    }
    if (d == isa::delivery::blocked) {
        a.waits();
        t.stalled = true;
        t.ahead.push_back({activity::waiting, base::never});
        return;
    }
    ++t.counts()[base::pipeline_flushes];
    t.executing = t.microcode = true;
    t.decoder_busy = p_.core.issue_interval - 1;
    t.written = 0;
    t.block = ~0ull;
    t.walked.clear();
    if (p_.core.event_entry_cycles > 1)
        t.ahead.push_back({activity::microcode, p_.core.event_entry_cycles - 1});
    if (const base::cycle_t waits = all_waits(t)) t.ahead.push_back({activity::waiting, waits});
    // A trap of the task that was entered, before its first instruction.
    if (c.debug_conditions != 0)
        t.event = {isa::event_kind::exception,
                   isa::debug_trap(std::exchange(c.debug_conditions, 0)), c.s.r[isa::rip]};
}

// A step is done: the trap is the thread's next issue.
void machine::trap(thread& t) {
    constexpr std::uint32_t single_step = isa::dr6_bs;
    t.event = {isa::event_kind::exception, isa::debug_trap(single_step), t.c.s.r[isa::rip]};
}

void machine::halt(thread& t) {
    t.state = run_state::halted;
    t.ahead.clear();
}

void machine::shut_down(thread& t) {
    t.state = run_state::shutdown;
    t.ahead.clear();
}

// For walks, the local APIC and memory that may not be cached.
base::cycle_t machine::all_waits(thread& t) {
    const base::cycle_t uncached =
        base::cycle_t{p_.core.uncached_cycles} * std::exchange(t.c.uncached, 0);
    return std::exchange(t.waits, 0) + uncached;
}

void thread::send(const apic::interrupt_message& m, base::cycle_t now) {
    std::vector<apic::local_apic*> to;
    for (auto& t : owner.threads_)
        if (t->local_apic->accepts(m, t.get() == this)) to.push_back(t->local_apic.get());
    if (apic::arbitrated(m)) {
        apic::local_apic* winner = apic::lowest_priority_target(to);
        to.clear();
        if (winner != nullptr) to.push_back(winner);
    }
    for (apic::local_apic* u : to) u->post(m, now + owner.p_.ipi_cycles);
}

thread::thread(machine& m, unsigned n, const card::parameters& p)
    : index(n), owner(m), c(*this, p.profile), branches(p.core.branch) {
    c.signature = isa::signature(p.stepping);
    isa::reset(c.s, c.signature);
    c.flush_translations();
    c.update_mode();
    c.count_in(counts());
}

base::event_row& thread::counts() {
    return owner.counts[index][at];
}

std::uint8_t* thread::page(std::uint64_t paddr) {
    const bool in_hole = paddr >= hole_start && paddr < hole_end;
    return paddr < owner.ram_bytes && !in_hole ? owner.ram + (paddr & ~page_mask) : nullptr;
}

isa::status thread::device(std::uint64_t paddr, unsigned size, bool write, std::uint32_t& value) {
    if (!local_apic->globally_enabled() || (paddr & ~page_mask) != apic_page)
        return isa::status::blocked;
    const auto offset = static_cast<std::uint32_t>(paddr & page_mask);
    reached_apic = true;
    waits += owner.p_.core.apic_cycles;
    if (size != sizeof value || offset % 16 != 0)
        local_apic->refuse(owner.now_);
    else if (write)
        local_apic->write(offset, value, owner.now_);
    else
        local_apic->read(offset, value, owner.now_);
    return isa::status::ok;
}

isa::status thread::read_device(std::uint64_t paddr, unsigned size, void* data) {
    std::uint32_t value = 0;
    const isa::status s = device(paddr, size, false, value);
    std::memset(data, 0, size);
    std::memcpy(data, &value, std::min<std::size_t>(size, sizeof value));
    return s;
}

isa::status thread::write_device(std::uint64_t paddr, unsigned size, const void* data) {
    std::uint32_t value = 0;
    std::memcpy(&value, data, std::min<std::size_t>(size, sizeof value));
    return device(paddr, size, true, value);
}

// What acts on the PMU acts when its own clock, and its own event, are counted.
bool thread::read_msr(std::uint32_t number, std::uint64_t& value) {
    if (number == msr_apic_base) {
        value = local_apic->base();
        return true;
    }
    if (!counters::readable(number)) return false;
    count_own();
    value = owner.pmu.read(index, number);
    return true;
}

bool thread::write_msr(std::uint32_t number, std::uint64_t value) {
    if (number == msr_apic_base) {
        if (!local_apic->write_base(value, owner.now_ + 1)) return false;
        c.flush_translations();
        return true;
    }
    if (!counters::writable(number, value)) return false;
    count_own();
    owner.pmu.write(index, number, value);
    return true;
}

bool thread::rdpmc(std::uint32_t number, std::uint64_t& value) {
    if (number > 1) return false;
    count_own();
    value = owner.pmu.rdpmc(index, number);
    return true;
}

void thread::spflt(bool enable) {
    count_own();
    owner.pmu.spflt(index, enable);
}

void thread::count_own() {
    ++counts()[base::instructions_executed];
    late_counted = true;
    owner.close_clock();
}

// The clock that ends with the instruction has passed.
std::uint64_t thread::tsc() {
    return owner.pmu.tsc + (owner.closed_ ? 0 : 1);
}

bool thread::holds_code(std::uint64_t paddr) const {
    return paddr >> 12 < owner.code_lines_.size() && owner.code_lines_[paddr >> 12] != 0;
}

// A store to a line of code: all of its page is looked at anew, and every prefetch buffer is
// emptied.
void thread::code_written(std::uint64_t paddr, unsigned size) {
    std::uint64_t& lines = owner.code_lines_[paddr >> 12];
    bool hit = false;
    for (std::uint64_t line = paddr / 64; line <= (paddr + size - 1) / 64; ++line)
        hit = hit || (lines >> line % 64 & 1) != 0;
    if (!hit) return;
    lines = 0;
    code_voided = true;
    for (auto& t : owner.threads_) {
        t->block = ~0ull;
        t->walked.clear();
    }
}

const isa::held_translation* thread::held_page(std::uint64_t la, isa::access_kind kind) {
    translation_buffers& b = owner.translations_;
    if (kind == isa::access_kind::execute) return b.held_code(index, la);
    forget_translation();
    translated = la;
    return b.held_data(index, la);
}

// Data: the thread waits behind the issue; code: before it, and not twice for one page.
void thread::looked_up(std::uint64_t la, isa::access_kind kind, const isa::page_walk& w,
                       bool allowed) {
    const bool code = kind == isa::access_kind::execute;
    translation_buffers& b = owner.translations_;
    walk found;
    if (code) {
        found = allowed ? b.code(index, la, w.page) : b.refused_code(index, la);
        if (walked.count(la >> 12) != 0) return;
        if (found.needed) walked.insert(la >> 12);
        code_walk += found.clocks;
    } else {
        found = allowed ? b.data(index, la, w.page) : b.refused_data(index, la);
        waits += found.clocks;
    }
    counts()[code ? base::code_page_walk : base::data_page_walk] += found.needed;
    counts()[code ? base::long_code_page_walk : base::long_data_page_walk] += found.long_walk;
}

void thread::forget_translation() {
    constexpr std::uint64_t page_bytes = 4096;
    c.unchecked_reads = c.unchecked_writes = 0;
    c.flush_translation(translated, page_bytes);
}

void thread::translations_void(bool keep_global) {
    owner.translations_.forget(index, keep_global);
}

void thread::translation_void(std::uint64_t la) {
    owner.translations_.forget_page(index, la);
}

void thread::write_cr8(std::uint8_t priority) {
    local_apic->set_cr8(priority, owner.now_);
}

}  // namespace knc::reference
