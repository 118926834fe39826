// Sweeps: what a file may hold, the order of the runs, the command lines, the table.
#include <platform/sweep_points.h>
#include <platform/sweep_table.h>

#include <sstream>

#include <gtest/gtest.h>

#include <platform/input_error.h>
#include <platform/report_counts.h>

namespace platform {
namespace {

sweep_file read(const std::string& text) {
    return read_sweep("image = \"x.elf\"\n" + text, "dir/s.toml");
}

std::string axis(const std::string& key, const std::string& values, const std::string& more = "") {
    return "[[axis]]\nkey = \"" + key + "\"\nvalues = " + values + "\n" + more;
}

// All runs, "1 a; 1 b; ...".
std::string runs(const sweep_file& s) {
    std::string text;
    for (const sweep_point& p : expand(s)) {
        if (!text.empty()) text += "; ";
        for (std::size_t n = 0; n < p.size(); ++n) text += (n == 0 ? "" : " ") + p[n];
    }
    return text;
}

std::string refusal(const std::string& text) {
    try {
        expand(read_sweep(text, "s.toml"));
    } catch (const input_error& e) {
        EXPECT_EQ(std::string{e.what()}.find('\n'), std::string::npos) << "one line: " << e.what();
        return e.what();
    }
    return "";
}

TEST(sweep, last_axis_changes_fastest) {
    EXPECT_EQ(runs(read(axis("card.tiles", "[2, 1]") + axis("cmdline", "[\"a\", \"b\", \"c\"]"))),
              "2 a; 2 b; 2 c; 1 a; 1 b; 1 c");
}

TEST(sweep, axes_of_a_group_advance_together) {
    // The group stands where its first axis does: before the axis between them.
    EXPECT_EQ(runs(read(axis("card.tiles", "[1, 2]", "zip = \"size\"\n") +
                        axis("card.caches", "[true, false]") +
                        axis("cmdline.cores", "[1, 2]", "zip = \"size\"\n"))),
              "1 true 1; 1 false 1; 2 true 2; 2 false 2");
    EXPECT_EQ(refusal("image = \"x\"\n" + axis("card.tiles", "[1, 2]", "zip = \"a\"\n") +
                      axis("core.banks", "[1, 2, 3]", "zip = \"a\"\n")),
              "s.toml:6: key axis.zip: 3 values of core.banks, 2 of card.tiles");
}

TEST(sweep, ranges_have_steps_or_factors) {
    const auto range = [](const std::string& of) {
        return runs(read("[[axis]]\nkey = \"cmdline.n\"\n" + of));
    };
    EXPECT_EQ(range("from = 3\nto = 5"), "3; 4; 5");
    EXPECT_EQ(range("from = 0\nto = 10\nstep = 4"), "0; 4; 8");
    EXPECT_EQ(range("from = 1\nto = 16\nfactor = 2"), "1; 2; 4; 8; 16");
    EXPECT_EQ(range("from = 3\nto = 26\nfactor = 3"), "3; 9");
    EXPECT_EQ(range("from = 7\nto = 7"), "7");
    // The next number would not fit into 64 bits, nor does it exist.
    EXPECT_EQ(range("from = 9223372036854775806\nto = 9223372036854775807\nfactor = 2"),
              "9223372036854775806");
}

TEST(sweep, words_of_the_command_line) {
    EXPECT_EQ(with_word("", "n", "1"), "n=1");
    EXPECT_EQ(with_word("fast", "n", "1"), "fast n=1");
    EXPECT_EQ(with_word("n=7 fast n=8 nn=9", "n", "1"), "n=1 fast n=1 nn=9");
    EXPECT_EQ(with_word("an=7 ", "n", "1"), "an=7 n=1");

    const sweep_file s = read("cmdline = \"n=0 fast\"\n[limits]\nmax_cycles = 9\n" +
                              axis("cmdline.n", "[5]") + axis("card.tiles", "[2]"));
    const run_options o = options_at(s, expand(s).at(0));
    EXPECT_EQ(o.file, "dir/x.elf");
    EXPECT_FALSE(o.image);
    EXPECT_EQ(o.cmdline, "n=5 fast");
    // The axis comes last, so it wins.
    EXPECT_EQ(o.set, (std::vector<std::string>{"limits.max_cycles=9", "card.tiles=2"}));
    EXPECT_EQ(point_text(s, expand(s).at(0)), "cmdline.n=5 card.tiles=2");
}

TEST(sweep, mistakes_have_file_line_and_key) {
    const std::string good = "image = \"x\"\n" + axis("card.tiles", "[1]");
    EXPECT_EQ(refusal(good), "");
    const std::pair<std::string, std::string> mistakes[] = {
        {"image = \"x\"\n", "s.toml: key axis: a sweep has one at least"},
        {axis("card.tiles", "[1]"), "s.toml: key image: a sweep names a scenario or an image"},
        {good + "values = 3\n", "s.toml:5: "},
        {"image = 3\n" + axis("card.tiles", "[1]"), "s.toml:1: key image: text is wanted"},
        {"colour = 3\n" + good, "s.toml:1: unknown key colour"},
        {"image = \"x\"\n" + axis("card.tile", "[1]"),
         "s.toml:3: key axis.key: unknown key card.tile (knc-vp list keys)"},
        {"image = \"x\"\n" + axis("cmdline.", "[1]"), "s.toml:3: key axis.key: cmdline.: a word"},
        {"image = \"x\"\n" + axis("cmdline.n", "[\"a b\"]"),
         "s.toml:4: key axis.values: 'a b' is not one word"},
        {"image = \"x\"\n" + axis("card.tiles", "[]"),
         "s.toml:4: key axis.values: a list of values is wanted"},
        {"image = \"x\"\n" + axis("card.tiles", "3"),
         "s.toml:4: key axis.values: a list of values is wanted"},
        {"image = \"x\"\n" + axis("card.tiles", "[1.5]"),
         "s.toml:4: key axis.values: a number, true, false or text is wanted"},
        {"image = \"x\"\n" + axis("card.tiles", "[1, 99]"),
         "s.toml:4: key axis.values: key card.tiles: '99' is not a number from 1 to 62"},
        {"image = \"x\"\n" + axis("card.tiles", "[1, 1]"),
         "s.toml:2: key axis.values: 1 stands there twice"},
        {"image = \"x\"\n" + axis("preset", "[\"none\"]"),
         "s.toml:4: key axis.values: no preset 'none'"},
        {axis("image", "[\"none.elf\"]"),
         "s.toml:3: key axis.values: none.elf: No such file or directory"},
        {good + axis("card.tiles", "[2]"), "s.toml:5: key axis.key: card.tiles has two axes"},
        {good + "colour = 1\n", "s.toml:5: unknown key axis.colour"},
        {good + "from = 1\n", "s.toml:2: key axis: wants values, or from and to"},
        {"image = \"x\"\n[[axis]]\nvalues = [1]\n", "s.toml:2: key axis.key: every axis has one"},
        {"image = \"x\"\n[[axis]]\nkey = \"cmdline.n\"\n",
         "s.toml:2: key axis: wants values, or from and to"},
        {"image = \"x\"\n[[axis]]\nkey = \"cmdline.n\"\nfrom = 1\n",
         "s.toml:2: key axis: a range has from and to"},
        {"image = \"x\"\n[[axis]]\nkey = \"cmdline.n\"\nfrom = 2\nto = 1\n",
         "s.toml:2: key axis.from: greater than axis.to"},
        {"image = \"x\"\n[[axis]]\nkey = \"cmdline.n\"\nfrom = 1\nto = 2\nstep = 0\n",
         "s.toml:2: key axis.step: a number above 0"},
        {"image = \"x\"\n[[axis]]\nkey = \"cmdline.n\"\nfrom = 0\nto = 2\nfactor = 2\n",
         "s.toml:2: key axis.factor: from 2 up"},
        {"image = \"x\"\n[[axis]]\nkey = \"cmdline.n\"\nfrom = 1\nto = 2\nstep = 1\nfactor = 2\n",
         "s.toml:2: key axis: a range has step or factor"},
        {"image = \"x\"\n[[axis]]\nkey = \"cmdline.n\"\nfrom = 0\nto = 10000\n",
         "s.toml:2: key axis: more than 10000 values"},
        {"image = \"x\"\n[[axis]]\nkey = \"cmdline.n\"\nfrom = 1\nto = 101\n"
         "[[axis]]\nkey = \"cmdline.m\"\nfrom = 1\nto = 100\n",
         "s.toml:6: key axis: 10100 runs or more; 10000 are the most"},
        {"columns = [\"SPEED\"]\n" + good,
         "s.toml:1: key columns: no metric, event or count 'SPEED'"},
        {"columns = [\"pmi\", \"pmi\"]\n" + good,
         "s.toml: key columns: there is a column pmi already"},
        {"columns = [\"cycles\"]\n" + good,
         "s.toml: key columns: there is a column cycles already"},
        {good + "[[column]]\nname = \"a\"\n", "s.toml:5: key column: wants one of event, count"},
        {good + "[[column]]\nname = \"a\"\nexit = \"b\"\n",
         "s.toml:5: key column: wants one of event, count, metric, console"},
        {good + "[[column]]\nname = \"a\"\nconsole = \"\"\n",
         "s.toml:5: key column: wants one of event, count, metric, console"},
        {good + "[[column]]\nname = \"a\"\nconsole = \"b\"\nfrom = 1\n",
         "s.toml:5: key column: core and thread, from and to go with event, count and metric"},
        {good + "[[column]]\nname = \"a\"\ncount = \"pmi\"\nmin = 1\n",
         "s.toml:8: unknown key column.min"},
        {good + "[[column]]\nname = \"a\"\nevent = \"BRANCHES\"\nfrom = 1\n",
         "s.toml:5: key column: from and to go with metric and with the count cycles"},
        {good + "[limits]\nmax_cycles = \"x\"\n", "s.toml:6: key limits.max_cycles: 'x' is not"},
    };
    for (const auto& [text, wanted] : mistakes)
        EXPECT_EQ(refusal(text).substr(0, wanted.size()), wanted) << text;
}

report example() {
    report r;
    r.preset = "mini";
    r.reason = "firmware";
    r.cycles = 2200;
    r.instructions = 96;
    r.resets = 2;
    r.marks = {{1, 500}, {7, 900}};
    for (unsigned n = 0; n < 8; ++n) {
        thread_report t;
        t.core = n / 4;
        t.thread = n % 4;
        t.instructions = 10 + n;
        t.events[knc::base::branches] = 100 + n;
        t.events_user[knc::base::branches] = n;
        t.pmu.counter = {20 + n, 30 + n};
        t.pmu.overflows = {n, 2 * n};
        t.pmu.status = n % 3;
        t.pmu.skid.count = n;
        t.pmu.skid.total.min = 40 + n;
        t.pmu.skid.total.max = 80 - n;
        t.pmu.skid.instructions.max = n;
        t.pmi = 3 * n;
        t.pmi_lost = 4 * n;
        t.eoi = 5 * n;
        r.threads.push_back(t);
    }
    return r;
}

// Every count and event comes back from report.json as it was, for the card, a core and a thread.
TEST(sweep, counts_come_back_from_the_report) {
    const report before = example();
    const report after = counts_of(to_json(before));
    expectation e;
    e.of = expectation::subject::count;
    for (const char* name : {"instructions", "overflow0", "overflow1", "pmi", "pmi_lost", "eoi",
                             "counter0", "counter1", "status", "skid_count", "skid_min", "skid_max",
                             "skid_instructions", "cycles", "resets", "marks"}) {
        e.what = name;
        e.core = e.thread = std::nullopt;
        EXPECT_TRUE(judge(e, before, "").actual.is_number()) << name;
        EXPECT_EQ(judge(e, after, "").actual, judge(e, before, "").actual) << name;
        if (!find_count(name)->of_threads) continue;
        e.core = 1;
        EXPECT_EQ(judge(e, after, "").actual, judge(e, before, "").actual) << name;
        e.thread = 2;
        EXPECT_EQ(judge(e, after, "").actual, judge(e, before, "").actual) << name;
    }
    e = {};
    e.event = knc::base::branches;
    EXPECT_EQ(judge(e, after, "").actual, 8 * 100 + 28);  // 0 + 1 + ... + 7 = 28
    e.level = expectation::levels::user;
    EXPECT_EQ(judge(e, after, "").actual, 28);
}

TEST(sweep, metrics_are_those_of_a_phase) {
    const auto phases = nlohmann::ordered_json::parse(R"([
        {"from": "begin", "to": "end", "cycles": [0, 2200], "card": {"metrics": {"CPI": 2.5}},
         "cores": [{"core": 1, "metrics": {"CPI": 3.5}}],
         "threads": [{"core": 1, "thread": 2, "metrics": {"CPI": null}}]},
        {"from": "begin", "to": "mark 1", "cycles": [0, 510], "card": {"metrics": {"CPI": 4.5}}},
        {"from": "mark 1", "to": "mark 7", "cycles": [510, 910], "card": {"metrics": {"CPI": 5.5}}},
        {"from": "mark 7", "to": "end", "cycles": [910, 2200], "card": {"metrics": {"CPI": 6.5}}}])");
    auto written = to_json(example());
    written["phases"] = phases;
    const report counts = counts_of(written);
    expectation e;
    e.of = expectation::subject::metric;
    e.what = "CPI";
    const auto value = [&] { return value_of(e, written, counts); };
    EXPECT_EQ(value(), 2.5);
    e.core = 1;
    EXPECT_EQ(value(), 3.5);
    e.thread = 2;
    EXPECT_TRUE(value().is_null()) << "a division by zero";
    e.core = 0;
    EXPECT_TRUE(value().is_null()) << "the thread executed nothing";
    e.core = e.thread = std::nullopt;
    e.to = 1;
    EXPECT_EQ(value(), 4.5);
    e.from = 1;
    EXPECT_TRUE(value().is_null()) << "from mark 1 to mark 1";
    e.to = 7;
    EXPECT_EQ(value(), 5.5);
    // Clocks from any mark to any later one.
    e.of = expectation::subject::count;
    e.what = "cycles";
    EXPECT_EQ(value(), 400);
    e.from = std::nullopt;
    EXPECT_EQ(value(), 910);
    e.to = 8;
    EXPECT_TRUE(value().is_null()) << "no such mark";
}

TEST(sweep, numbers_of_the_console) {
    const std::string console = "n: 12 of 13\nn: 7\nrate =\t-2.5e\nlast: ";
    EXPECT_EQ(number_behind("n: ", console), 12);
    EXPECT_EQ(number_behind("n:", console), 12);
    EXPECT_EQ(number_behind("rate =", console), -2.5);
    for (const char* text : {"m: ", "last: ", "last", "12 "})
        EXPECT_TRUE(number_behind(text, console).is_null()) << text;
}

TEST(sweep, table_has_a_row_for_each_run) {
    const sweep_file s = read("columns = [\"pmi\", \"BRANCHES\", \"failed_expectations\"]\n" +
                              std::string{"[[column]]\nname = \"rate\"\nconsole = \"rate:\"\n"} +
                              axis("cmdline", "[\"a,b\", \"say \\\"x\\\"\", \"two\\nlines\"]") +
                              axis("card.tiles", "[2]"));
    const auto points = expand(s);
    report r = example();
    r.expectations = {{"one", true, 1}, {"two", false, 2}};
    sweep_table t = empty_table(s);
    add_run(t, s, points[0], 1, to_json(r), "the rate: 2.50 a clock\nrate: 3\n");
    add_run(t, s, points[1], 137, std::nullopt, "");
    add_run(t, s, points[2], 1, to_json(r), "");
    std::ostringstream out;
    write_csv(out, t);
    // pmi: 3 * 28.
    EXPECT_EQ(out.str(),
              "run,cmdline,card.tiles,status,end,cycles,instructions,pmi,BRANCHES,"
              "failed_expectations,rate\r\n"
              "1,\"a,b\",2,1,firmware,2200,96,84,828,1,2.5\r\n"
              "2,\"say \"\"x\"\"\",2,137,,,,,,,\r\n"
              "3,\"two\nlines\",2,1,firmware,2200,96,84,828,1,\r\n");
}

}  // namespace
}  // namespace platform
