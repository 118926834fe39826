#include "harness.h"

#include <algorithm>
#include <set>

#include <knc/pmu/event_table.h>

namespace knc::kernels {

namespace {

constexpr std::uint32_t program_at = 0x1000;
constexpr unsigned not_bytes = 2;
constexpr base::cycle_t longest = 100'000;

}  // namespace

counts operator+(counts a, const counts& more) {
    for (const auto& [event, n] : more) {
        const auto at = std::find_if(a.begin(), a.end(),
                                     [e = event](const auto& entry) { return entry.first == e; });
        if (at != a.end())
            at->second += n;
        else
            a.emplace_back(event, n);
    }
    return a;
}

counts issues(std::uint64_t n, std::uint64_t v) {
    return {{base::code_read, 1},
            {base::instructions_executed, n},
            {base::instructions_executed_v_pipe, v},
            {base::exec_stage_cycles, n - v}};
}
counts held(std::uint64_t clocks) {
    return {{base::exec_stage_cycles, clocks}, {base::fe_stalled, clocks}};
}
counts microcode(std::uint64_t clocks) {
    return held(clocks - 1) + raises(base::microcode_cycles, clocks);
}
counts waits(std::uint64_t clocks) {
    return raises(base::fe_stalled, clocks);
}
counts reads(std::uint64_t n) {
    return {{base::data_read, n}, {base::data_read_or_write, n}};
}
counts writes(std::uint64_t n) {
    return {{base::data_write, n}, {base::data_read_or_write, n}};
}

conditions in_pass(unsigned pass) {
    conditions c;
    c.pass = pass;
    return c;
}
conditions interrupted_at(int clock) {
    conditions c;
    c.interrupt_at = clock;
    return c;
}
conditions tuned(void (*tune)(card::parameters&)) {
    conditions c;
    c.tune = tune;
    return c;
}
conditions prepared(void (*prepare)(machine&)) {
    conditions c;
    c.prepare = prepare;
    return c;
}

void machine::interrupt(std::size_t thread) {
    apic::interrupt_message m;
    m.vector = vector;
    unit.apic(thread).receive(m, unit.cpu().now());
    unit.cpu().notify();
}

base::event_row machine::events(std::size_t thread) const {
    base::event_row row{};
    for (std::size_t e = 0; e < row.size(); ++e) row[e] = count(thread, base::event(e));
    return row;
}

kernel::kernel(const char* suite, const char* name, const text& t, base::cycle_t clocks, counts c,
               const conditions& k)
    : suite_(suite),
      name_(suite_ + '.' + name),
      text_(t),
      clocks_(clocks),
      counts_(std::move(c)),
      conditions_(k) {
    registry().push_back(this);
}

std::vector<const kernel*>& kernel::registry() {
    static std::vector<const kernel*> kernels;
    return kernels;
}

const std::vector<const kernel*>& kernel::all() {
    return registry();
}

std::uint64_t kernel::expected(base::event e) const {
    const auto c = std::find_if(counts_.begin(), counts_.end(),
                                [e](const auto& entry) { return entry.first == e; });
    if (c != counts_.end()) return c->second;
    return e == base::cpu_clk_unhalted ? clocks_ : 0;
}

card::parameters kernel::parameters() const {
    card::parameters p;
    if (conditions_.tune != nullptr) conditions_.tune(p);
    return p;
}

std::unique_ptr<machine> kernel::make_machine() const {
    const card::parameters p = parameters();
    std::string name = name_;
    std::replace(name.begin(), name.end(), '.', '_');
    return std::make_unique<machine>(p, name.c_str());
}

void kernel::start(machine& m, std::size_t thread) const {
    const card::test::program p{text_.begin, text_.end};
    if (text_.bits64)
        m.start64(thread, p);
    else
        m.start(thread, program_at, p);
}

void kernel::run(machine& m, std::size_t thread) const {
    start(m, thread);
    m.run(m.unit.cpu().now() + 1000);
    EXPECT_EQ(m.unit.cpu().running(thread), core::run_state::halted) << name_;
}

measurement kernel::measure(machine& m) const {
    start(m, 0);
    if (conditions_.prepare != nullptr) conditions_.prepare(m);
    if (conditions_.interrupt_at >= 0) {
        EXPECT_TRUE(m.unit.apic(0).write(0xf0, 0x1ff, m.unit.cpu().now()));  // enabled
    }

    core::core& cpu = m.unit.cpu();
    const base::cycle_t not_cycles = parameters().core.issue_interval;
    const auto address = [this](const unsigned char* label) {
        return program_at + static_cast<std::uint64_t>(label - text_.begin);
    };
    const auto rip = [&cpu] { return cpu.state(0).r[isa::rip]; };
    measurement before, after;
    const auto read = [&](measurement& now) {
        cpu.settle();
        now.clocks = cpu.now();
        for (std::size_t t = 0; t < now.events.size(); ++t) now.events[t] = m.events(t);
    };
    // Steps until the NOT at `label` has issued.
    const auto run_past = [&](const unsigned char* label) {
        for (const base::cycle_t end = cpu.now() + longest; cpu.now() < end;) {
            const bool interrupts = conditions_.interrupt_at >= 0 && before.clocks != 0;
            const base::cycle_t first = before.clocks + not_cycles - 1;
            if (interrupts && cpu.now() == first + static_cast<unsigned>(conditions_.interrupt_at))
                m.interrupt(0);
            const std::uint64_t last = rip();
            cpu.run(cpu.now() + 1);
            for (const core::device_request& r : std::exchange(m.posted, {}))
                m.answer(r, r.issued + 2 * parameters().core.device_cycles);
            if (rip() == address(label) + not_bytes && last != rip()) return;
        }
        ADD_FAILURE() << name_ << " does not arrive";
    };
    for (unsigned n = 0; n < conditions_.pass; ++n) run_past(text_.start);
    read(before);
    run_past(text_.stop);
    read(after);

    measurement d;
    d.clocks = after.clocks - before.clocks - not_cycles;
    for (std::size_t t = 0; t < d.events.size(); ++t)
        for (std::size_t e = 0; e < base::event_count; ++e)
            d.events[t][e] = after.events[t][e] - before.events[t][e];
    for (auto& row : d.events) row[base::cpu_clk_unhalted] -= not_cycles;
    --d.events[0][base::instructions_executed];
    --d.events[0][base::exec_stage_cycles];
    return d;
}

void kernel::compare(const measurement& m) const {
    EXPECT_EQ(m.clocks, clocks_) << name_;
    for (std::size_t n = 0; n < base::event_count; ++n) {
        const auto e = static_cast<base::event>(n);
        if (pmu::info(e).unit == pmu::event_unit::cri) continue;
        if (m.events[0][e] != expected(e))
            ADD_FAILURE() << name_ << ": " << pmu::info(e).name << " expected " << expected(e)
                          << ", is " << m.events[0][e];
    }
}

namespace {

// The kernels of a suite run in one process, each on a machine of its own.
class kernels : public testing::TestWithParam<std::string> {};

TEST_P(kernels, take_these_clocks_and_raise_these_events) {
    std::vector<std::pair<const kernel*, std::unique_ptr<machine>>> runs;
    for (const kernel* k : kernel::all())
        if (k->suite() == GetParam()) runs.emplace_back(k, k->make_machine());
    for (const auto& [k, m] : runs) m->elaborate();
    for (const auto& [k, m] : runs) k->compare(k->measure(*m));
}

std::vector<std::string> suites() {
    std::set<std::string> names;
    for (const kernel* k : kernel::all()) names.insert(k->suite());
    return {names.begin(), names.end()};
}

INSTANTIATE_TEST_SUITE_P(suite, kernels, testing::ValuesIn(suites()),
                         [](const auto& suite) { return suite.param; });

}  // namespace

}  // namespace knc::kernels
