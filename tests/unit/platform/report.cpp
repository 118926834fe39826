// Report: schema 1, exit status, expectations, trace selection and save file.
#include <platform/report.h>

#include <sstream>

#include <gtest/gtest.h>

#include <platform/input_error.h>
#include <platform/signal_filter.h>
#include <platform/save_file.h>

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
            x.pmi_lost = 2 * t;
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
    EXPECT_EQ(t.at("apic").at("pmi_lost"), 4);
    EXPECT_EQ(t.at("apic").at("eoi"), 0);
    EXPECT_EQ(o.at("expectations")[0].at("name"), "n");
    EXPECT_EQ(o.at("expectations")[0].at("pass"), true);
    EXPECT_EQ(o.at("expectations")[0].at("actual"), 3);
}

// Two interrupts of 42 and 100 clocks.
knc::core::skid_statistics two_interrupts() {
    knc::core::skid_statistics s;
    s.count = 2;
    s.total = {42, 100, 142};
    s.delivery = {1, 1, 2};
    s.boundary = {1, 19, 20};
    s.entry = {40, 80, 120};
    s.instructions = {0, 3, 3};
    s.histogram[5] = s.histogram[6] = 1;
    return s;
}

TEST(report, has_the_skid_of_each_thread) {
    report r = example();
    r.threads[5].pmu.skid = two_interrupts();
    const auto o = to_json(r);
    const auto& s = o.at("threads")[5].at("pmu").at("skid");
    EXPECT_EQ(s.at("count"), 2);
    EXPECT_EQ(s.at("min"), 42);
    EXPECT_EQ(s.at("max"), 100);
    EXPECT_EQ(s.at("sum"), 142);
    EXPECT_EQ(s.at("mean"), 71.0);
    EXPECT_EQ(s.at("parts").at("delivery").at("max"), 1);
    EXPECT_EQ(s.at("parts").at("boundary").at("mean"), 10.0);
    EXPECT_EQ(s.at("parts").at("entry").at("min"), 40);
    EXPECT_EQ(s.at("parts").at("entry").at("sum"), 120);
    EXPECT_EQ(s.at("instructions").at("mean"), 1.5);
    // 32 to 63 and 64 to 127 clocks.
    const auto bins = nlohmann::ordered_json::parse(
        R"([{"from": 32, "to": 63, "count": 1}, {"from": 64, "to": 127, "count": 1}])");
    EXPECT_EQ(s.at("histogram"), bins);

    const auto& none = o.at("threads")[4].at("pmu").at("skid");
    EXPECT_EQ(none.at("count"), 0);
    EXPECT_EQ(none.at("mean"), 0.0);
    EXPECT_TRUE(none.at("histogram").empty());
}

TEST(report, shows_skid_of_threads_that_took_interrupts) {
    report r = example();
    std::ostringstream without, with;
    write_text(without, r);
    EXPECT_EQ(without.str().find("skid"), std::string::npos);
    r.threads[5].pmu.skid = two_interrupts();
    write_text(with, r);
    const std::string text = with.str();
    const auto at = text.find("\nskid: ");
    ASSERT_NE(at, std::string::npos);
    // Least, mean and most of the whole and of its parts.
    EXPECT_NE(text.find("1.1", at), std::string::npos);
    for (const char* part :
         {"42 71.0 100", "1 1.0 1", "1 10.0 19", "40 60.0 80", "0 1.5 3", "32-63: 1", "64-127: 1"})
        EXPECT_NE(text.find(part, at), std::string::npos) << part;
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
    // A session that waits in vain is a failure, however the run ended.
    r = example();
    r.unheard = "s.toml:3: ...";
    EXPECT_EQ(r.status(), 1);
    r.reason = "session";
    EXPECT_EQ(r.status(), 1);
    r.reason = "deadlock";
    EXPECT_EQ(r.status(), 3);
    r = example();
    r.reason = "user";
    EXPECT_EQ(r.status(), 0);
    r.expectations.push_back({"n", false, 3});
    EXPECT_EQ(r.status(), 1);
}

TEST(report, says_how_the_run_ended) {
    const struct {
        const char* reason;
        std::uint32_t code;
        const char* detail;
        const char* line;
    } endings[] = {
        {"firmware", 0, "", "power off: firmware ended the run with code 0"},
        {"firmware", 3, "", "guest reported failure 3: firmware ended the run with code 3"},
        {"deadlock", 0, "core 0", "hung: all threads halted, and nothing will wake one (core 0)"},
        {"limit", 0, "70 clocks", "time limit reached (70 clocks)"},
        {"unsupported", 0, "port I/O", "not modelled (port I/O)"},
        {"session", 0, "", "session failed"},
        {"user", 0, "Ctrl-A x", "ended by the user (Ctrl-A x)"},
    };
    for (const auto& e : endings) {
        report r = example();
        r.reason = e.reason;
        r.code = e.code;
        r.detail = e.detail;
        std::ostringstream out;
        write_summary(out, r);
        EXPECT_EQ(out.str().substr(0, out.str().find('\n')), e.line);
        const bool badly = std::string{e.reason} == "user" || std::string{e.line}[0] == 'p';
        EXPECT_EQ(r.ended_badly(), !badly) << e.reason;
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

// What a save file of these signals says, from 1 ns to 1 ns and 6 frames of 2^10 ps.
std::string save_file(const knc::base::signal_list& list,
                      const std::vector<trace_view::mark>& marks = {}) {
    std::ostringstream out;
    const sc_core::sc_time from(1, sc_core::SC_NS), span(6144, sc_core::SC_PS);
    write_save_file(out, list, translations{list, nullptr},
                    {"trace.vcd", from, from + span, marks});
    return out.str();
}

// A scope with one signal is no group; the signal then has its whole name.
TEST(write_save_file, groups_by_scope_and_shows_wide_signals_in_hexadecimal) {
    const std::string text = save_file(signals);
    EXPECT_NE(text.find("[timestart] 1000\n"), std::string::npos);
    EXPECT_NE(text.find("\n*-10.000000 1000\n"), std::string::npos) << text;
    EXPECT_NE(text.find("@800200\n-tile0.t0.pmu\n@22\n+{cntr0} SystemC.tile0.t0.pmu.cntr0[39:0]\n"
                        "@28\n+{pmi} SystemC.tile0.t0.pmu.pmi\n@1000200\n-tile0.t0.pmu\n"
                        "@28\n+{tile0 t1 pmu pmi} SystemC.tile0.t1.pmu.pmi\n"),
              std::string::npos)
        << text;
}

// The members of a scope need not follow each other. 2024H: decimal, translated; 88024H: decimal, a
// curve, with a line of its own below it.
TEST(write_save_file, names_values_and_draws_levels) {
    static const knc::base::value_names names{"state", {"off", "on"}};
    using form = knc::base::signal_form;
    const knc::base::signal_list list = {{"a.state", 2, &value, "", form::pattern, &names},
                                         {"b.count", 8, &value, "", form::number},
                                         {"a.queue", 16, &value, "", form::level}};
    const std::string text = save_file(list);
    EXPECT_NE(text.find("-a\n[color] 3\n@2024\n^1 trace.state.txt\n+{state} SystemC.a.state[1:0]\n"
                        "[color] 2\n@88024\n+{queue} SystemC.a.queue[15:0]\n@20200\n-\n@1000200\n"
                        "-a\n@24\n+{b count} SystemC.b.count[7:0]\n"),
              std::string::npos)
        << text;
    const translations t{list, nullptr};
    ASSERT_EQ(t.files().size(), 1u);
    std::ostringstream out;
    write_translation(out, t.files()[0]);
    EXPECT_EQ(out.str(), "0 off\n1 on\n");
}

// Those outside the view are no markers.
TEST(write_save_file, marks_are_markers) {
    const auto at = [](double ps) { return sc_core::sc_time(ps, sc_core::SC_PS); };
    const std::string text = save_file(
        signals,
        {{at(999), "mark 1"}, {at(1000), "mark 2"}, {at(7144), "mark 3"}, {at(7145), "mark 4"}});
    EXPECT_NE(
        text.find("\n*-10.000000 1000 1000 7144\n[markername] Amark 2\n[markername] Bmark 3\n["),
        std::string::npos)
        << text;
}

}  // namespace
}  // namespace platform
