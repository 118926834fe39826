// What the console is made of: session, keys, text for messages, the choice of its end.
#include <platform/console.h>

#include <gtest/gtest.h>

#include <platform/console_text.h>
#include <platform/escape_keys.h>
#include <platform/input_error.h>

namespace platform {
namespace {

session_step step(const std::string& wait, const std::string& send,
                  std::optional<double> timeout = {}) {
    return {wait, send, timeout, "s.toml:7"};
}

std::string typed(session& s) {
    std::string text;
    while (const auto c = s.next()) text += *c;
    return text;
}

bool heard(session& s, const std::string& text, knc::base::cycle_t now) {
    bool ended = false;
    for (const char c : text) ended = s.heard(c, now) || ended;
    return ended;
}

TEST(session, types_when_the_text_has_come) {
    session s({step("in: ", "root\n"), step("# ", "ls\n"), step("", "exit\n")}, 1000);
    EXPECT_EQ(typed(s), "");
    EXPECT_FALSE(heard(s, "log in:", 1));
    EXPECT_EQ(typed(s), "");
    EXPECT_TRUE(heard(s, " ", 2));
    EXPECT_EQ(typed(s), "root\n");
    EXPECT_EQ(typed(s), "");
    EXPECT_EQ(s.waiting()->wait, "# ");
    EXPECT_TRUE(heard(s, "# ", 3));
    EXPECT_EQ(typed(s), "ls\nexit\n");  // a step that waits for nothing follows at once
    EXPECT_EQ(s.waiting(), nullptr);
    EXPECT_FALSE(heard(s, "# ", 4));
}

TEST(session, what_one_step_has_seen_is_not_seen_by_the_next) {
    session s({step("ab", "1"), step("bc", "2")}, 1000);
    EXPECT_TRUE(heard(s, "ab", 1));
    EXPECT_FALSE(heard(s, "c", 1));
    EXPECT_TRUE(heard(s, "bc", 1));
    session repeated({step("aab", "")}, 1000);
    EXPECT_TRUE(heard(repeated, "aaab", 1));  // a part of it begins anew
}

// 2 kHz: half a second is 1000 clocks, counted from the end of the step before.
TEST(session, deadlines_are_clocks) {
    session s({step("a", "", 0.5), step("b", "", 1.5), step("c", "")}, 2000);
    EXPECT_EQ(s.deadline(), 1000u);
    EXPECT_TRUE(heard(s, "a", 999));
    EXPECT_EQ(s.deadline(), 3999u);
    EXPECT_FALSE(heard(s, "b", 3999));  // too late
    EXPECT_EQ(s.waiting()->wait, "b");
    session in_time({step("a", "", 0.5), step("c", "")}, 2000);
    EXPECT_TRUE(heard(in_time, "a", 999));
    EXPECT_EQ(in_time.deadline(), knc::base::never);
    EXPECT_EQ(session_step{}.timeout, 10);
}

TEST(session, complains_on_one_line) {
    const std::string console = std::string(100, 'x') + "\r\nlogin: \x1b\"";
    EXPECT_EQ(complaint(step("# ", "", 2.5), true, console),
              "s.toml:7: \"# \" has not come within 2.5 s simulated; the console ends with \"" +
                  std::string(49, 'x') + "\\r\\nlogin: \\x1b\\\"\"");
    EXPECT_EQ(complaint(step("a\n", "", 2.5), false, ""),
              "s.toml:7: \"a\\n\" has not come; the console ends with \"\"");
}

TEST(escape_keys, are_taken_out) {
    using request = escape_keys::request;
    escape_keys keys;
    EXPECT_EQ(keys.filter("abc\x03").text, "abc\x03");
    EXPECT_EQ(keys.filter("a\x01\x01x").text, "a\x01x");
    auto r = keys.filter("1\x01");
    EXPECT_EQ(r.text, "1");
    EXPECT_EQ(r.wanted, request::none);
    r = keys.filter("h2");
    EXPECT_EQ(r.text, "2");
    EXPECT_EQ(r.wanted, request::help);
    EXPECT_EQ(keys.filter("\x01q3").text, "3");  // no such key
    r = keys.filter("4\x01x5");
    EXPECT_EQ(r.text, "4");
    EXPECT_EQ(r.wanted, request::quit);
}

TEST(console_text, last_lines) {
    EXPECT_EQ(last_lines("", 3), "");
    EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
    EXPECT_EQ(last_lines("a\nb\n# ", 2), "b\n# \n");
    EXPECT_EQ(last_lines("a\nb", 5), "a\nb\n");
    EXPECT_EQ(last_lines("\n\n", 1), "\n");
    EXPECT_EQ(last_lines("a\x1b[1m\tb\r\n", 1), "a[1m\tb\n");
}

TEST(console_choice, is_read) {
    using kind = console_choice::kind;
    EXPECT_EQ(parse_console("stdio").of, kind::standard);
    EXPECT_EQ(parse_console("pty").of, kind::pty);
    EXPECT_EQ(parse_console("none").of, kind::none);
    EXPECT_EQ(parse_console("file:a:b").of, kind::file);
    EXPECT_EQ(parse_console("file:a:b").path, "a:b");
    EXPECT_EQ(parse_console("socket:/tmp/s").of, kind::socket);
    for (const char* wrong : {"", "tty", "file:", "socket:", "socket", "pty:x"})
        EXPECT_THROW(parse_console(wrong), input_error) << wrong;
}

// An end on the host that gives what it is told to.
struct scripted final : console_end {
    void write(const std::string& all) override { written += all.back(); }
    std::string read() override { return std::exchange(input, {}); }
    bool live() const override { return true; }
    bool exhausted() const override { return closed; }
    std::string written, input;
    bool closed = false;
};

TEST(console, takes_nothing_from_the_host_before_the_guest_listens) {
    auto owned = std::make_unique<scripted>();
    scripted& end = *owned;
    console c(std::move(owned), {}, 1000);
    end.input = "ab";
    EXPECT_FALSE(c.poll());
    EXPECT_EQ(end.input, "ab");
    EXPECT_EQ(c.next(), 'a');
    EXPECT_EQ(c.next(), 'b');
    EXPECT_EQ(c.next(), std::nullopt);
    EXPECT_TRUE(c.open());
    end.input = "c";
    EXPECT_TRUE(c.wait([] { return false; }));
    EXPECT_EQ(c.next(), 'c');
    end.closed = true;
    EXPECT_FALSE(c.open());
    EXPECT_FALSE(c.wait([] { return false; }));
}

TEST(console, a_session_takes_the_place_of_the_host) {
    auto owned = std::make_unique<scripted>();
    scripted& end = *owned;
    console c(std::move(owned), {step("?", "yes", 1)}, 1000);
    end.input = "no";
    EXPECT_FALSE(c.open());
    EXPECT_EQ(c.next(), std::nullopt);
    EXPECT_FALSE(c.put('!', 5));
    EXPECT_TRUE(c.put('?', 6));
    EXPECT_EQ(c.next(), 'y');
    EXPECT_EQ(c.text(), "!?");
    EXPECT_EQ(end.written, "!?");
    EXPECT_EQ(end.input, "no");
}

}  // namespace
}  // namespace platform
