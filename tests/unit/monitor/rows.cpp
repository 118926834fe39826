// Rows of two snapshots of a card of two cores, and the metrics in them; by hand.
#include <knc/monitor/rows.h>

#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include <knc/monitor/metric.h>

namespace knc::monitor {
namespace {

const platform_shape shape{2, 1, 1'000'000'000, 40};

// Every count of the second snapshot is a multiple of the thread's number + 1; those of the first
// are 5.
class two_snapshots : public testing::Test {
  protected:
    two_snapshots() {
        for (unsigned t = 0; t < shape.threads(); ++t) {
            before.threads[t].events.fill(5);
            after.threads[t].events.fill(5 + 10 * (t + 1));
            // Events of a core are the same in its threads' rows.
            for (const base::event e : {base::cpu_clk_unhalted, base::hwp_l2miss})
                after.threads[t].events[e] = 5 + 800 * (t / 4 + 1);
            after.threads[t].awake = 100 * (t + 1);
        }
        before.cycle = 1000;
        after.cycle = 3000;
        before.controllers[0] = {7, 8};
        after.controllers[0] = {1007, 508};
        before.ring_busy = 100;
        after.ring_busy = 4100;
    }
    snapshot before = start_of(shape), after = start_of(shape);
};

TEST_F(two_snapshots, thread) {
    const row r = thread_row(shape, before, after, 6);
    EXPECT_EQ(r.core, 1u);
    EXPECT_EQ(r.thread, 2u);
    EXPECT_EQ(r.count[base::data_read], 70u);
    EXPECT_EQ(r.count[base::cpu_clk_unhalted], 1600u);  // of its core
    EXPECT_FALSE(r.has[base::hwp_l2miss]);
    EXPECT_FALSE(r.has[read_lines]);
    EXPECT_EQ(r.count[tsc], 2000u);
    EXPECT_EQ(r.count[thread_tsc], 2000u);
    EXPECT_EQ(r.count[awake], 700u);
}

TEST_F(two_snapshots, core) {
    const row r = core_row(shape, before, after, 1);
    EXPECT_EQ(r.count[base::data_read], 50u + 60 + 70 + 80);
    EXPECT_EQ(r.count[base::cpu_clk_unhalted], 1600u);
    EXPECT_EQ(r.count[base::hwp_l2miss], 1600u);
    EXPECT_EQ(r.count[tsc], 2000u);
    EXPECT_EQ(r.count[thread_tsc], 8000u);
    EXPECT_EQ(r.count[elapsed], 2000u);
    EXPECT_FALSE(r.has[read_lines]);
}

TEST_F(two_snapshots, card) {
    const row r = card_row(shape, before, after);
    EXPECT_EQ(r.count[base::data_read], 360u);
    EXPECT_EQ(r.count[base::cpu_clk_unhalted], 800u + 1600);
    EXPECT_EQ(r.count[tsc], 4000u);
    EXPECT_EQ(r.count[elapsed], 2000u);
    EXPECT_EQ(r.count[read_lines], 1000u);
    EXPECT_EQ(r.count[write_lines], 500u);
    EXPECT_EQ(r.count[ring_busy], 4000u);
    EXPECT_EQ(r.count[ring_slots], 40u * 2000);
}

TEST_F(two_snapshots, a_card_without_caches_has_no_memory_metrics) {
    platform_shape bare = shape;
    bare.controllers = 0;
    EXPECT_FALSE(find_metric("READ")->exists_in(card_row(bare, before, after)));
}

double value(std::string_view name, const row& r) {
    const metric* const m = find_metric(name, r);
    EXPECT_TRUE(m->exists_in(r)) << name;
    return m->value(r, shape.clock_hz).value();
}

TEST_F(two_snapshots, values) {
    const row card = card_row(shape, before, after), core = core_row(shape, before, after, 0);
    EXPECT_DOUBLE_EQ(value("EXEC", card), 360.0 / 4000);
    EXPECT_DOUBLE_EQ(value("IPC", core), 100.0 / 800);
    EXPECT_DOUBLE_EQ(value("UTIL", core), (100.0 + 200 + 300 + 400) / 8000);
    EXPECT_DOUBLE_EQ(value("C1res%", core), 60);
    EXPECT_DOUBLE_EQ(value("L2HIT", core), 0.75);  // three kinds of hits, all counts the same
    EXPECT_DOUBLE_EQ(value("READ", card), 64e-9 * 1000);
    EXPECT_DOUBLE_EQ(value("RING%", card), 5);
    EXPECT_DOUBLE_EQ(value("BW", card), 64e-9 * 1500 / 2e-6);  // 2000 clocks are 2 us
    EXPECT_DOUBLE_EQ(value("VFILL", core), 1.0 / 16);
    EXPECT_FALSE(find_metric("ELI")->exists_in(thread_row(shape, before, after, 0)));
    EXPECT_FALSE(find_metric("EREAD")->exists_in(thread_row(shape, before, after, 0)));
}

TEST_F(two_snapshots, identities_hold_in_every_row) {
    for (unsigned t = 0; t < shape.threads(); ++t) {
        const row r = thread_row(shape, before, after, t);
        EXPECT_DOUBLE_EQ(value("EXEC", r), value("IPC", r) * value("FREQ", r));
        EXPECT_DOUBLE_EQ(value("C0res%", r) + value("C1res%", r), 100);
    }
}

TEST_F(two_snapshots, nothing_is_divided_by_zero) {
    const row r = card_row(shape, after, after);
    for (const metric* const one : metrics_of(shape)) {
        const metric& m = *one;
        const bool is_ratio = m.denominator_text != "1" || m.style == metric_style::rate;
        EXPECT_EQ(m.value(r, shape.clock_hz).has_value(), !is_ratio) << m.name;
        EXPECT_FALSE(is_beyond_limit(m, r, shape.clock_hz)) << m.name;
    }
}

TEST(limit, of_threads_cores_and_other_metrics) {
    row r;
    r.has.set();
    r.kind = row_kind::thread;
    r.count[base::cpu_clk_unhalted] = 300;
    r.count[base::instructions_executed] = 100;
    const metric& cpi = *find_metric("CPI");
    EXPECT_FALSE(is_beyond_limit(cpi, r, 1));  // 3, of 4
    r.kind = row_kind::core;
    EXPECT_TRUE(is_beyond_limit(cpi, r, 1));  // 3, of 1
    // Below the vector intensity, 12.
    r.count[base::vpu_elements_active] = 1200;
    r.count[base::vpu_instructions_executed] = 100;
    r.count[base::data_read_or_write] = 101;
    EXPECT_TRUE(is_beyond_limit(*find_metric("CTD1"), r, 1));
    r.count[base::data_read_or_write] = 100;
    EXPECT_FALSE(is_beyond_limit(*find_metric("CTD1"), r, 1));
    EXPECT_FALSE(is_beyond_limit(*find_metric("EXEC"), r, 1));
}

// Every event in a formula is one, and no metric is there twice.
TEST(metrics, have_names_of_their_own) {
    for (const metric& m : metrics()) EXPECT_EQ(find_metric(m.name)->name, m.name);
    EXPECT_GT(metrics().size(), 40u);
    for (const metric& m : metrics())
        EXPECT_TRUE(m.limit.times.empty() || find_metric(m.limit.times) != nullptr) << m.name;
}

// Architectural performance monitoring counts other events under the same names of columns.
TEST_F(two_snapshots, another_pmu) {
    platform_shape perfmon = shape;
    perfmon.registers = pmu::front_end_kind::perfmon;
    for (const base::event e :
         {base::unhalted_core_cycles, base::loads_l1_miss, base::loads_l2_hit, base::loads_l2_miss})
        perfmon.events.set(e);
    const auto names = [](const platform_shape& p) {
        std::set<std::string_view> all;
        for (const metric* const m : metrics_of(p)) EXPECT_TRUE(all.insert(m->name).second);
        return all;
    };
    EXPECT_EQ(names(shape).count("AFREQ") + names(shape).count("L3MISS"), 0u);
    EXPECT_EQ(names(perfmon).count("AFREQ"), 1u);
    EXPECT_EQ(names(perfmon).count("L3MISS"), 0u);  // without an L3
    EXPECT_EQ(names(perfmon).size(), names(shape).size() + 1);

    // Every event of thread 6 has increased by 70, of the core's threads by 50 to 80.
    for (const base::event e : {base::loads_l2_hit, base::loads_l2_miss})
        after.threads[6].events[e] = 5 + (e == base::loads_l2_hit ? 90 : 30);
    const row thread = thread_row(perfmon, before, after, 6);
    const row card = card_row(perfmon, before, after);
    EXPECT_EQ(find_metric("L2MISS", thread)->exact(thread), 30u);
    EXPECT_EQ(find_metric("L2HIT", thread)->value(thread, 1), 90.0 / 120);
    EXPECT_EQ(find_metric("L2MPI", thread)->value(thread, 1), 30.0 / 70);
    // 70 clocks of the thread in 2000; a core's are its own, 800 and 1600.
    EXPECT_EQ(find_metric("FREQ", thread)->value(thread, 1), 70.0 / 2000);
    EXPECT_EQ(find_metric("IPC", thread)->value(thread, 1), 1.0);
    EXPECT_EQ(find_metric("AFREQ", thread)->value(thread, 1), 1.0);
    EXPECT_EQ(find_metric("FREQ", card)->value(card, 1), 2400.0 / 4000);
    // The same thread of Knights Corner.
    const row knc = thread_row(shape, before, after, 6);
    EXPECT_EQ(find_metric("L2MISS", knc)->exact(knc), 70u);  // L2_READ_MISS
    EXPECT_EQ(find_metric("FREQ", knc)->value(knc, 1), 1600.0 / 2000);
}

// A Pentium has a core of one thread, L1s and a bus, and no other column.
TEST_F(two_snapshots, a_pentium) {
    platform_shape p;
    p.tiles = p.threads_per_core = 1;
    p.clock_hz = 1'000'000'000;
    p.registers = pmu::front_end_kind::p55c;
    p.bus = true;
    p.events.reset();
    for (const base::event e :
         {base::instructions_executed, base::instructions_executed_v_pipe, base::cpu_clk_unhalted,
          base::unhalted_core_cycles, base::data_read_or_write, base::data_read_miss_or_write_miss,
          base::data_page_walk})
        p.events.set(e);
    std::string names;
    for (const metric* const m : metrics_of(p))
        if (m->place != metric_place::report) names += std::string{m->name} + ' ';
    EXPECT_EQ(names,
              "EXEC IPC FREQ UTIL L1MISS L1HIT L1MPI TLB1 PAIR C0res% C1res% INST ACYC "
              "TIME(ticks) READ WRITE ");
    snapshot begin = start_of(p), end = start_of(p);
    end.cycle = 2000;
    base::event_row& e = end.threads[0].events;
    e[base::instructions_executed] = 800;
    e[base::cpu_clk_unhalted] = e[base::unhalted_core_cycles] = 1000;
    e[base::data_read_or_write] = 400;
    e[base::data_read_miss_or_write_miss] = 100;
    end.bus = {1000, 500};
    for (const row& r :
         {thread_row(p, begin, end, 0), core_row(p, begin, end, 0), card_row(p, begin, end)}) {
        EXPECT_EQ(find_metric("EXEC", r)->value(r, 1), 0.4);
        EXPECT_EQ(find_metric("IPC", r)->value(r, 1), 0.8);
        EXPECT_EQ(find_metric("FREQ", r)->value(r, 1), 0.5);
        EXPECT_EQ(find_metric("L1HIT", r)->value(r, 1), 0.75);
        EXPECT_EQ(find_metric("ACYC", r)->exact(r), 1000u);
        EXPECT_EQ(find_metric("READ", r)->exists_in(r), r.kind == row_kind::card);
    }
    const row card = card_row(p, begin, end);
    EXPECT_DOUBLE_EQ(find_metric("READ", card)->value(card, 1).value(), 8e-6);  // of 8 bytes each
    EXPECT_DOUBLE_EQ(find_metric("WRITE", card)->value(card, 1).value(), 4e-6);
    EXPECT_DOUBLE_EQ(find_metric("BW", card)->value(card, p.clock_hz).value(), 6);  // 12 KB, 2 us
}

// Occupancy of the L3 is a level. Threads with one monitoring ID have its lines together, and an ID
// that the L3 does not tell apart has none.
TEST_F(two_snapshots, occupancy_of_an_l3) {
    EXPECT_FALSE(card_row(shape, before, after).has[l3_lines]);
    platform_shape p = shape;
    p.l3_lines = 1000;
    for (unsigned t = 0; t < p.threads(); ++t) {
        before.threads[t].l3_lines = 777;
        after.threads[t].rmid = t < 3 ? 1 : t;
        after.threads[t].l3_lines = t < 3 ? 100 : 10 + t;
    }
    after.threads[4].l3_lines = thread_counts::unknown;
    const auto kb = [](const row& r) { return find_metric("L3OCC", r)->value(r, 1); };
    EXPECT_EQ(kb(thread_row(p, before, after, 2)), 100.0 / 16);
    EXPECT_EQ(kb(thread_row(p, before, after, 3)), 13.0 / 16);
    EXPECT_EQ(kb(thread_row(p, before, after, 4)), std::nullopt);
    // 100 of threads 0 to 2, 13 of thread 3; of threads 5 to 7 15, 16 and 17.
    EXPECT_EQ(kb(core_row(p, before, after, 0)), 113.0 / 16);
    EXPECT_EQ(kb(core_row(p, before, after, 1)), 48.0 / 16);
    const row card = card_row(p, before, after);
    EXPECT_EQ(kb(card), 161.0 / 16);
    EXPECT_EQ(find_metric("L3OCC%", card)->value(card, 1), 16.1);
}

// Traffic with memory is counted by monitoring ID: an increase, of the IDs that the threads have at
// the end, and of all IDs for the card.
TEST_F(two_snapshots, traffic_of_monitoring_ids) {
    EXPECT_FALSE(card_row(shape, before, after).has[total_traffic]);
    platform_shape p = shape;
    p.bandwidth_ids = 5;
    before.traffic = {1000, 2000, 3000, 4000, 5000};
    after.traffic = {1000 + 1, 2000 + 10, 3000 + 100, 4000 + 1000, 5000 + 10000};
    for (unsigned t = 0; t < p.threads(); ++t) {
        before.threads[t].rmid = 4;
        after.threads[t].rmid = t < 3 ? 1 : t;  // threads 5 to 7: IDs that are not counted
    }
    const auto lines = [](const row& r) { return r.count[local_traffic]; };
    EXPECT_EQ(lines(thread_row(p, before, after, 2)), 10u);
    EXPECT_EQ(lines(thread_row(p, before, after, 3)), 1000u);
    EXPECT_EQ(lines(thread_row(p, before, after, 4)), 10000u);
    EXPECT_FALSE(thread_row(p, before, after, 5).has[local_traffic]);
    EXPECT_EQ(lines(core_row(p, before, after, 0)), 1010u);
    EXPECT_EQ(lines(core_row(p, before, after, 1)), 10000u);
    const row card = card_row(p, before, after);
    EXPECT_EQ(lines(card), 11111u);
    EXPECT_DOUBLE_EQ(find_metric("LMB", card)->value(card, 1).value(), 0.711104);  // 64 bytes each
    EXPECT_EQ(find_metric("RMB", card)->value(card, 1), 0.0);  // all memory is local
}

}  // namespace
}  // namespace knc::monitor
