// Scenario files: what they set, and that each mistake is named with file, line and key.
#include <platform/scenario.h>

#include <random>

#include <gtest/gtest.h>

#include <platform/input_error.h>

namespace platform {
namespace {

std::string refusal(const std::string& text) {
    try {
        settings s;
        set_all(s, read_scenario(text, "s.toml").keys);
    } catch (const input_error& e) {
        EXPECT_EQ(std::string{e.what()}.find('\n'), std::string::npos) << "one line: " << e.what();
        return e.what();
    }
    return "";
}

void expect_refusal(const std::string& text, const std::string& place, const std::string& what) {
    const std::string said = refusal(text);
    EXPECT_EQ(said.substr(0, place.size()), place) << said;
    EXPECT_NE(said.find(what), std::string::npos) << said;
}

TEST(scenario, reads_everything_it_may_hold) {
    const scenario s = read_scenario(R"(
preset = "3120a"
image = "x.elf"
cmdline = "a=1"
[core]
issue_interval = 3
[limits]
max_cycles = 1_000
[trace]
scopes = ["tile0.*", "tile1"]
[[expect]]
name = "branches"
event = "BRANCHES"
core = 1
thread = 2
min = 5
[[expect]]
name = "greeting"
console = "hello"
[[expect]]
name = "end"
exit = "firmware"
equals = 3
)",
                                     "s.toml");
    EXPECT_EQ(s.preset, "3120a");
    EXPECT_EQ(s.image, "x.elf");
    EXPECT_EQ(s.cmdline, "a=1");
    settings c;
    set_all(c, s.keys);
    EXPECT_EQ(c.card.core.issue_interval, 3u);
    EXPECT_EQ(c.limits.max_cycles, 1000u);
    EXPECT_EQ(c.trace.scopes, "tile0.*,tile1");
    ASSERT_EQ(s.expectations.size(), 3u);
    EXPECT_EQ(s.expectations[0].event, knc::base::branches);
    EXPECT_EQ(s.expectations[0].core, 1u);
    EXPECT_EQ(s.expectations[0].low, 5u);
    EXPECT_EQ(s.expectations[0].high, ~0ull);
    EXPECT_EQ(s.expectations[1].what, "hello");
    EXPECT_EQ(s.expectations[2].low, 3u);
    EXPECT_EQ(s.expectations[2].high, 3u);
}

TEST(scenario, reads_phases_levels_metrics_and_the_description) {
    const scenario s = read_scenario(R"(
description = "one line"
[[expect]]
name = "a phase"
event = "BRANCHES"
from = 3
to = 0xffff_ffff
level = "user"
max = 5
[[expect]]
name = "the rest"
count = "cycles"
from = 4
equals = 7
[[expect]]
name = "kernel"
event = "BRANCHES"
level = "kernel"
min = 1
[[expect]]
name = "a ratio"
min = 0.25
max = 2
metric = "L1HIT"
core = 1
thread = 3
)",
                                     "s.toml");
    EXPECT_EQ(s.description, "one line");
    ASSERT_EQ(s.expectations.size(), 4u);
    const auto& e = s.expectations;
    EXPECT_EQ(e[0].from, 3u);
    EXPECT_EQ(e[0].to, 0xffff'ffffu);
    EXPECT_EQ(e[0].level, expectation::levels::user);
    EXPECT_EQ(e[0].low, 0u);
    EXPECT_EQ(e[0].high, 5u);
    EXPECT_EQ(e[1].from, 4u);
    EXPECT_EQ(e[1].to, std::nullopt);
    EXPECT_EQ(e[1].level, expectation::levels::all);
    EXPECT_EQ(e[1].low, 7u);
    EXPECT_EQ(e[1].high, 7u);
    EXPECT_EQ(e[2].level, expectation::levels::kernel);
    // Bounds may stand before what they bound.
    EXPECT_EQ(e[3].of, expectation::subject::metric);
    EXPECT_EQ(e[3].least, 0.25);
    EXPECT_EQ(e[3].most, 2);
    EXPECT_EQ(e[3].thread, 3u);
}

TEST(scenario, reads_console_and_session) {
    const scenario s = read_scenario(R"(
console = "file:out"
[[session]]
wait = "login: "
send = "root\n"
[[session]]
wait = "# "
timeout = 3
[[session]]
send = "exit"
timeout = "none"
[[session]]
wait = "bye"
timeout = 0.25
)",
                                     "s.toml");
    EXPECT_EQ(s.console->of, console_choice::kind::file);
    EXPECT_EQ(s.console->path, "out");
    ASSERT_EQ(s.session.size(), 4u);
    EXPECT_EQ(s.session[0].wait, "login: ");
    EXPECT_EQ(s.session[0].send, "root\n");
    EXPECT_EQ(s.session[0].timeout, 10);
    EXPECT_EQ(s.session[0].place, "s.toml:3");
    EXPECT_EQ(s.session[1].timeout, 3);
    EXPECT_EQ(s.session[2].timeout, std::nullopt);
    EXPECT_EQ(s.session[3].timeout, 0.25);
    EXPECT_FALSE(read_scenario("", "s.toml").console);
}

TEST(scenario, names_line_and_key_of_a_bad_session) {
    const std::string one = "[[session]]\n";
    expect_refusal("console = \"tty\"\n", "s.toml:1:", "key console: one of stdio");
    expect_refusal("console = 3\n", "s.toml:1:", "key console");
    expect_refusal("session = 3\n", "s.toml:1:", "[[session]]");
    expect_refusal("[session]\nwait = \"x\"\n", "s.toml:1:", "[[session]]");
    expect_refusal(one, "s.toml:1:", "wait, send or both");
    expect_refusal(one + "wait = 3\n", "s.toml:2:", "session.wait");
    expect_refusal(one + "wait = \"x\"\nreply = \"y\"\n", "s.toml:3:", "session.reply");
    for (const char* wrong : {"0", "-1", "-0.5", "nan", "inf", "\"ever\"", "2000000", "true"})
        expect_refusal(one + "wait = \"x\"\ntimeout = " + wrong + "\n",
                       "s.toml:3:", "session.timeout");
}

TEST(scenario, reads_accesses_to_msrs) {
    const scenario s = read_scenario(
        "msr_socket = \"s\"\n[[msr]]\nat = 1_000\nread = 0x20\n[[msr]]\nat = 0\nthread = "
        "7\nwrite = [0xffff_ffff, 0x7fff_ffff_ffff_ffff]\n",
        "s.toml");
    EXPECT_EQ(s.msr_socket, "s");
    ASSERT_EQ(s.msr.size(), 2u);
    EXPECT_EQ(s.msr[0].at, 1000u);
    EXPECT_EQ(s.msr[0].thread, 0u);
    EXPECT_EQ(s.msr[0].number, 0x20u);
    EXPECT_FALSE(s.msr[0].write);
    EXPECT_EQ(s.msr[0].place, "s.toml:2");
    EXPECT_EQ(s.msr[1].at, 0u);
    EXPECT_EQ(s.msr[1].thread, 7u);
    EXPECT_EQ(s.msr[1].number, 0xffff'ffffu);
    EXPECT_TRUE(s.msr[1].write);
    EXPECT_EQ(s.msr[1].value, 0x7fff'ffff'ffff'ffffu);
}

TEST(scenario, names_line_and_key_of_a_bad_access_to_an_msr) {
    const std::string one = "[[msr]]\nat = 1\n";
    expect_refusal("msr = 3\n", "s.toml:1:", "[[msr]]");
    expect_refusal("msr_socket = 3\n", "s.toml:1:", "key msr_socket");
    expect_refusal(one, "s.toml:1:", "one of read and write");
    expect_refusal("[[msr]]\nread = 1\n", "s.toml:1:", "wants at");
    expect_refusal(one + "read = 1\nwrite = [1, 2]\n", "s.toml:1:", "one of read and write");
    expect_refusal(one + "read = -1\n", "s.toml:3:", "msr.read");
    expect_refusal(one + "read = 0x1_0000_0000\n", "s.toml:3:", "no MSR has this number");
    expect_refusal(one + "write = [1]\n", "s.toml:3:", "msr.write: [NUMBER, VALUE]");
    expect_refusal(one + "write = [1, \"x\"]\n", "s.toml:3:", "msr.write");
    expect_refusal(one + "thread = 1.5\nread = 1\n", "s.toml:3:", "msr.thread");
    expect_refusal(one + "read = 1\nequals = 1\n", "s.toml:4:", "unknown key msr.equals");
}

TEST(scenario, names_line_and_key_of_a_mistake) {
    expect_refusal("[core]\nissue_intervall = 3\n",
                   "s.toml:2:", "unknown key core.issue_intervall");
    expect_refusal("[card]\ntiles = 2\nmemory = \"much\"\n", "s.toml:3:", "key card.memory");
    expect_refusal("\n\ncolour = 1\n", "s.toml:3:", "unknown key colour");
    expect_refusal("[card]\ntiles = 2.5\n", "s.toml:2:", "key card.tiles");
    expect_refusal("[card]\ntiles = 1979-05-27\n", "s.toml:2:", "key card.tiles");
    expect_refusal("preset = 3\n", "s.toml:1:", "key preset");
    expect_refusal("\n\na = '\x80'\n", "s.toml:3:", "UTF-8");
    expect_refusal("[card\n", "s.toml:1:", "");
    expect_refusal("a = \n", "s.toml:1:", "");
    expect_refusal("\n\na = 1\na = 2\n", "s.toml:", "");
    expect_refusal(std::string(100'000, '['), "s.toml: ", "deeply");
    expect_refusal("a = " + std::string(100'000, '['), "s.toml: ", "deeply");
}

// A quoted key may have any character, and any length.
TEST(scenario, a_message_stays_one_line_that_can_be_read) {
    EXPECT_EQ(refusal("image = \"x\"\n\"a\\nb\\u001b[1m\" = 1\n"),
              "s.toml:2: unknown key a_b_[1m (knc-vp list keys)");
    const std::string longest = refusal('"' + std::string(5000, 'k') + "\" = 1\n");
    EXPECT_EQ(longest, "s.toml:1: unknown key " + std::string(1000 - 22, 'k') + "...");
}

TEST(scenario, names_line_and_key_of_a_bad_expectation) {
    const auto expecting = [](const std::string& text) {
        return "[[expect]]\nname = \"n\"\n" + text;
    };
    expect_refusal("[[expect]]\nevent = \"BRANCHES\"\nmin = 1\n", "s.toml:", "expect.name");
    expect_refusal(expecting("min = 1\n"), "s.toml:", "one of event");
    expect_refusal(expecting("event = \"BRANCHES\"\ncount = \"pmi\"\nmin = 1\n"),
                   "s.toml:", "one of event");
    expect_refusal(expecting("event = \"BRANCHS\"\nmin = 1\n"), "s.toml:", "no event 'BRANCHS'");
    expect_refusal(expecting("count = \"pmis\"\nmin = 1\n"), "s.toml:", "no count 'pmis'");
    expect_refusal(expecting("count = \"pmi\"\n"), "s.toml:", "min, max or equals");
    expect_refusal(expecting("count = \"pmi\"\nmin = 2\nmax = 1\n"), "s.toml:", "greater");
    expect_refusal(expecting("count = \"pmi\"\nmin = -1\n"), "s.toml:4:", "expect.min");
    expect_refusal(expecting("console = \"x\"\nmin = 1\n"), "s.toml:", "no min");
    expect_refusal(expecting("exit = \"firmware\"\ncore = 1\n"), "s.toml:", "core and thread");
    expect_refusal(expecting("console = \"x\"\nmaybe = 1\n"),
                   "s.toml:4:", "unknown key expect.maybe");
    expect_refusal("expect = 3\n", "s.toml:1:", "[[expect]]");
    // Levels, phases and metrics.
    expect_refusal(expecting("event = \"BRANCHES\"\nlevel = \"os\"\nmin = 1\n"),
                   "s.toml:4:", "kernel or user");
    expect_refusal(expecting("count = \"pmi\"\nlevel = \"user\"\nmin = 1\n"),
                   "s.toml:", "level goes with event");
    expect_refusal(expecting("count = \"pmi\"\nfrom = -1\nmin = 1\n"), "s.toml:4:", "expect.from");
    expect_refusal(expecting("count = \"pmi\"\nto = 0x1_0000_0000\nmin = 1\n"),
                   "s.toml:4:", "no mark has this number");
    expect_refusal(expecting("console = \"x\"\nfrom = 1\n"), "s.toml:", "from and to go with");
    expect_refusal(expecting("count = \"counter0\"\nto = 1\nmin = 1\n"),
                   "s.toml:", "counter0 is of the whole run");
    expect_refusal(expecting("count = \"resets\"\ncore = 1\nmin = 1\n"),
                   "s.toml:", "resets is of the card");
    expect_refusal(expecting("count = \"cycles\"\nthread = 1\nmin = 1\n"),
                   "s.toml:", "cycles is of the card");
    expect_refusal(expecting("metric = \"L1HITS\"\nmin = 1\n"), "s.toml:", "no metric 'L1HITS'");
    expect_refusal(expecting("metric = \"L1HIT\"\n"), "s.toml:", "min, max or equals");
    expect_refusal(expecting("metric = \"L1HIT\"\nequals = 1\n"), "s.toml:4:", "min and max");
    expect_refusal(expecting("metric = \"L1HIT\"\nmin = \"1\"\n"), "s.toml:4:", "expect.min");
    expect_refusal(expecting("metric = \"L1HIT\"\nmin = nan\n"), "s.toml:4:", "expect.min");
    expect_refusal(expecting("metric = \"L1HIT\"\nmin = 0.5\nmax = 0.4\n"), "s.toml:", "greater");
    expect_refusal(expecting("metric = \"L1HIT\"\nthread = 1\nmin = 1\n"),
                   "s.toml:", "expect.thread");
    expect_refusal(expecting("metric = \"ELI\"\ncore = 0\nthread = 1\nmin = 1\n"),
                   "s.toml:", "expect.thread");
    expect_refusal(expecting("event = \"BRANCHES\"\nmin = 0.5\n"), "s.toml:4:", "expect.min");
    expect_refusal("description = \"a\\nb\"\n", "s.toml:1:", "one line");
}

// Text made of TOML's own characters: either read or refused in one line.
TEST(scenario, random_text_does_no_harm) {
    const std::string alphabet = "ab=[]{}\".,\n #'\\_-:0123456789Tu\t\x80";
    std::mt19937 random{20260102};
    unsigned refused = 0;
    for (int n = 0; n < 20'000; ++n) {
        std::string text(random() % 40, '\0');
        for (char& c : text) c = alphabet[random() % alphabet.size()];
        refused += refusal(text).empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace platform
