// VCD text: declarations, values in binary, size limit, unknown times.
#include <platform/vcd_writer.h>

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <vcd/checker.h>

namespace platform {
namespace {

using knc::base::signal_list;

constexpr std::uint64_t unlimited = ~std::uint64_t{0};
const signal_list signals = {{"tile0.t0.pc", 64, nullptr},
                             {"tile0.pmu.t0.cntr0", 40, nullptr},
                             {"tile0.t0.cpl", 2, nullptr},
                             {"ring.busy", 1, nullptr}};

struct written {
    std::string text;
    vcd_writer writer;
    explicit written(std::uint64_t limit = unlimited)
        : writer(
              signals, [this](std::string_view t) { text += t; }, limit) {}
    // What has been written since the call before.
    std::string more() {
        writer.end(0);
        return std::exchange(text, {});
    }
};

TEST(vcd_writer, declares_a_scope_per_level) {
    written w;
    EXPECT_EQ(w.more(),
              "$date\n    \n$end\n$version\n    knc-vp\n$end\n$timescale\n    1 ps\n$end\n"
              "$scope module SystemC $end\n"
              "$scope module tile0 $end\n"
              "$scope module t0 $end\n"
              "$var wire 64 % pc [63:0] $end\n"
              "$var wire 2 ' cpl [1:0] $end\n"
              "$upscope $end\n"
              "$scope module pmu $end\n"
              "$scope module t0 $end\n"
              "$var wire 40 & cntr0 [39:0] $end\n"
              "$upscope $end\n"
              "$upscope $end\n"
              "$upscope $end\n"
              "$scope module ring $end\n"
              "$var wire 1 ( busy $end\n"
              "$upscope $end\n"
              "$upscope $end\n"
              "$enddefinitions $end\n");
}

TEST(vcd_writer, writes_values_without_leading_zeros) {
    written w;
    w.more();
    const std::uint64_t values[] = {~std::uint64_t{0}, 0, 2, 1};
    EXPECT_TRUE(w.writer.dump(1000, values));
    EXPECT_EQ(w.more(),
              "#1000\n$dumpvars\nb" + std::string(64, '1') + " %\nb0 &\nb10 '\n1(\n$end\n");
    w.writer.begin(2000);
    w.writer.change(0, 0x100);           // 9 digits: one more than a byte
    w.writer.change(1, 0x80'0000'0001);  // all 40 digits
    w.writer.change(2, 7);               // of a bit too many, the signal has two
    w.writer.change(3, 0);
    EXPECT_TRUE(w.writer.commit());
    EXPECT_EQ(w.more(), "#2000\nb100000000 %\nb1" + std::string(38, '0') + "1 &\nb11 '\n0(\n");
}

TEST(vcd_writer, marks_its_end_and_unknown_times) {
    written w;
    w.more();
    const std::uint64_t values[] = {1, 1, 1, 1};
    w.writer.dump(5, values);
    w.more();
    w.writer.end(5);  // is there already
    EXPECT_EQ(w.more(), "");
    w.writer.end(9);
    EXPECT_EQ(w.more(), "#9\n");
    w.writer.pause(10);
    w.writer.pause(11);
    EXPECT_EQ(w.more(), "#10\n$dumpoff\nbx %\nbx &\nbx '\nx(\n$end\n");
    w.writer.dump(20, values);
    EXPECT_EQ(w.more(), "#20\n$dumpon\nb1 %\nb1 &\nb1 '\n1(\n$end\n");
}

// Each step is `#1000` to `#9000` and `b1 %`: 6 + 5 bytes. 22 bytes stay free for the last stamp.
TEST(vcd_writer, ends_before_the_step_that_would_exceed_the_limit) {
    written declared;
    const std::uint64_t header = declared.writer.bytes();
    written w{header + 3 * 11 + 22};
    for (std::uint64_t n = 1; n <= 3; ++n) {
        w.writer.begin(n * 1000);
        w.writer.change(0, 1);
        EXPECT_TRUE(w.writer.commit()) << n;
    }
    w.writer.begin(4000);
    w.writer.change(0, 1);
    EXPECT_FALSE(w.writer.commit());
    w.writer.begin(5000);
    w.writer.change(0, 1);
    EXPECT_FALSE(w.writer.commit());
    w.writer.end(4000);
    EXPECT_EQ(w.text.substr(header), "#1000\nb1 %\n#2000\nb1 %\n#3000\nb1 %\n#4000\n");
}

TEST(vcd_writer, has_a_code_for_each_of_many_signals) {
    signal_list many;
    for (unsigned n = 0; n < 20000; ++n)  // codes of one, two and three characters
        many.push_back({"s" + std::to_string(n), 1, nullptr});
    std::string text;
    vcd_writer writer{many, [&](std::string_view t) { text += t; }, unlimited};
    const std::vector<std::uint64_t> values(many.size());
    writer.dump(0, values.data());
    writer.begin(1);
    writer.change(19999, 1);
    writer.commit();
    writer.end(1);
    std::istringstream in{text};
    const vcd::summary s = vcd::check(in);
    ASSERT_EQ(s.variables.size(), many.size());
    EXPECT_EQ(s.value_changes, many.size() + 1);
    EXPECT_EQ(vcd::find(s, "s19999").at(0)->changes, 1u);
    EXPECT_EQ(vcd::find(s, "s19998").at(0)->changes, 0u);
}

}  // namespace
}  // namespace platform
