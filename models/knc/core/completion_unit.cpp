#include <knc/core/completion_unit.h>

#include <algorithm>
#include <utility>

#include <Zydis/Mnemonic.h>

namespace knc::core {

namespace {

struct own_cycles {
    std::uint16_t mnemonic;
    std::uint32_t parameters::*cycles;
};
constexpr own_cycles table[] = {
    {ZYDIS_MNEMONIC_RDTSC, &parameters::rdtsc_cycles},
    {ZYDIS_MNEMONIC_RDPMC, &parameters::rdpmc_cycles},
    {ZYDIS_MNEMONIC_SPFLT, &parameters::spflt_cycles},
};

// The cycles of an instruction without a parameter of its own come from its issue rule. The minimum
// is two, because the effect comes after the first.
base::cycle_t cycles_of(const parameters& p, const isa::insn& i) {
    std::uint32_t cycles = i.clocks;
    for (const own_cycles& o : table)
        if (o.mnemonic == i.mnemonic) cycles = std::max(p.*o.cycles, i.prefixes + 1u);
    return std::max(cycles, 2u);
}

}  // namespace

completion_unit::completion_unit(const parameters& p, timeline& time, due_times& due, picker& pick,
                                 cycle_accounting& accounting, scoreboard& results, pmi_path& pmi,
                                 retirement& r, thread_table& threads)
    : parameters_(p),
      time_(time),
      due_(due),
      picker_(pick),
      accounting_(accounting),
      scoreboard_(results),
      pmi_(pmi),
      retirement_(r),
      threads_(threads) {}

void completion_unit::begin(thread& t, const isa::insn& i) {
    const base::cycle_t cycles = cycles_of(parameters_, i);
    ++t.context.events()[base::exec_stage_cycles];
    pmi_.issues(t);
    if (t.observed != 0) retirement_.issued().in_u(t, t.context.s.r[isa::rip], &i);
    accounting_.use_microcode(t.index(), cycles);
    t.completing.code = i;
    const base::cycle_t last = time_.now() + cycles - 1;
    due_.completions[t.index()] = last;
    picker_.stop(t.index());
    time_.due_at(last);
}

bool completion_unit::complete_due() {
    const base::cycle_t before = time_.now();
    for (unsigned n = 0; n < base::threads_per_core; ++n)
        if (due_.completions[n] <= time_.now()) complete(*threads_[n]);
    return time_.now() != before;
}

// No other instruction can issue in the instruction's last cycle.
void completion_unit::complete(thread& t) {
    const unsigned n = t.index();
    isa::context& c = t.context;
    const isa::insn& i = t.completing.code;
    const base::cycle_t end = time_.now() + 1;
    time_.move_to(end);
    accounting_.begin_issue(n);
    due_.completions[n] = base::never;
    const base::cycle_t issued = end - cycles_of(parameters_, i);
    picker_.set_ready(n, std::max(end, issued + parameters_.issue_interval));
    const std::uint64_t ip = c.s.r[isa::rip];
    const bool single_step = (c.s.eflags & isa::flag_tf) != 0;
    c.s.r[isa::rip] = (ip + i.length) & c.ip_mask;
    const isa::status st = i.execute(c, i);
    if (st == isa::status::blocked) {
        // It waits for a register of the package, and then begins again.
        retirement_.not_retired(t, ip, st, nullptr);
        return;
    }
    if (recorder_ != nullptr) record_msr(t, i, st == isa::status::ok);
    if (st != isa::status::ok) {
        // The thread enters the handler in its next issue slot.
        c.s.r[isa::rip] = ip;
        event_unit::post(t, c.fault, ip);
        return;
    }
    if (t.devices.has_answers()) t.devices.forget();
    scoreboard_.wrote(n, i);
    if (!std::exchange(t.completing.counted, false)) ++c.events()[base::instructions_executed];
    retirement_.count(t, ip);
    if ((i.flags & isa::insn_pentium) != 0) pentium_->retired(t, i, false);
    // A wait of the instruction starts after its last cycle.
    time_.move_to(end - 1);
    retirement_.after(t, i, single_step);
    time_.move_to(end);
}

void completion_unit::record_msr(const thread& t, const isa::insn& i, bool accepted) const {
    const bool write = i.mnemonic == ZYDIS_MNEMONIC_WRMSR;
    if (!write && i.mnemonic != ZYDIS_MNEMONIC_RDMSR) return;
    const auto low = [&](unsigned r) { return static_cast<std::uint32_t>(t.context.s.r[r]); };
    recorder_->msr_accessed(t.number(core_), low(isa::rcx), write,
                            std::uint64_t{low(isa::rdx)} << 32 | low(isa::rax), accepted,
                            time_.now());
}

}  // namespace knc::core
