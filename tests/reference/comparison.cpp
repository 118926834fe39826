#include "comparison.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <knc/pmu/event_table.h>

#include "layout.h"

namespace knc::reference {
namespace {

constexpr const char* registers[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
                                     "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "",    "rip"};
constexpr const char* segments[] = {"es", "cs", "ss", "ds", "fs", "gs"};
constexpr const char* states[] = {"running", "halted", "waiting for SIPI", "shutdown"};

class report {
  public:
    // `text` with `names` says what the two values are of.
    template <class T, class U, class... Names>
    void expect(T model, U reference, fmt::format_string<Names...> text, Names... names) {
        if (static_cast<std::uint64_t>(model) == static_cast<std::uint64_t>(reference)) return;
        all += fmt::format("  {}: model {:#x}, reference {:#x}\n", fmt::format(text, names...),
                           model, reference);
    }
    std::string all;
};

void compare_state(report& r, unsigned t, const isa::state& m, const isa::state& x) {
    for (unsigned n = 0; n < isa::gpr_count; ++n)
        r.expect(m.r[n], x.r[n], "thread {} {}", t, registers[n]);
    r.expect(m.rflags(), x.rflags(), "thread {} rflags", t);
    r.expect(m.cpl, x.cpl, "thread {} cpl", t);
    for (unsigned n = 0; n < isa::segment_count; ++n) {
        const isa::segment &a = m.seg[n], &b = x.seg[n];
        r.expect(a.selector, b.selector, "thread {} {}", t, segments[n]);
        r.expect(a.base, b.base, "thread {} {} base", t, segments[n]);
        r.expect(a.attributes, b.attributes, "thread {} {} attributes", t, segments[n]);
    }
    r.expect(m.cr0, x.cr0, "thread {} cr0", t);
    r.expect(m.cr2, x.cr2, "thread {} cr2", t);
    r.expect(m.cr3, x.cr3, "thread {} cr3", t);
    r.expect(m.cr4, x.cr4, "thread {} cr4", t);
    r.expect(m.dr[6], x.dr[6], "thread {} dr6", t);
    r.expect(m.efer, x.efer, "thread {} efer", t);
    for (unsigned n = 0; n < m.x87.physical.size(); ++n) {
        const isa::x87_register &a = m.x87.physical[n], &b = x.x87.physical[n];
        r.expect(a.significand, b.significand, "thread {} x87 {}", t, n);
        r.expect(a.sign_exponent, b.sign_exponent, "thread {} x87 {} exponent", t, n);
    }
    r.expect(m.x87.status, x.x87.status, "thread {} x87 status", t);
    r.expect(m.x87.used, x.x87.used, "thread {} x87 tags", t);
    for (unsigned n = 0; n < isa::vector_state::registers; ++n)
        for (unsigned part = 0; part < 8; ++part)
            r.expect(m.vector.zmm[n].get<std::uint64_t>(part),
                     x.vector.zmm[n].get<std::uint64_t>(part), "thread {} zmm{} part {}", t, n,
                     part);
    for (unsigned n = 0; n < isa::vector_state::masks; ++n)
        r.expect(m.vector.k[n], x.vector.k[n], "thread {} k{}", t, n);
    r.expect(m.mxcsr, x.mxcsr, "thread {} mxcsr", t);
}

void compare_counts(report& r, const event_counts& m, const event_counts& x) {
    if (m == x) return;
    for (unsigned t = 0; t < m.size(); ++t)
        for (unsigned p = 0; p < 2; ++p)
            for (unsigned e = 0; e < base::event_count; ++e)
                r.expect(m[t][p][e], x[t][p][e], "thread {} {} {}", t,
                         p == base::user ? "user" : "supervisor",
                         pmu::info(static_cast<base::event>(e)).name);
}

void compare_pmu(report& r, unsigned t, const pmu::thread_state& m, const counters::bank& x) {
    for (unsigned n = 0; n < 2; ++n) {
        r.expect(m.counter[n], x.value[n], "thread {} counter {} of {:#x}", t, n, x.select[n]);
        r.expect(m.evtsel[n], x.select[n], "thread {} event select {}", t, n);
        r.expect(m.overflows[n], x.overflows[n], "thread {} overflows {}", t, n);
    }
    r.expect(m.status, x.status, "thread {} PMU status", t);
    r.expect(m.global_ctrl, x.global, "thread {} PMU control", t);
    r.expect(m.spflt, x.spflt, "thread {} SPFLT", t);
    r.expect(m.pmi_line, x.line, "thread {} PMI line", t);
}

// The model may have seen already what the reference sees when the next clock begins.
void compare_interrupts(report& r, unsigned t, core::run_state model_state,
                        const apic::local_apic& a, machine& x) {
    const core::run_state state = x.at(t).state;
    const apic::local_apic& b = *x.at(t).local_apic;
    const std::uint64_t pmis = b.pmi_count();
    const bool wakes = x.wakes(t);
    const bool woken =
        model_state == core::run_state::running && state == core::run_state::halted && wakes;
    if (model_state != state && !woken)
        r.all += fmt::format("  thread {}: model {}, reference {}\n", t,
                             states[static_cast<unsigned>(model_state)],
                             states[static_cast<unsigned>(state)]);
    if (a.pmi_count() != pmis) r.expect(a.pmi_count(), b.pmi_count(), "thread {} PMIs", t);
    r.expect(a.eoi_count(), b.eoi_count(), "thread {} EOIs", t);
}

std::string compare_all(model& m, machine& x) {
    report r;
    const core::core& cpu = m.unit.cpu();
    r.expect(cpu.now(), x.now(), "clock");
    for (unsigned t = 0; t < machine::threads; ++t) {
        compare_interrupts(r, t, cpu.running(t), m.unit.apic(t), x);
        r.expect(cpu.instructions(t), x.at(t).retired, "thread {} instructions", t);
        compare_state(r, t, cpu.state(t), x.at(t).c.s);
        compare_pmu(r, t, m.unit.pmu().state(t), x.pmu.state(t));
    }
    compare_counts(r, cpu.counts().counts, x.counts);
    return r.all;
}

std::string compare_memory(model& m, const std::uint8_t* reference) {
    constexpr std::pair<std::uint32_t, std::uint32_t> areas[] = {
        {0, layout::compared_bytes},
        {layout::large_page, layout::large_compared},
        {layout::page_tables, layout::page_tables_bytes}};
    for (const auto& [at, size] : areas) {
        const std::uint8_t *a = m.memory.data() + at, *b = reference + at;
        if (std::memcmp(a, b, size) == 0) continue;
        const auto n = static_cast<std::uint32_t>(std::mismatch(a, a + size, b).first - a);
        return fmt::format("  memory at {:#x}: model {:#x}, reference {:#x}\n", at + n, a[n], b[n]);
    }
    return {};
}

void prepare(const program& p, model& m, machine& x) {
    for (const auto& [at, bytes] : p.memory) {
        std::memcpy(m.memory.data() + at, bytes.data(), bytes.size());
        std::memcpy(x.ram + at, bytes.data(), bytes.size());
    }
    for (const program::write& w : p.local_apic) {
        const auto value = static_cast<std::uint32_t>(w.value);
        m.unit.apic(w.thread).write(w.address, value, 0);
        x.at(w.thread).local_apic->write(w.address, value, 0);
    }
    for (const program::write& w : p.pmu) {
        m.unit.pmu().write(w.thread, w.address, w.value);
        x.pmu.write(w.thread, w.address, w.value);
    }
    m.unit.cpu().notify();
}

void take_startup(apic::local_apic& a, base::cycle_t now) {
    if (!a.waiting_for_startup()) return;
    apic::interrupt_message m;
    m.mode = apic::delivery_mode::startup;
    a.receive(m, now);
    std::uint8_t vector = 0;
    a.take_startup(vector);
}

}  // namespace

model::model(const char* name, const card::parameters& p)
    : rig(name, p), fabric_((std::string(name) + "_fabric").c_str(), p.ipi_cycles, 0, 0) {
    fabric_.io_apic.bind(io_apic_);
    fabric_.scheduler.bind(io_apic_);
    for (std::size_t t = 0; t < card::tile::threads; ++t) fabric_.attach(unit.apic_module(t));
}

outcome compare(const program& p, model& m, const std::function<base::cycle_t()>& window) {
    machine x(p.setting, layout::ram_bytes);
    prepare(p, m, x);
    core::core& cpu = m.unit.cpu();
    auto next = p.starts.begin();
    outcome result;
    while (result.difference.empty()) {
        for (; next != p.starts.end() && next->at <= cpu.now(); ++next) {
            take_startup(m.unit.apic(next->thread), cpu.now());
            take_startup(*x.at(next->thread).local_apic, cpu.now());
            cpu.boot(next->thread, next->ip, 0, 0);
            x.boot(next->thread, next->ip);
        }
        if (cpu.now() >= p.clocks) break;
        base::cycle_t until = std::min(p.clocks, cpu.now() + window());
        if (next != p.starts.end()) until = std::min(until, next->at);
        const base::cycle_t from = cpu.now();
        while (cpu.now() < until) cpu.run(until);
        cpu.settle();
        while (x.now() < until) x.clock();
        result.difference = compare_all(m, x);
        if (result.difference.empty()) continue;
        result.difference = fmt::format("clocks {} to {}\n{}{}", from, until - 1, result.difference,
                                        x.history(from));
    }
    if (result.difference.empty()) result.difference = compare_memory(m, x.ram);
    for (unsigned t = 0; t < machine::threads; ++t) {
        result.instructions += x.at(t).retired;
        for (unsigned e = 0; e < base::event_count; ++e)
            result.events[e] += x.counts[t][0][e] + x.counts[t][1][e];
    }
    return result;
}

// The timed thread is looked at when an instruction has just ended, so nothing has been done of the
// next one.
std::string compare_without_time(const program& p, model& timed, model& functional,
                                 std::uint64_t& instructions) {
    const program::start& first = p.starts.front();
    for (model* const m : {&timed, &functional}) {
        for (const auto& [at, bytes] : p.memory)
            std::memcpy(m->memory.data() + at, bytes.data(), bytes.size());
        take_startup(m->unit.apic(first.thread), 0);
        m->unit.cpu().boot(first.thread, first.ip, 0, 0);
    }
    core::core& in_time = timed.unit.cpu();
    std::uint64_t before = 0;
    while (in_time.now() < p.clocks || in_time.instructions() == before) {
        before = in_time.instructions();
        const base::cycle_t next = in_time.now() + 1;
        while (in_time.now() < next) in_time.run(next);
        if (in_time.now() > 2 * p.clocks) return {};  // the thread has stopped
    }
    instructions = in_time.instructions();
    functional.goal.instructions = instructions;
    functional.fast_forward();
    core::core& fast = functional.unit.cpu();
    while (!functional.goal.reached && fast.now() < 100 * p.clocks) fast.run(100 * p.clocks);
    constexpr std::uint8_t accessed_and_dirty = 0x60;
    // Which of its 16 entries tell of accesses to a page of 64 KB depends on what a TLB still
    // holds.
    for (model* const m : {&timed, &functional})
        for (std::uint32_t n = 0; n < layout::page_bytes; n += 8)
            m->memory.data()[layout::medium_table + n] |= accessed_and_dirty;
    report r;
    r.expect(fast.instructions(), instructions, "instructions");
    compare_state(r, first.thread, fast.state(first.thread), in_time.state(first.thread));
    return r.all + compare_memory(functional, timed.memory.data());
}

std::string describe(const program& p) {
    const core::parameters& c = p.setting.core;
    std::string text = fmt::format(
        "{}: {}-bit code{}{}{}{}{}, {} clocks\n", name_of(p.about), p.world.wide ? 64 : 32,
        p.world.user ? " at ring 3" : "", p.world.limited ? ", data segments limited" : "",
        p.world.code_base != 0 ? fmt::format(", code at base {:#x}", p.world.code_base) : "",
        p.world.interrupts ? ", interrupts" : "",
        p.setting.profile == isa::profile::compat ? ", profile compat" : "", p.clocks);
    text += fmt::format(
        "issue interval {}, AGI {}, banks {} of {}: {}, event entry {}, fetch {}, DELAY {}, APIC "
        "{}, uncached {}, RDTSC {}, RDPMC {}, SPFLT {}, BTB {} by {} from bit {}: {}, {}, {}, "
        "messages {}\n",
        c.issue_interval, c.agi_cycles, c.banks, c.bank_bytes, c.bank_conflict_cycles,
        c.event_entry_cycles, c.fetch_bytes, c.delay_limit, c.apic_cycles, c.uncached_cycles,
        c.rdtsc_cycles, c.rdpmc_cycles, c.spflt_cycles, c.branch.entries, c.branch.ways,
        c.branch.set_shift, c.branch.unconditional_cycles, c.branch.conditional_cycles_u,
        c.branch.conditional_cycles_v, p.setting.ipi_cycles);
    const core::tlb_parameters& b = c.tlb;
    for (const auto& [what, g] : {std::pair("4 KB", b.data_4k),
                                  {"64 KB", b.data_64k},
                                  {"2 MB", b.data_2m},
                                  {"code", b.code},
                                  {"second", b.second}})
        text += fmt::format("TLB {} {} by {}, ", what, g.entries, g.ways);
    text += fmt::format("walks {}, {}, {}\n", b.short_walk_cycles_4k, b.short_walk_cycles_2m,
                        b.long_walk_cycles);
    for (const program::start& s : p.starts)
        text += fmt::format("thread {} starts at clock {}\n", s.thread, s.at);
    for (const auto& [what, writes] :
         {std::pair("PMU", &p.pmu), std::pair("local APIC", &p.local_apic)})
        for (const program::write& w : *writes)
            text += fmt::format("thread {} {} {:#x} = {:#x}\n", w.thread, what, w.address, w.value);
    return text;
}

}  // namespace knc::reference
