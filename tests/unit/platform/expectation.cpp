// Expectations of levels, phases, counts and metrics, judged by a report whose numbers are known.
#include <platform/expectation.h>

#include <gtest/gtest.h>

#include <platform/report.h>

namespace platform {
namespace {

constexpr unsigned tiles = 2;
constexpr auto data_read = knc::base::data_read;
// An event of a core.
constexpr auto snoops = knc::base::snp_hitm_l2;

std::vector<thread_report> threads(std::uint64_t scale) {
    std::vector<thread_report> all;
    for (unsigned core = 0; core < tiles; ++core)
        for (unsigned t = 0; t < 4; ++t) {
            thread_report x;
            x.core = core;
            x.thread = t;
            x.instructions = scale * (t + 1);
            x.events[data_read] = scale * 10;
            x.events_user[data_read] = scale * 3;
            x.events[snoops] = scale * (core + 1);  // in the row of each thread
            x.pmi = scale;
            x.pmu.counter = {100 + t, 7};
            x.pmu.status = t;
            all.push_back(x);
        }
    return all;
}

knc::monitor::snapshot snapshot(std::uint64_t cycle, std::uint64_t reads, std::uint64_t misses) {
    knc::monitor::platform_shape shape;
    shape.tiles = tiles;
    knc::monitor::snapshot s = knc::monitor::start_of(shape);
    s.cycle = cycle;
    for (std::size_t n = 0; n < s.threads.size(); ++n) {
        const std::uint64_t first_core = n < 4 ? 1 : 2;
        s.threads[n].events[knc::base::data_read_or_write] = reads;
        s.threads[n].events[knc::base::data_read_miss_or_write_miss] = misses * first_core;
    }
    return s;
}

// Marks 5, 6, 5 and 8 at clocks 100, 300, 600 and 1000 of 1500.
report example() {
    report r;
    r.reason = "firmware";
    r.cycles = 1500;
    r.resets = 2;
    r.shape.tiles = tiles;
    r.shape.clock_hz = 1'000'000'000;
    r.threads = threads(20);
    const knc::monitor::snapshot begin = knc::monitor::start_of(r.shape),
                                 end = snapshot(1500, 0, 0);
    r.phases.push_back({"begin", "end", begin, end});
    knc::monitor::snapshot last = begin;
    const auto mark = [&](std::uint32_t number, std::uint64_t cycle, std::uint64_t scale,
                          std::uint64_t reads, std::uint64_t misses) {
        r.marks.push_back({number, cycle});
        r.at_marks.push_back({number, cycle, threads(scale)});
        const auto now = snapshot(cycle, reads, misses);
        r.phases.push_back({"", "", last, now});
        last = now;
    };
    mark(5, 100, 1, 100, 1);
    mark(6, 300, 4, 200, 11);
    mark(5, 600, 9, 200, 11);
    mark(8, 1000, 16, 400, 31);
    r.phases.push_back({"", "", last, end});
    return r;
}

expectation reads() {
    expectation e;
    e.name = "reads";
    e.event = data_read;
    return e;
}
expectation of_count(const std::string& name) {
    expectation e;
    e.of = expectation::subject::count;
    e.what = name;
    return e;
}
expectation between(expectation e, std::optional<std::uint32_t> from,
                    std::optional<std::uint32_t> to) {
    e.from = from;
    e.to = to;
    return e;
}
nlohmann::ordered_json actual(const expectation& e) {
    return judge(e, example(), "").actual;
}

TEST(expectation, counts_at_the_levels_it_names) {
    expectation e = reads();
    EXPECT_EQ(actual(e), 8 * 200);
    e.level = expectation::levels::user;
    EXPECT_EQ(actual(e), 8 * 60);
    e.level = expectation::levels::kernel;
    EXPECT_EQ(actual(e), 8 * 140);
    e.core = 1;
    e.thread = 2;
    EXPECT_EQ(actual(e), 140);
    EXPECT_EQ(actual(between(e, 5, 6)), 7 * (4 - 1));
}

TEST(expectation, counts_a_phase_from_mark_to_mark) {
    EXPECT_EQ(actual(between(reads(), 5, 6)), 8 * 10 * (4 - 1));
    EXPECT_EQ(actual(between(reads(), {}, 6)), 8 * 10 * 4);
    EXPECT_EQ(actual(between(reads(), 6, {})), 8 * 10 * (20 - 4));
    EXPECT_EQ(actual(between(reads(), 5, 8)), 8 * 10 * (16 - 1));
    // The first mark 5, and the next one of that number.
    EXPECT_EQ(actual(between(reads(), 5, 5)), 8 * 10 * (9 - 1));
    EXPECT_EQ(actual(between(reads(), {}, 5)), 8 * 10);
    EXPECT_EQ(actual(between(of_count("cycles"), 6, 8)), 1000 - 300);
    EXPECT_EQ(actual(between(of_count("cycles"), {}, 5)), 100);
    EXPECT_EQ(actual(between(of_count("cycles"), 8, {})), 500);
    EXPECT_EQ(actual(between(of_count("pmi"), 5, 6)), 8 * 3);
    EXPECT_EQ(actual(between(of_count("instructions"), 6, 8)), 2 * (1 + 2 + 3 + 4) * 12);
}

TEST(expectation, counts_an_event_of_a_core_once) {
    expectation e = reads();
    e.event = snoops;
    EXPECT_EQ(actual(e), 20 + 40);
    e.core = 1;
    EXPECT_EQ(actual(between(e, 5, 6)), 2 * (4 - 1));
}

TEST(expectation, fails_where_a_mark_does_not_come) {
    for (const auto& e : {between(reads(), 7, {}), between(reads(), {}, 7)}) {
        const verdict v = judge(e, example(), "");  // any number would do
        EXPECT_FALSE(v.pass);
        EXPECT_EQ(v.actual, "no mark 7");
    }
    // Not after the other one.
    EXPECT_EQ(actual(between(reads(), 8, 6)), "no mark 6");
    EXPECT_EQ(actual(between(reads(), 6, 6)), "no mark 6");
}

TEST(expectation, fails_where_the_card_has_no_such_thread) {
    expectation e = reads();
    e.core = tiles;
    EXPECT_EQ(actual(e), "the card has no such thread");
    EXPECT_FALSE(judge(e, example(), "").pass);  // 0 would do
    e.core = {};
    e.thread = 4;
    EXPECT_FALSE(judge(e, example(), "").pass);
    e = of_count("pmi");
    e.core = tiles;
    EXPECT_FALSE(judge(between(e, 5, 6), example(), "").pass);
}

TEST(expectation, knows_the_counts) {
    EXPECT_EQ(actual(of_count("counter0")), 2 * (100 + 101 + 102 + 103));
    EXPECT_EQ(actual(of_count("status")), 2 * 6);
    EXPECT_EQ(actual(of_count("resets")), 2);
    EXPECT_EQ(actual(of_count("marks")), 4);
    expectation e = of_count("counter1");
    e.core = 0;
    e.thread = 3;
    EXPECT_EQ(actual(e), 7);
    for (const char* name :
         {"instructions", "overflow0", "overflow1", "pmi", "pmi_lost", "eoi", "skid_count"}) {
        ASSERT_TRUE(find_count(name)) << name;
        EXPECT_TRUE(find_count(name)->of_threads && find_count(name)->of_phases) << name;
    }
    EXPECT_FALSE(find_count("skid_min")->of_phases);
    EXPECT_FALSE(find_count("cycles")->of_threads);
    EXPECT_TRUE(find_count("cycles")->of_phases);
    EXPECT_FALSE(find_count("skid"));
}

TEST(expectation, takes_the_extremes_of_skid_over_threads) {
    report r = example();
    EXPECT_EQ(judge(of_count("skid_min"), r, "").actual, 0);  // no interrupt
    auto& a = r.threads[1].pmu.skid;
    auto& b = r.threads[6].pmu.skid;
    a.count = 3;
    a.total = {50, 90, 200};
    a.instructions = {0, 2, 3};
    b.count = 1;
    b.total = {42, 42, 42};
    b.instructions = {1, 1, 1};
    EXPECT_EQ(judge(of_count("skid_count"), r, "").actual, 4);
    EXPECT_EQ(judge(of_count("skid_min"), r, "").actual, 42);
    EXPECT_EQ(judge(of_count("skid_max"), r, "").actual, 90);
    EXPECT_EQ(judge(of_count("skid_instructions"), r, "").actual, 2);
    expectation e = of_count("skid_min");
    e.core = 0;
    EXPECT_EQ(judge(e, r, "").actual, 50);
}

TEST(expectation, evaluates_a_metric_of_a_phase) {
    expectation e;
    e.of = expectation::subject::metric;
    e.what = "L1HIT";
    // Of 8 threads: 100 accesses each; 10 misses on core 0, 20 on core 1.
    e = between(e, 5, 6);
    EXPECT_EQ(actual(e).get<double>(), (800. - 120) / 800);
    e.core = 1;
    EXPECT_EQ(actual(e).get<double>(), 0.8);
    e.core = 0;
    e.thread = 1;
    EXPECT_EQ(actual(e).get<double>(), 0.9);
    e.least = 0.9;
    EXPECT_TRUE(judge(e, example(), "").pass);
    e.least = 0.91;
    EXPECT_FALSE(judge(e, example(), "").pass);
    e.least = 0;
    e.most = 0.89;
    EXPECT_FALSE(judge(e, example(), "").pass);
    // No access between mark 6 and the second mark 5.
    EXPECT_EQ(actual(between(e, 6, 5)), "division by zero");
    EXPECT_FALSE(judge(between(e, 6, 5), example(), "").pass);
    EXPECT_EQ(actual(between(e, 5, 9)), "no mark 9");
    e.core = tiles;
    EXPECT_EQ(actual(e), "no core 2");
}

}  // namespace
}  // namespace platform
