// The VCD grammar check: one good file with everything in it, and each kind of violation.
#include <vcd/checker.h>

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <vcd/values.h>

namespace vcd {
namespace {

const std::string head =
    "$date today $end\n"
    "$version any $end\n"
    "$timescale 1 ps $end\n"
    "$scope module top $end\n"
    "$scope module t0 $end\n"
    "$var wire 4 ! counter [3:0] $end\n"
    "$var wire 1 \" line $end\n"
    "$upscope $end\n"
    "$var real 64 # load $end\n"
    "$upscope $end\n";
const std::string good_head = head + "$enddefinitions $end\n";

summary check_text(const std::string& text) {
    std::istringstream in{text};
    return check(in);
}

// The line of the violation, 0 where there is none.
std::uint64_t violation(const std::string& text, const std::string& expected) {
    try {
        check_text(text);
    } catch (const malformed& e) {
        EXPECT_NE(std::string{e.what()}.find(expected), std::string::npos) << e.what();
        return e.line;
    }
    return 0;
}

TEST(check, accepts_a_complete_file_and_counts_what_is_in_it) {
    const summary s = check_text(good_head +
                                 "$dumpvars b0 ! 0\" r0.5 # $end\n"
                                 "#10\nb101 !\n1\"\n"
                                 "$comment anything #5 b2 $end\n"
                                 "#20\nb0101 !\nr1e-3 #\n"
                                 "$dumpoff bx ! x\" $end\n#30\n$dumpon b0101 ! 1\" $end\n#40\n");
    EXPECT_EQ(s.timescale, "1 ps");
    ASSERT_EQ(s.variables.size(), 3u);
    EXPECT_EQ(s.variables[0].name, "top.t0.counter");
    EXPECT_EQ(s.variables[0].width, 4u);
    EXPECT_EQ(s.variables[2].name, "top.load");
    EXPECT_EQ(s.first_time, 10u);
    EXPECT_EQ(s.last_time, 40u);
    EXPECT_EQ(s.times, 4u);
    EXPECT_EQ(s.value_changes, 11u);        // 3 + 2 + 2 + 2 + 2
    EXPECT_EQ(s.variables[0].changes, 1u);  // 0 -> 5; 0101 is 5 again, after $dumpoff as well
    EXPECT_EQ(s.variables[1].changes, 1u);  // 0 -> 1
    EXPECT_EQ(s.variables[2].changes, 1u);  // 0.5 -> 0.001
}

TEST(check, accepts_one_code_for_two_names_of_one_type_and_width) {
    const summary s = check_text(
        "$timescale 10ns $end $scope module a $end $var wire 1 ! x $end $var wire 1 ! y $end "
        "$upscope $end"
        " $enddefinitions $end #0 0! #1 1!");
    EXPECT_EQ(s.variables[0].changes, 1u);
    EXPECT_EQ(s.variables[1].changes, 1u);
}

TEST(check, refuses_broken_declarations) {
    const auto declaring = [](const std::string& text) {
        return "$timescale 1 ns $end\n$scope module m $end\n" + text;
    };
    EXPECT_EQ(violation("", "before $enddefinitions"), 1u);
    EXPECT_EQ(violation("hello", "no declaration command"), 1u);
    EXPECT_EQ(violation("$timescale 2 ns $end", "no timescale"), 1u);
    EXPECT_EQ(violation("$timescale 1 min $end", "no timescale"), 1u);
    EXPECT_EQ(violation("$timescale 1 ns $end\n$timescale 1 ns $end", "second"), 2u);
    EXPECT_EQ(violation("$scope struct s $end", "no scope type"), 1u);
    EXPECT_EQ(violation("$scope module $end", "a type and a name"), 1u);
    EXPECT_EQ(violation("\n\n$upscope $end", "outside every scope"), 3u);
    EXPECT_EQ(violation("$comment never closed", "without $end"), 1u);
    EXPECT_EQ(violation(declaring("$var wire 1 ! a\n$enddefinitions $end"), "without $end"), 4u);
    EXPECT_EQ(violation(declaring("$var logic 1 ! a $end"), "no variable type"), 3u);
    EXPECT_EQ(violation(declaring("$var wire 0 ! a $end"), "no variable width"), 3u);
    EXPECT_EQ(violation(declaring("$var wire x ! a $end"), "no variable width"), 3u);
    EXPECT_EQ(violation(declaring("$var wire 99999999999 ! a $end"), "no variable width"), 3u);
    EXPECT_EQ(violation(declaring("$var wire 1 ! $end"), "wants type"), 3u);
    EXPECT_EQ(violation(declaring("$var wire 8 ! a [8:0] $end"), "does not span"), 3u);
    EXPECT_EQ(violation(declaring("$var wire 8 ! a[6:0] $end"), "does not span"), 3u);
    EXPECT_EQ(violation(declaring("$var wire 1 ! a $end\n$var wire 1 \" a $end"), "declared twice"),
              4u);
    EXPECT_EQ(
        violation(declaring("$var wire 1 ! a $end\n$var wire 2 ! b $end"), "another type or width"),
        4u);
    EXPECT_EQ(violation(declaring("$var wire 1 ! a $end\n$enddefinitions $end"), "not closed"), 4u);
    EXPECT_EQ(
        violation("$scope module m $end $var wire 1 ! a $end $upscope $end $enddefinitions $end",
                  "no $timescale"),
        1u);
    EXPECT_EQ(violation("$timescale 1 ns $end $enddefinitions $end", "no variable"), 1u);
    EXPECT_EQ(violation(std::string{"$date \x01 $end"}, "control character"), 1u);
}

TEST(check, refuses_broken_value_changes) {
    const std::uint64_t first = 12;  // good_head has 11 lines
    EXPECT_EQ(violation(good_head + "0\"", "before the first time"), first);
    EXPECT_EQ(violation(good_head + "#5\n#4", "backwards"), first + 1);
    EXPECT_EQ(violation(good_head + "#x", "no time"), first);
    EXPECT_EQ(violation(good_head + "#99999999999999999999", "no time"), first);
    EXPECT_EQ(violation(good_head + "#0\n0%", "not declared"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\n0", "not declared"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\nb10101 !", "5 digits for top.t0.counter of 4 bits"),
              first + 1);
    EXPECT_EQ(violation(good_head + "#0\n1!", "scalar value"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\nb12 !", "no value"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\nb !", "no value"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\nb1", "without an identifier"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\nr1.0 !", "another kind"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\nb1 #", "another kind"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\nr1.0x #", "no value"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\nhello", "no value change"), first + 1);
    EXPECT_EQ(violation(good_head + "$dumpvars 0\"\n#1", "inside $dumpvars"), first + 1);
    EXPECT_EQ(violation(good_head + "$dumpvars 0\"\n", "without $end"), first);
    EXPECT_EQ(violation(good_head + "$dumpvars $dumpall", "inside $dumpvars"), first);
    EXPECT_EQ(violation(good_head + "#0\n$var wire 1 ! a $end", "no place"), first + 1);
    EXPECT_EQ(violation(good_head + "#0\n$end", "no place"), first + 1);
}

// A word may be as long as the widest value.
TEST(check, a_message_has_a_length_that_can_be_read) {
    try {
        check_text(good_head + "#0\n" + std::string(5000, 'y') + "\n");
        FAIL() << "accepted";
    } catch (const malformed& e) {
        EXPECT_EQ(e.what(), "'" + std::string(999, 'y') + "...");
    }
}

TEST(find, takes_full_names_and_suffixes_at_a_dot) {
    const summary s = check_text(good_head + "#0\n");
    EXPECT_EQ(find(s, "top.t0.counter").size(), 1u);
    EXPECT_EQ(find(s, "t0.counter").size(), 1u);
    EXPECT_EQ(find(s, "counter").size(), 1u);
    EXPECT_TRUE(find(s, "ounter").empty());
    EXPECT_TRUE(find(s, "t0").empty());
}

TEST(canonical, spells_equal_values_equally) {
    EXPECT_EQ(canonical("0000"), "0");
    EXPECT_EQ(canonical("0101"), "101");
    EXPECT_EQ(canonical("XX1"), "x1");
    EXPECT_EQ(canonical("0x1"), "0x1");  // left extension of x1 would be x, not 0
    EXPECT_EQ(canonical("zzz"), "z");
    EXPECT_EQ(canonical("11"), "11");  // left extension of 1 is 0: nothing to drop
}

}  // namespace
}  // namespace vcd
