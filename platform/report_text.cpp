#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <knc/pmu/event_table.h>
#include <knc/pmu/own_events.h>

#include <platform/report.h>

namespace platform {

namespace {

std::string_view ending(std::string_view reason) {
    if (reason == "deadlock") return "hung: all threads halted, and nothing will wake one";
    if (reason == "limit") return "time limit reached";
    if (reason == "unsupported") return "not modelled";
    if (reason == "session") return "session failed";
    return "ended by the user";
}

void write_outcome(std::ostream& out, const report& r) {
    out << outcome_of(r);
    out << fmt::format(
        "\n{} clocks, {:.6f} s simulated, {} instructions, {:.2f} s on the host, {:.2f} MIPS\n",
        r.cycles, r.simulated_seconds, r.instructions, r.host_seconds, r.mips());
    for (const knc::card::fast_forward_record& f : r.fast_forwards)
        out << fmt::format("fast-forward: {} instructions in clocks {} to {}, until {}{}\n",
                           f.instructions, f.from, f.to, f.end,
                           f.warm == f.to ? "" : fmt::format("; caches warm at {}", f.warm));
}

void write_hints(std::ostream& out, const report& r) {
    for (const std::string& h : r.hints) out << "hint: " << h << '\n';
}

void write_expectations(std::ostream& out, const report& r) {
    for (const verdict& v : r.expectations)
        out << fmt::format("{} {} (actual: {})\n", v.pass ? "pass" : "FAIL", v.name,
                           v.actual.dump());
}

bool took_part(const thread_report& t) {
    return t.instructions != 0;
}

// The registers of a thread's PMU.
std::string text_of(const pmu_report& p) {
    using kind = knc::pmu::front_end_kind;
    const std::string overflows = fmt::format("{}", fmt::join(p.overflows, " "));
    switch (p.front_end) {
        case kind::perfmon:
            return fmt::format(
                "counters {} evtsel {:#x} fixed_ctrl {:#x} ctrl {:#x} status {:#x} debugctl {:#x} "
                "overflows {}{}",
                fmt::join(p.counter, " "), fmt::join(p.evtsel, " "), p.fixed_control, p.global_ctrl,
                p.status, p.debug_control, overflows,
                p.has_pebs ? fmt::format(" PEBS records {} no room {} faults {}", p.pebs.records,
                                         p.pebs.no_room, p.pebs.faults)
                           : "");
        case kind::p55c:
            return fmt::format("ctr {} cesr {:#x} overflows {}", fmt::join(p.counter, " "),
                               p.evtsel.front(), overflows);
        default:
            return fmt::format(
                "counter {} evtsel {:#x} ctrl {:#x} status {:#x} spflt {:#x} overflows {}",
                fmt::join(p.counter, " "), fmt::join(p.evtsel, " "), p.global_ctrl, p.status,
                p.spflt, overflows);
    }
}

void write_threads(std::ostream& out, const report& r) {
    constexpr const char* row = "{:>9} {:>14} {:>8} {:>8}  {}\n";
    out << '\n' << fmt::format(row, "thread", "instructions", "PMIs", "EOIs", "PMU");
    for (const thread_report& t : r.threads)
        if (took_part(t))
            out << fmt::format(row, fmt::format("{}.{}", t.core, t.thread), t.instructions, t.pmi,
                               t.eoi, text_of(t.pmu));
    out << "threads that executed nothing are left out\n";
}

std::string range(const knc::core::spread& s, std::uint64_t count) {
    return fmt::format("{} {:.1f} {}", s.min, s.mean(count), s.max);
}

// Only the threads that took performance interrupts.
void write_skid(std::ostream& out, const report& r) {
    constexpr const char* row = "{:>9} {:>8}  {:>18} {:>18} {:>18} {:>18} {:>18}\n";
    bool first = true;
    for (const thread_report& t : r.threads) {
        const knc::core::skid_statistics& s = t.pmu.skid;
        if (s.count == 0) continue;
        if (std::exchange(first, false)) {
            out << "\nskid: clocks from an overflow to the first instruction of the handler, least "
                   "mean most\n"
                << fmt::format(row, "thread", "PMIs", "total", "delivery", "boundary", "entry",
                               "instructions");
        }
        out << fmt::format(row, fmt::format("{}.{}", t.core, t.thread), s.count,
                           range(s.total, s.count), range(s.delivery, s.count),
                           range(s.boundary, s.count), range(s.entry, s.count),
                           range(s.instructions, s.count));
        out << fmt::format("{:>9} total", "");
        for (std::size_t n = 0; n < s.bins; ++n)
            if (s.histogram[n] != 0)
                out << fmt::format("  {}-{}: {}", s.lowest(n), s.lowest(n + 1) - 1, s.histogram[n]);
        out << '\n';
    }
}

// An event without thread context is in every thread's row: one row per core counts.
bool counts_once(const knc::pmu::event_info& e, const thread_report& t) {
    return e.scope == knc::pmu::event_scope::thread || t.thread == 0;
}

void write_events(std::ostream& out, const report& r) {
    out << fmt::format("\nevents, all threads\n  {:<38} {:>16} {:>16}\n", "event", "count",
                       "of it CPL 1-3");
    for (std::size_t i = 0; i < knc::base::event_count; ++i) {
        const knc::pmu::event_info& e = knc::pmu::info(static_cast<knc::base::event>(i));
        std::uint64_t all = 0, user = 0;
        for (const thread_report& t : r.threads) {
            if (!counts_once(e, t)) continue;
            all += t.events[i];
            user += t.events_user[i];
        }
        if (all == 0) continue;
        // The privilege of an event without thread is that of whoever looks.
        const bool split = e.scope == knc::pmu::event_scope::thread;
        out << fmt::format("  {:<38} {:>16} {:>16}\n", e.name, all,
                           split ? fmt::to_string(user) : "per core");
    }
}

void write_own_events(std::ostream& out, const report& r) {
    if (r.threads.empty()) return;
    const pmu_report& p = r.threads.front().pmu;
    const auto events = knc::pmu::own_events(p.front_end, p.l3);
    if (events.empty()) return;
    const bool pentium = p.front_end == knc::pmu::front_end_kind::p55c;
    out << fmt::format("\n{}, all threads\n  {:<38} {:>16} {:>16}\n",
                       pentium ? "events of a Pentium with MMX" : "architectural events", "event",
                       "count", pentium ? "of it CPL 3" : "of it CPL 1-3");
    for (const knc::pmu::own_event& e : events) {
        std::uint64_t all = 0, user = 0;
        for (const thread_report& t : r.threads) {
            all += t.events[e.cell];
            user += t.events_user[e.cell];
        }
        out << fmt::format("  {:<38} {:>16} {:>16}\n", e.name, all, user);
    }
}

}  // namespace

std::string outcome_of(const report& r) {
    std::string text;
    if (r.reason == "firmware" && r.code == 0)
        text = "power off: firmware ended the run with code 0";
    else if (r.reason == "firmware")
        text =
            fmt::format("guest reported failure {0}: firmware ended the run with code {0}", r.code);
    else
        text = ending(r.reason);
    if (!r.detail.empty()) text += fmt::format(" ({})", r.detail);
    if (r.resets != 0) text += fmt::format("; warm resets: {}", r.resets);
    return text;
}

void write_summary(std::ostream& out, const report& r) {
    write_outcome(out, r);
    write_expectations(out, r);
    write_hints(out, r);
    for (const profile& p : r.profiles) {
        out << '\n';
        write_text(out, p);
    }
    write_text(out, derive_cpi(r.profiles));
    if (r.by_function) {
        out << '\n';
        write_text(out, *r.by_function);
    }
}

void write_text(std::ostream& out, const report& r) {
    out << fmt::format("preset {}, image {}", r.preset, r.image);
    if (!r.cmdline.empty()) out << ", command line: " << r.cmdline;
    out << '\n';
    write_summary(out, r);
    if (!r.unheard.empty()) out << "session: " << r.unheard << '\n';
    write_threads(out, r);
    write_skid(out, r);
    write_text(out, r.samplers);
    write_events(out, r);
    write_own_events(out, r);
    write_text(out, r.shape, r.phases);
    if (!r.marks.empty()) out << "\nmarks\n";
    for (const mark& m : r.marks) out << fmt::format("  {:>10} at clock {}\n", m.number, m.cycle);
    if (!r.msr_accesses.empty()) out << "\naccesses to MSRs\n";
    for (const msr_result& m : r.msr_accesses)
        out << fmt::format("  clock {}: thread {} {} {:#x}: {}\n", m.at, m.thread,
                           m.write ? "writes" : "reads", m.number,
                           m.refused ? "#GP(0)" : fmt::format("{:#x}", m.value));
    if (!r.warnings.empty()) out << "\nwarnings\n";
    for (const std::string& w : r.warnings) out << "  " << w << '\n';
    if (!r.dump.empty()) out << "\nstate of the threads\n" << r.dump;
}

}  // namespace platform
