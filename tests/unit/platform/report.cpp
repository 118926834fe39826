// Report: schema 1, exit status, expectations, trace selection and save file.
#include <platform/report.h>

#include <sstream>

#include <gtest/gtest.h>

#include <platform/input_error.h>
#include <platform/signal_filter.h>
#include <platform/trace.h>

namespace platform {
namespace {

report example() {
    report r;
    r.preset = "mini";
    r.image = "x.elf";
    r.reason = "firmware";
    r.cycles = 2200;
    r.simulated_seconds = 2e-6;
    r.host_seconds = 0.5;
    r.instructions = 1'000'000;
    for (unsigned core = 0; core < 2; ++core) {
        for (unsigned t = 0; t < 4; ++t) {
            thread_report x;
            x.core = core;
            x.thread = t;
            x.instructions = 10 * core + t;
            x.events[knc::base::branches] = 100 * core + t;
            x.pmu.overflows = {t, 7};
            x.pmi = t;
            r.threads.push_back(x);
        }
    }
    return r;
}

TEST(report, has_every_field_of_schema_1) {
    report r = example();
    r.expectations.push_back({"n", true, 3});
    const auto o = to_json(r);
    EXPECT_EQ(o.at("schema"), 1);
    EXPECT_EQ(o.at("preset"), "mini");
    EXPECT_EQ(o.at("exit").at("reason"), "firmware");
    EXPECT_EQ(o.at("exit").at("code"), 0);
    EXPECT_EQ(o.at("time").at("cycles"), 2200);
    EXPECT_EQ(o.at("time").at("simulated_seconds"), 2e-6);
    EXPECT_EQ(o.at("time").at("host_seconds"), 0.5);
    EXPECT_EQ(o.at("time").at("instructions"), 1'000'000);
    EXPECT_EQ(o.at("time").at("mips"), 2.0);  // 10^6 instructions in half a second
    ASSERT_EQ(o.at("threads").size(), 8u);
    const auto& t = o.at("threads")[6];
    EXPECT_EQ(t.at("core"), 1);
    EXPECT_EQ(t.at("thread"), 2);
    EXPECT_EQ(t.at("instructions"), 12);
    EXPECT_EQ(t.at("events").size(), 61u);
    EXPECT_EQ(t.at("events").at("BRANCHES"), 102);
    for (const char* field : {"counter", "evtsel", "overflows"})
        EXPECT_EQ(t.at("pmu").at(field).size(), 2u) << field;
    for (const char* field : {"global_ctrl", "status", "spflt"})
        EXPECT_TRUE(t.at("pmu").contains(field)) << field;
    EXPECT_EQ(t.at("apic").at("pmi"), 2);
    EXPECT_EQ(t.at("apic").at("eoi"), 0);
    EXPECT_EQ(o.at("expectations")[0].at("name"), "n");
    EXPECT_EQ(o.at("expectations")[0].at("pass"), true);
    EXPECT_EQ(o.at("expectations")[0].at("actual"), 3);
}

TEST(report, status_is_that_of_the_program) {
    report r = example();
    EXPECT_EQ(r.status(), 0);
    r.expectations.push_back({"n", false, 3});
    EXPECT_EQ(r.status(), 1);
    r = example();
    r.code = 1;
    EXPECT_EQ(r.status(), 1);
    for (const char* reason : {"limit", "deadlock", "unsupported"}) {
        r = example();
        r.reason = reason;
        EXPECT_EQ(r.status(), 3) << reason;
    }
}

expectation about(expectation::subject of, const std::string& what, std::uint64_t low,
                  std::uint64_t high) {
    expectation e;
    e.of = of;
    e.what = what;
    e.low = low;
    e.high = high;
    return e;
}

TEST(judge, sums_the_threads_an_expectation_names) {
    const report r = example();
    expectation e = about(expectation::subject::event, "BRANCHES", 412, 412);
    e.event = knc::base::branches;
    EXPECT_TRUE(judge(e, r, "").pass);  // 2 * (0+1+2+3) + 4 * 100
    e.core = 1;
    EXPECT_EQ(judge(e, r, "").actual, 406);
    EXPECT_FALSE(judge(e, r, "").pass);
    e.thread = 3;
    EXPECT_EQ(judge(e, r, "").actual, 103);
    EXPECT_TRUE(
        judge(about(expectation::subject::count, "instructions", 52, 52), r, "").pass);  // 2*6 + 40
    EXPECT_TRUE(judge(about(expectation::subject::count, "overflow1", 56, 56), r, "").pass);  // 8*7
    EXPECT_TRUE(judge(about(expectation::subject::count, "pmi", 12, 12), r, "").pass);
    EXPECT_TRUE(judge(about(expectation::subject::count, "cycles", 2200, 2200), r, "").pass);
}

TEST(judge, looks_at_console_and_exit) {
    const report r = example();
    const auto all = ~std::uint64_t{0};
    EXPECT_TRUE(judge(about(expectation::subject::console, "lo w", 0, all), r, "hello world").pass);
    EXPECT_FALSE(judge(about(expectation::subject::console, "low", 0, all), r, "hello world").pass);
    EXPECT_TRUE(judge(about(expectation::subject::exit, "firmware", 0, 0), r, "").pass);
    EXPECT_FALSE(judge(about(expectation::subject::exit, "firmware", 1, 1), r, "").pass);
    EXPECT_FALSE(judge(about(expectation::subject::exit, "limit", 0, all), r, "").pass);
}

const std::uint64_t value = 0;
const knc::base::signal_list signals = {{"tile0.t0.pmu.cntr0", 40, &value},
                                        {"tile0.t0.pmu.pmi", 1, &value},
                                        {"tile0.t1.pmu.pmi", 1, &value},
                                        {"tile01.t0.pmu.pmi", 1, &value}};

std::string selected(const std::string& scopes) {
    std::string names;
    for (const auto& s : select_signals(signals, scopes)) names += s.name + ' ';
    return names;
}

TEST(select_signals, takes_names_prefixes_and_patterns) {
    EXPECT_EQ(select_signals(signals, "all").size(), 4u);
    EXPECT_EQ(selected("tile0"),
              "tile0.t0.pmu.cntr0 tile0.t0.pmu.pmi tile0.t1.pmu.pmi ");  // not tile01
    EXPECT_EQ(selected("*.pmi,tile0.t0"),
              "tile0.t0.pmu.cntr0 tile0.t0.pmu.pmi tile0.t1.pmu.pmi tile01.t0.pmu.pmi ");
    EXPECT_EQ(selected("tile0.t1.pmu.pmi"), "tile0.t1.pmu.pmi ");
    EXPECT_THROW(select_signals(signals, "tile0,tile2"), input_error);
    EXPECT_THROW(select_signals(signals, ","), input_error);
}

TEST(write_save_file, groups_by_scope_and_shows_wide_signals_in_hexadecimal) {
    std::ostringstream out;
    // 5 frames of 2^10 ps each.
    write_save_file(out, signals, sc_core::sc_time(1, sc_core::SC_NS),
                    sc_core::sc_time(6120, sc_core::SC_PS));
    const std::string text = out.str();
    EXPECT_NE(text.find("[timestart] 1000\n"), std::string::npos);
    EXPECT_NE(text.find("\n*-10.000000 1000\n"), std::string::npos) << text;
    EXPECT_NE(text.find("@800200\n-tile0.t0.pmu\n@22\nSystemC.tile0.t0.pmu.cntr0[39:0]\n@28\n"
                        "SystemC.tile0.t0.pmu.pmi\n@1000200\n-tile0.t0.pmu\n"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace platform
