// Instructions that act when they complete: they read time or counters, or change what is counted.

#include <knc/core/core.h>

#include <algorithm>
#include <utility>

#include <Zydis/Mnemonic.h>

namespace knc::core {

namespace {

struct late_cycles {
    std::uint16_t mnemonic;
    std::uint32_t parameters::*clocks;
};
constexpr late_cycles late_table[] = {
    {ZYDIS_MNEMONIC_RDTSC, &parameters::rdtsc_cycles},
    {ZYDIS_MNEMONIC_RDPMC, &parameters::rdpmc_cycles},
    {ZYDIS_MNEMONIC_SPFLT, &parameters::spflt_cycles},
};

// Those that are no parameter of their own take what their issue rule says. At least two: the
// effect lies behind the first.
base::cycle_t clocks_of(const parameters& p, const isa::insn& i) {
    std::uint32_t clocks = i.clocks;
    for (const late_cycles& l : late_table)
        if (l.mnemonic == i.mnemonic) clocks = std::max(p.*l.clocks, i.prefixes + 1u);
    return std::max(clocks, 2u);
}

}  // namespace

void core::begin_late(thread& t, const isa::insn& i) {
    const base::cycle_t clocks = clocks_of(parameters_, i);
    ++t.context.events()[base::exec_stage_cycles];
    handler_issues(t);
    accounting_.use_microcode(t.index(), clocks);
    t.late = true;
    t.late_insn = i;
    t.late_at = time_.now() + clocks - 1;
    picker_.stop(t.index());
    time_.due_at(t.late_at);
}

// The instruction's last clock, in which nothing else can issue, passes here: its own event lies in
// it, its effect holds from the next clock on.
void core::complete_late(thread& t) {
    isa::context& c = t.context;
    time_.move_to(time_.now() + 1);
    accounting_.begin_issue(t.index());
    t.late = false;
    const base::cycle_t issued = time_.now() - clocks_of(parameters_, t.late_insn);
    picker_.set_ready(t.index(), std::max(time_.now(), issued + parameters_.issue_interval));
    const std::uint64_t ip = c.s.r[isa::rip];
    const bool single_step = (c.s.eflags & isa::flag_tf) != 0;
    c.s.r[isa::rip] = (ip + t.late_insn.length) & c.ip_mask;
    const isa::status st = t.late_insn.execute(c, t.late_insn);
    if (st != isa::status::ok) {
        // The handler is entered as the next issue of the thread.
        c.s.r[isa::rip] = ip;
        t.delivery = {true, isa::event_kind::exception, c.fault, ip};
        return;
    }
    scoreboard_.wrote(t.index(), t.late_insn);
    if (!std::exchange(t.counted, false)) ++c.events()[base::instructions_executed];
    count_retired(t, ip);
    // What it waits for begins behind its last clock.
    time_.move_to(time_.now() - 1);
    after(t, t.late_insn, single_step);
    time_.move_to(time_.now() + 1);
}

}  // namespace knc::core
