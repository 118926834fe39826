#include "machine.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/mman.h>

#include <knc/isa/decoder.h>

namespace knc::reference {

using core::run_state;

machine::machine(const card::parameters& p, std::uint64_t bytes)
    : ram_bytes(bytes),
      ram(static_cast<std::uint8_t*>(
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
      p_(p),
      translations_(p.core.tlb),
      code_lines_(bytes >> 12) {
    for (unsigned t = 0; t < threads; ++t) {
        threads_[t] = std::make_unique<thread>(*this, t, p);
        threads_[t]->local_apic = std::make_unique<apic::local_apic>(
            p.apic, static_cast<std::uint16_t>(t), t == 0 && p.boot_core == 0, *threads_[t]);
    }
}

machine::~machine() {
    munmap(ram, ram_bytes);
}

void machine::boot(std::size_t n, std::uint32_t eip) {
    thread& t = *threads_[n];
    isa::enter_flat_protected_mode(t.c.s, eip, t.c.signature);
    t.c.flush_translations();
    t.c.update_mode();
    t.state = run_state::running;
    t.block = ~0ull;
}

void machine::clock() {
    closed_ = false;
    begin_clock();
    if (thread* t = next_thread()) issue(*t);
    end_clock();
}

bool machine::wakes(std::size_t n) {
    thread& t = *threads_[n];
    t.local_apic->advance(now_);
    for (; !t.pmis.empty() && t.pmis.front() <= now_; t.pmis.pop_front()) t.local_apic->pmi(now_);
    const bool interrupted =
        (t.c.s.eflags & isa::flag_if) != 0 && t.local_apic->interrupt_pending();
    return (t.local_apic->nmi_pending() && !t.c.nmi_blocked) || interrupted;
}

// The thread waits no longer than it would have without DELAY.
void machine::end_delay(thread& t) {
    if (t.ahead.empty() || !t.ahead.back().delay) return;
    t.ahead.pop_back();
    base::cycle_t busy = 0;
    for (const stretch& s : t.ahead) busy += s.clocks;
    if (t.decoder_busy > busy) t.ahead.push_back({activity::waiting, t.decoder_busy - busy});
}

// What began in an earlier clock goes on.
void machine::begin_clock() {
    for (auto& t : threads_) begin_clock(*t);
    awake_ = std::any_of(threads_.begin(), threads_.end(),
                         [](const auto& t) { return t->state == run_state::running; });
}

void machine::begin_clock(thread& t) {
    if (wakes(t.index)) {
        if (t.state == run_state::halted) t.state = run_state::running;
        end_delay(t);
    }
    t.executing = t.microcode = t.stalled = false;
    t.free = t.takes_part() && t.ahead.empty() && t.decoder_busy == 0 && !t.late;
    // An instruction that changed the privilege level has completed.
    if (t.free) t.at = t.c.s.cpl == 0 ? base::supervisor : base::user;
    if (t.decoder_busy > 0) --t.decoder_busy;
    if (!t.ahead.empty()) {
        stretch& s = t.ahead.front();
        t.executing = s.what != activity::waiting;
        t.microcode = s.what == activity::microcode;
        t.stalled = true;
        if (s.clocks != base::never && --s.clocks == 0) t.ahead.pop_front();
    }
}

// Round robin among the free ones; none while the execution stage is held.
thread* machine::next_thread() {
    for (auto& t : threads_)
        if (t->executing) return nullptr;
    const bool same = string_goes_on_ && threads_[last_]->free;
    for (unsigned n = same ? 0 : 1; n <= threads; ++n) {
        thread& t = *threads_[(last_ + n) % threads];
        if (!t.free) continue;
        string_goes_on_ = false;
        last_ = execution_stage_ = t.index;
        return &t;
    }
    return nullptr;
}

void machine::end_clock() {
    for (auto& t : threads_)
        if (t->late && t->microcode && t->ahead.empty()) complete(*t);
    close_clock();
    ++now_;
    for (const std::size_t t : pmu.pmis()) threads_[t]->pmis.push_back(now_ + p_.core.pmi_cycles);
}

// Counts what is true of the clock. What happens in it afterwards belongs to no clock yet.
void machine::close_clock() {
    if (closed_) return;
    closed_ = true;
    std::array<base::privilege, threads> levels{};
    for (auto& t : threads_) {
        count_durations(*t);
        levels[t->index] = t->at;
    }
    pmu.clock(counts, levels, execution_stage_);
}

void machine::count_durations(thread& t) {
    base::event_row& row = t.counts();
    row[base::exec_stage_cycles] += t.executing;
    row[base::microcode_cycles] += t.microcode;
    row[base::fe_stalled] += t.stalled;
    row[base::cpu_clk_unhalted] += awake_;
}

// The last clock of an instruction that acts when it completes.
void machine::complete(thread& t) {
    const isa::insn i = *t.late;
    t.late.reset();
    t.late_counted = false;
    t.c.count_in(t.counts());
    const std::uint64_t ip = t.c.s.r[isa::rip];
    const bool stepped = (t.c.s.eflags & isa::flag_tf) != 0;
    t.c.s.r[isa::rip] = (ip + i.length) & t.c.ip_mask;
    const isa::status end = i.execute(t.c, i);
    if (end != isa::status::ok) {
        t.c.s.r[isa::rip] = ip;
        t.event = {isa::event_kind::exception, t.c.fault, ip};
        return;
    }
    if (!t.late_counted) ++t.counts()[base::instructions_executed];
    close_clock();
    ++t.retired;
    t.written = i.writes & isa::address_registers;
    ended(t, i, 1, stepped);
}

void machine::remember(const thread& t, const char* what, const code_bytes& bytes) {
    notes_.push_back({now_, t.index, what, t.c.s.r[isa::rip], t.c.s.mode, bytes});
}

std::string machine::history(base::cycle_t clock) const {
    constexpr std::ptrdiff_t before = 16, most = 60;
    const auto first =
        std::find_if(notes_.begin(), notes_.end(), [=](const note& n) { return n.clock >= clock; });
    const auto begin = first - std::min(before, first - notes_.begin());
    const auto end = begin + std::min(most, notes_.end() - begin);
    std::string text;
    for (auto n = begin; n != end; ++n)
        text += fmt::format("  {:6} t{} {:#8x} {:9} {}\n", n->clock, n->thread, n->ip, n->what,
                            n->bytes.size == 0 ? ""
                                               : isa::disassemble(n->mode, n->bytes.all.data(),
                                                                  n->bytes.size, n->ip));
    return text;
}

}  // namespace knc::reference
