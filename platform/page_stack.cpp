#include <platform/page_stack.h>

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <platform/page_parts.h>
#include <platform/page_text.h>

namespace platform {

namespace {

namespace base = knc::base;

// What the parts are made of.
struct use {
    std::uint64_t instructions = 0, in_v = 0, executing = 0, microcode = 0, stalled = 0;

    void add(const base::event_row& e) {
        instructions += e[base::instructions_executed];
        in_v += e[base::instructions_executed_v_pipe];
        executing += e[base::exec_stage_cycles];
        microcode += e[base::microcode_cycles];
        stalled += e[base::fe_stalled];
    }
    clock_stack stack(unsigned core, unsigned thread) const {
        clock_stack s;
        s.core = core;
        s.thread = thread;
        s.instructions = instructions;
        s.clocks[clock_stack::paired] = in_v;
        s.clocks[clock_stack::microcode] = microcode;
        s.clocks[clock_stack::single] = executing - microcode - in_v;
        return s;
    }
    // Clocks of FE_STALLED outside the execution stage. All clocks of the stage stall but one of
    // each issue; an event entry, too, has one that does not, which no event counts.
    std::uint64_t waiting() const {
        const std::uint64_t stalled_in_stage = executing - (instructions - in_v);
        return stalled - std::min(stalled, stalled_in_stage);
    }
};

void write_stacks(std::ostream& out, const std::vector<clock_stack>& all, bool threads) {
    out << "<details><summary>Clocks of the " << (threads ? "threads" : "cores")
        << "</summary>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">"
        << (threads ? "thread" : "core") << "</th>";
    const auto each_part = [&](const auto& f) {
        if (threads)
            for (const auto p : clock_stack::of_thread) f(p);
        else
            for (const auto p : clock_stack::of_core) f(p);
    };
    each_part([&](clock_stack::part p) {
        out << "<th scope=\"col\" class=\"n\">" << clock_stack::names[p] << "</th>";
    });
    out << "<th scope=\"col\" class=\"n\">sum</th></tr></thead>\n<tbody>\n";
    for (const clock_stack& s : all) {
        begin_row(out, threads ? fmt::format("{}.{}", s.core, s.thread) : fmt::to_string(s.core));
        std::uint64_t sum = 0;
        for (const std::uint64_t n : s.clocks) sum += n;
        each_part([&](clock_stack::part p) {
            bar_cell(out, fmt::to_string(s.clocks[p]),
                     percent_of(static_cast<double>(s.clocks[p]), static_cast<double>(sum)));
        });
        number_cell(out, fmt::to_string(sum));
        end_row(out);
    }
    end_table(out);
    out << "</details>\n";
}

}  // namespace

std::vector<clock_stack> thread_stacks(const report& r) {
    std::vector<clock_stack> all;
    if (r.phases.empty()) return all;
    const auto& end = r.phases.front().after.threads;
    for (unsigned n = 0; n < end.size(); ++n) {
        const std::uint64_t awake = end[n].awake;
        if (awake == 0) continue;
        use u;
        u.add(end[n].events);
        clock_stack s = u.stack(n / r.shape.threads_per_core, n % r.shape.threads_per_core);
        s.clocks[clock_stack::waiting] = u.waiting();
        s.clocks[clock_stack::ready] = awake - u.executing - u.waiting();
        s.clocks[clock_stack::halted] = r.cycles - awake;
        all.push_back(s);
    }
    return all;
}

std::vector<clock_stack> core_stacks(const report& r) {
    std::vector<clock_stack> all;
    if (r.phases.empty()) return all;
    const auto& end = r.phases.front().after.threads;
    for (unsigned n = 0; n < end.size(); n += r.shape.threads_per_core) {
        const std::uint64_t unhalted = end[n].events[base::cpu_clk_unhalted];
        if (unhalted == 0) continue;
        // One thread has the execution stage at a time.
        use u;
        for (unsigned t = 0; t < r.shape.threads_per_core; ++t) u.add(end[n + t].events);
        clock_stack s = u.stack(n / r.shape.threads_per_core, 0);
        s.clocks[clock_stack::no_issue] = unhalted - u.executing;
        s.clocks[clock_stack::halted] = r.cycles - unhalted;
        all.push_back(s);
    }
    return all;
}

void write_page_stack(std::ostream& out, const report& r) {
    const std::vector<clock_stack> cores = core_stacks(r), threads = thread_stacks(r);
    if (cores.empty()) return;
    out << "<section id=\"stack\"><h2>Where the clocks went</h2>\n<p class=\"note\">Every clock of "
           "the run is in one part. Two or one instruction: in the execution stage; waiting: "
           "FE_STALLED outside of it, for memory, registers, instructions; ready, not chosen: the "
           "turn of other threads, and the clock between two issues of a thread.</p>\n<div "
           "id=\"stack-charts\"></div>\n";
    write_stacks(out, cores, false);
    write_stacks(out, threads, true);
    out << "</section>\n";
}

}  // namespace platform
