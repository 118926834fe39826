#include <knc/core/skid.h>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

constexpr skid_meter::request vector = 0x40, other = 0x50;

// One interrupt: overflow at `at` with 100 instructions retired, then the three parts.
void one(skid_meter& m, base::cycle_t at, base::cycle_t delivery, base::cycle_t boundary,
         base::cycle_t entry, std::uint64_t instructions) {
    m.requested(vector, false, at, 100, at + delivery);
    m.taken(vector, 100 + instructions, at + delivery + boundary);
    m.entered(true);
    m.issued(at + delivery + boundary + entry);
}

void expect_spread(const spread& s, std::uint64_t min, std::uint64_t max, std::uint64_t sum) {
    EXPECT_EQ(s.min, min);
    EXPECT_EQ(s.max, max);
    EXPECT_EQ(s.sum, sum);
}

TEST(skid, nothing_is_measured_at_first) {
    const skid_meter m;
    EXPECT_EQ(m.statistics().count, 0u);
    expect_spread(m.statistics().total, 0, 0, 0);
    EXPECT_EQ(m.statistics().total.mean(0), 0.0);
}

TEST(skid, keeps_extremes_and_sums_of_each_part) {
    skid_meter m;
    one(m, 1000, 2, 30, 40, 3);
    one(m, 2000, 1, 5, 50, 0);
    one(m, 3000, 6, 10, 45, 1);
    const skid_statistics& s = m.statistics();
    EXPECT_EQ(s.count, 3u);
    expect_spread(s.delivery, 1, 6, 9);
    expect_spread(s.boundary, 5, 30, 45);
    expect_spread(s.entry, 40, 50, 135);
    expect_spread(s.instructions, 0, 3, 4);
    expect_spread(s.total, 56, 72, 189);  // 72, 56, 61
    EXPECT_EQ(s.total.mean(s.count), 63.0);
}

TEST(skid, histogram_is_by_powers_of_two) {
    skid_meter m;
    one(m, 0, 1, 0, 30, 0);            // 31
    one(m, 100, 1, 1, 30, 0);          // 32
    one(m, 200, 1, 2, 60, 0);          // 63
    one(m, 300, 0, 0, 1, 0);           // 1
    one(m, 400, 0, 0, 0, 0);           // 0
    one(m, 500, 1ull << 40, 0, 0, 0);  // beyond the last bin's lower bound
    const skid_statistics& s = m.statistics();
    EXPECT_EQ(s.histogram[0], 2u);
    EXPECT_EQ(s.histogram[4], 1u);
    EXPECT_EQ(s.histogram[5], 2u);
    EXPECT_EQ(s.histogram[s.bins - 1], 1u);
    EXPECT_EQ(s.lowest(0), 0u);
    EXPECT_EQ(s.lowest(5), 32u);
}

TEST(skid, a_request_that_stands_takes_further_edges_in) {
    skid_meter m;
    m.requested(vector, false, 10, 1, 11);
    m.requested(vector, true, 20, 5, 21);
    m.taken(vector, 9, 31);
    m.entered(true);
    m.issued(71);
    EXPECT_EQ(m.statistics().count, 1u);
    EXPECT_EQ(m.statistics().total.sum, 61u);  // from clock 10
    EXPECT_EQ(m.statistics().instructions.sum, 8u);
}

TEST(skid, a_request_that_was_dropped_unseen_begins_anew) {
    skid_meter m;
    m.requested(vector, false, 10, 1, 11);
    m.requested(vector, false, 20, 5, 21);
    m.taken(vector, 9, 31);
    m.entered(true);
    m.issued(71);
    EXPECT_EQ(m.statistics().total.sum, 51u);  // from clock 20
}

TEST(skid, an_edge_without_a_measured_request_before_it_is_measured) {
    skid_meter m;
    // The vector had been requested by somebody else.
    m.requested(vector, true, 20, 5, 21);
    m.taken(vector, 5, 22);
    m.entered(true);
    m.issued(62);
    EXPECT_EQ(m.statistics().total.sum, 42u);
}

TEST(skid, requests_are_kept_apart) {
    skid_meter m;
    m.requested(vector, false, 10, 0, 11);
    m.requested(skid_meter::nmi, false, 20, 0, 21);
    m.taken(other, 0, 25);  // nobody's PMI
    EXPECT_FALSE(m.entering());
    m.taken(skid_meter::nmi, 0, 30);
    m.entered(true);
    m.issued(70);
    EXPECT_EQ(m.statistics().total.max, 50u);
    m.taken(vector, 0, 100);
    m.entered(true);
    m.issued(140);
    EXPECT_EQ(m.statistics().count, 2u);
    EXPECT_EQ(m.statistics().total.max, 130u);
}

TEST(skid, an_entry_that_ends_elsewhere_is_no_measurement) {
    skid_meter m;
    m.requested(vector, false, 10, 0, 11);
    m.taken(vector, 0, 12);
    EXPECT_TRUE(m.entering());
    m.entered(false);
    m.issued(52);
    EXPECT_EQ(m.statistics().count, 0u);
}

TEST(skid, waits_for_the_handler_while_another_event_is_handled) {
    skid_meter m;
    m.requested(vector, false, 10, 0, 11);
    m.taken(vector, 0, 12);
    m.entered(true);
    m.interrupted(0x4000, 0x8000);
    m.interrupted(0x5000, 0x7000);  // within the other handler: nothing new
    for (base::cycle_t c = 100; c < 110; ++c) m.issued(c);
    EXPECT_EQ(m.statistics().count, 0u);
    m.resumed(0x4000, 0x7000);  // the same code on another stack: not back yet
    m.resumed(0x4002, 0x8000);
    EXPECT_TRUE(m.suspended());
    m.resumed(0x4000, 0x8000);
    EXPECT_TRUE(m.due());
    m.issued(120);
    m.issued(122);
    EXPECT_EQ(m.statistics().count, 1u);
    EXPECT_EQ(m.statistics().entry.sum, 108u);
}

TEST(skid, init_ends_what_is_measured) {
    skid_meter m;
    m.requested(vector, false, 10, 0, 11);
    m.requested(other, false, 10, 0, 11);
    m.taken(vector, 0, 12);
    m.entered(true);
    m.abandon();
    m.issued(52);
    m.taken(other, 0, 60);
    EXPECT_FALSE(m.entering());
    EXPECT_EQ(m.statistics().count, 0u);
}

TEST(skid, dropped_requests_leave_the_present_measurement_alone) {
    skid_meter m;
    m.requested(vector, false, 10, 0, 11);
    m.taken(vector, 0, 12);
    m.requested(other, false, 20, 0, 21);
    m.forget_requests();
    m.entered(true);
    m.issued(52);
    EXPECT_EQ(m.statistics().count, 1u);
    m.taken(other, 0, 60);
    EXPECT_FALSE(m.entering());
}

TEST(skid, keeps_the_clocks_of_an_interrupt) {
    skid_meter m;
    m.requested(vector, false, 10, 0, 11);
    m.taken(vector, 0, 12);
    m.entered(true);
    m.issued(52);
    ASSERT_EQ(m.records().kept.size(), 1u);
    const skid_record& r = m.records().kept[0];
    EXPECT_EQ(r.overflow, 10u);
    EXPECT_EQ(r.requested, 11u);
    EXPECT_EQ(r.taken, 12u);
    EXPECT_EQ(r.handler, 52u);
}

TEST(skid, keeps_a_bounded_number_of_interrupts) {
    skid_records all;
    auto add_up_to = [&, next = 0u](unsigned end) mutable {
        for (; next < end; ++next) all.add(next, {next, next, next, next});
    };
    add_up_to(128);
    EXPECT_EQ(all.stride, 1u);
    EXPECT_EQ(all.kept.size(), 128u);
    // The 129th finds no room: every second one goes.
    add_up_to(129);
    EXPECT_EQ(all.stride, 2u);
    EXPECT_EQ(all.kept.size(), 65u);
    EXPECT_EQ(all.kept.back().overflow, 128u);
    // 1000 / 8 = 125 fit, 1000 / 4 would not.
    add_up_to(1000);
    EXPECT_EQ(all.stride, 8u);
    ASSERT_EQ(all.kept.size(), 125u);
    for (std::size_t n = 0; n < all.kept.size(); ++n) EXPECT_EQ(all.kept[n].overflow, 8 * n);
}

}  // namespace
}  // namespace knc::core::test
