// Triggers: what each text looks at, when a condition is met, what is refused.
#include <platform/trace_trigger.h>

#include <gtest/gtest.h>

#include <platform/input_error.h>

namespace platform {
namespace {

// A card of two tiles: 8 threads.
struct machine {
    std::uint64_t pmi[8] = {}, overflows[8][2] = {};
    std::uint64_t pc[8] = {}, line = 0;
    trigger_sources sources() {
        trigger_sources s{8,
                          {},
                          [this](std::size_t n) { return &pmi[n]; },
                          [this](std::size_t n, std::size_t c) { return &overflows[n][c]; },
                          [](std::string_view name) -> std::optional<std::uint64_t> {
                              if (name != "main") return {};
                              return 0x1000;
                          }};
        for (std::size_t n = 0; n < 8; ++n)
            s.signals.push_back(
                {"tile" + std::to_string(n / 4) + ".t" + std::to_string(n % 4) + ".pc", 64,
                 &pc[n]});
        s.signals.push_back({"tile0.pmu.t0.pmi", 1, &line});
        return s;
    }
    trace_trigger parse(const std::string& text) { return parse_trigger(text, sources()); }
    std::string refused(const std::string& text) {
        try {
            parse(text);
        } catch (const input_error& e) {
            return e.what();
        }
        return "accepted";
    }
};

TEST(trace_trigger, names_marks) {
    machine m;
    EXPECT_EQ(m.parse("mark 3").mark, 3u);
    EXPECT_EQ(m.parse(" mark  0x10 ").mark, 16u);
    EXPECT_TRUE(m.parse("mark 3").conditions.empty());
}

TEST(trace_trigger, names_pmis_and_overflows) {
    machine m;
    EXPECT_EQ(m.parse("first PMI").conditions.size(), 8u);
    EXPECT_EQ(m.parse("pmi").conditions.size(), 8u);
    const trace_trigger one = m.parse("pmi of tile1.t2");
    ASSERT_EQ(one.conditions.size(), 1u);
    EXPECT_EQ(one.conditions[0].value(), &m.pmi[6]);
    EXPECT_TRUE(one.signals.empty());
    const trace_trigger both = m.parse("overflow of tile0.pmu.t1");
    ASSERT_EQ(both.conditions.size(), 2u);
    EXPECT_EQ(both.conditions[0].value(), &m.overflows[1][0]);
    EXPECT_EQ(both.conditions[1].value(), &m.overflows[1][1]);
    const trace_trigger counter = m.parse("first overflow of tile1.pmu.t0.cntr1");
    ASSERT_EQ(counter.conditions.size(), 1u);
    EXPECT_EQ(counter.conditions[0].value(), &m.overflows[4][1]);
}

TEST(trace_trigger, looks_at_signals) {
    machine m;
    EXPECT_EQ(m.parse("pc main").conditions.size(), 8u);
    EXPECT_EQ(m.parse("pc 0x1000").signals.size(), 8u);
    trace_trigger t = m.parse("pc main of tile1.t3");
    ASSERT_EQ(t.conditions.size(), 1u);
    trace_condition& c = t.conditions[0];
    EXPECT_EQ(c.value(), &m.pc[7]);
    c.arm();
    EXPECT_FALSE(c.met());
    m.pc[7] = 0x1000;
    EXPECT_TRUE(c.met());
    EXPECT_FALSE(c.met()) << "it is there, but it has not come again";
    m.pc[7] = 0x1001;
    EXPECT_FALSE(c.met());
}

TEST(trace_trigger, knows_the_ways_of_a_signal) {
    using kind = trace_condition::kind;
    std::uint64_t value = 5;
    const auto met = [&](kind k, std::uint64_t next) {
        value = 5;
        trace_condition c{&value, k};
        c.arm();
        value = next;
        return c.met();
    };
    EXPECT_TRUE(met(kind::rises, 6));
    EXPECT_FALSE(met(kind::rises, 5));
    EXPECT_FALSE(met(kind::rises, 4));
    EXPECT_TRUE(met(kind::falls, 4));
    EXPECT_FALSE(met(kind::falls, 6));
    EXPECT_TRUE(met(kind::changes, 4));
    EXPECT_TRUE(met(kind::changes, 6));
    EXPECT_FALSE(met(kind::changes, 5));
    machine m;
    for (const char* way : {"rises", "falls", "changes", "== 1"})
        EXPECT_EQ(m.parse(std::string{"signal tile0.pmu.t0.pmi "} + way).conditions.size(), 1u);
}

TEST(trace_trigger, refuses_what_does_not_exist) {
    machine m;
    EXPECT_EQ(m.refused(""), "trace trigger '': mark, pmi, overflow, pc or signal is wanted");
    EXPECT_EQ(m.refused("first mark 1"),
              "trace trigger 'first mark 1': first pmi or first overflow is wanted");
    EXPECT_EQ(m.refused("mark"), "trace trigger 'mark': mark N is wanted");
    EXPECT_EQ(m.refused("mark x"), "trace trigger 'mark x': mark N is wanted");
    EXPECT_EQ(m.refused("mark 1 2"), "trace trigger 'mark 1 2': '2' is too much");
    EXPECT_EQ(m.refused("pmi of tile2.t0"),
              "trace trigger 'pmi of tile2.t0': there is no tile2.t0");
    EXPECT_EQ(m.refused("pmi of tile0.t4"),
              "trace trigger 'pmi of tile0.t4': there is no tile0.t4");
    EXPECT_EQ(m.refused("pmi of thread 1"),
              "trace trigger 'pmi of thread 1': 'thread' is no thread: tileN.tM is wanted");
    EXPECT_EQ(m.refused("pmi of tile0.t1x"),
              "trace trigger 'pmi of tile0.t1x': 'tile0.t1x' is no thread: tileN.tM is wanted");
    EXPECT_EQ(m.refused("overflow"),
              "trace trigger 'overflow': overflow of tileN.pmu.tM is wanted");
    EXPECT_EQ(m.refused("overflow of tile0.pmu.t1.cntr2"),
              "trace trigger 'overflow of tile0.pmu.t1.cntr2': there is no counter "
              "tile0.pmu.t1.cntr2");
    EXPECT_EQ(m.refused("pc nowhere"),
              "trace trigger 'pc nowhere': there is no symbol 'nowhere' in the image");
    EXPECT_EQ(m.refused("signal tile0.x rises"),
              "trace trigger 'signal tile0.x rises': there is no signal 'tile0.x' (knc-vp list "
              "signals)");
    EXPECT_EQ(m.refused("signal tile0.t0.pc = 1"),
              "trace trigger 'signal tile0.t0.pc = 1': signal NAME == VALUE, rises, falls or "
              "changes is wanted");
}

}  // namespace
}  // namespace platform
