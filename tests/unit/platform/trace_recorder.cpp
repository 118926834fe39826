// Windows of a waveform: their bounds, the clocks before them, samples left out.
#include <platform/trace_recorder.h>

#include <string>

#include <gtest/gtest.h>

namespace platform {
namespace {

using knc::base::cycle_t;
using knc::base::never;

// One signal of 8 bits with code '%', and one bit with code '&'; a clock lasts 1000 ps.
struct recording {
    std::uint64_t wide = 0, bit = 0;
    std::string text;
    knc::base::clock clock{1'000'000'000};
    vcd_writer writer;
    trace_recorder recorder;

    explicit recording(cycle_t before, std::uint64_t limit = ~std::uint64_t{0})
        : writer(
              {{"a.wide", 8, &wide}, {"a.bit", 1, &bit}}, [this](std::string_view t) { text += t; },
              limit),
          recorder({{"a.wide", 8, &wide}, {"a.bit", 1, &bit}}, writer, clock, before) {
        text.clear();
    }
    void sample(cycle_t c, std::uint64_t value) {
        wide = value;
        recorder.sample(c);
    }
    std::string finish(cycle_t end) {
        recorder.finish(end);
        return text;
    }
};

TEST(trace_recorder, shows_the_clocks_of_its_window) {
    recording r{0};
    r.recorder.open(3, 5);
    for (cycle_t c = 1; c <= 7; ++c) r.sample(c, c);
    EXPECT_FALSE(r.recorder.is_open());
    EXPECT_EQ(r.recorder.first(), 3u);
    EXPECT_EQ(r.recorder.last(), 5u);
    EXPECT_EQ(r.finish(7), "#3000\n$dumpvars\nb11 %\n0&\n$end\n#4000\nb100 %\n#5000\nb101 %\n");
}

// Nothing has changed where there is no sample.
TEST(trace_recorder, knows_the_state_between_samples) {
    recording r{0};
    r.recorder.open(3, 5);
    r.sample(1, 1);
    r.sample(10, 9);
    EXPECT_EQ(r.finish(12), "#3000\n$dumpvars\nb1 %\n0&\n$end\n#5000\n");
}

TEST(trace_recorder, ends_with_the_run) {
    recording r{0};
    r.recorder.open(3, 100);
    r.sample(1, 1);
    EXPECT_EQ(r.finish(8), "#3000\n$dumpvars\nb1 %\n0&\n$end\n#8000\n");
    recording none{0};
    none.recorder.open(3, 100);
    none.sample(1, 1);
    EXPECT_EQ(none.finish(2), "");
    EXPECT_EQ(none.recorder.first(), never);
}

TEST(trace_recorder, goes_back_by_the_clocks_that_it_keeps) {
    recording r{2};
    for (cycle_t c = 1; c <= 6; ++c) r.sample(c, c);
    r.recorder.open(4, 7);
    for (cycle_t c = 7; c <= 9; ++c) r.sample(c, c);
    EXPECT_EQ(r.finish(9),
              "#4000\n$dumpvars\nb100 %\n0&\n$end\n"
              "#5000\nb101 %\n#6000\nb110 %\n#7000\nb111 %\n");
}

TEST(trace_recorder, keeps_changes_of_one_clock_together) {
    recording r{10};
    r.sample(1, 0);
    r.bit = 1;
    r.sample(2, 1);
    r.sample(3, 2);
    r.recorder.open(1, 3);
    EXPECT_EQ(r.finish(9), "#1000\n$dumpvars\nb0 %\n0&\n$end\n#2000\nb1 %\n1&\n#3000\nb10 %\n");
}

// The next window shows nothing that the one before has shown.
TEST(trace_recorder, opens_windows_again) {
    recording r{3};
    r.sample(1, 1);
    r.sample(2, 2);
    r.recorder.open(1, 3);
    r.sample(3, 3);
    r.recorder.pause();
    r.sample(4, 4);
    r.sample(5, 5);
    r.recorder.open(2, 6);
    r.sample(6, 6);
    EXPECT_EQ(r.finish(9),
              "#1000\n$dumpvars\nb1 %\n0&\n$end\n#2000\nb10 %\n#3000\nb11 %\n"
              "#4000\n$dumpoff\nbx %\nx&\n$end\n"
              "#4000\n$dumpon\nb100 %\n0&\n$end\n#5000\nb101 %\n#6000\nb110 %\n");
}

// "#1000\n$dumpvars\nb1 %\n0&\n$end\n" has 29 bytes, a step 11; 22 stay free for the last stamp.
TEST(trace_recorder, ends_at_its_size) {
    recording declared{0};
    recording r{0, declared.writer.bytes() + 29 + 2 * 11 + 22};
    r.recorder.open(1, 100);
    for (cycle_t c = 1; c <= 9; ++c) r.sample(c, c % 2);
    EXPECT_EQ(r.recorder.full_at(), 4u);
    EXPECT_FALSE(r.recorder.is_open());
    EXPECT_EQ(r.finish(9), "#1000\n$dumpvars\nb1 %\n0&\n$end\n#2000\nb0 %\n#3000\nb1 %\n#4000\n");
}

TEST(trace_recorder, has_the_time_of_the_clock) {
    // 1.1 GHz: 909 1/11 ps, rounded up; in both ways of computing it.
    for (const cycle_t c : {cycle_t{12}, cycle_t{1} << 29, cycle_t{1} << 31}) {
        std::uint64_t value = 0;
        const knc::base::clock clock{1'100'000'000};
        std::string text;
        vcd_writer writer{
            {{"v", 1, &value}}, [&](std::string_view t) { text += t; }, ~std::uint64_t{0}};
        text.clear();
        trace_recorder recorder{{{"v", 1, &value}}, writer, clock, 0};
        recorder.open(c, c);
        recorder.sample(c);
        recorder.finish(c);
        const std::uint64_t expected = (c * 10'000 + 10) / 11;
        EXPECT_EQ(text, "#" + std::to_string(expected) + "\n$dumpvars\n0%\n$end\n");
    }
}

// The sampler says where values may have changed: nothing else is looked at, whichever signals are
// traced, in whatever order their values lie.
TEST(trace_recorder, looks_where_values_have_changed) {
    // Signals of v[3], v[4], v[0], v[1]: codes '%', '&', '\'', '('.
    std::uint64_t v[5] = {};
    const knc::base::signal_list signals = {
        {"d", 8, &v[3]}, {"e", 8, &v[4]}, {"a", 8, &v[0]}, {"b", 8, &v[1]}};
    std::string text;
    vcd_writer writer{signals, [&](std::string_view t) { text += t; }, ~std::uint64_t{0}};
    text.clear();
    trace_recorder recorder{signals, writer, knc::base::clock{1'000'000'000}, 0};
    recorder.open(1, 5);
    recorder.sample(1);
    v[0] = v[1] = v[3] = v[4] = 1;
    recorder.sample(2, {v + 1, v + 2});
    recorder.sample(3, {v + 3, v + 5});
    v[1] = 2;
    // A range with values that are not traced.
    recorder.sample(4, {v, v + 5});
    recorder.sample(5, {v, v + 2});
    recorder.finish(5);
    EXPECT_EQ(text,
              "#1000\n$dumpvars\nb0 %\nb0 &\nb0 '\nb0 (\n$end\n#2000\nb1 (\n#3000\nb1 %\nb1 &\n"
              "#4000\nb1 '\nb10 (\n#5000\n");
}

}  // namespace
}  // namespace platform
