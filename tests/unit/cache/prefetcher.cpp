// Sequences of misses and the lines the stream prefetcher asks for. Lines are written as page and
// line in the page (0-63).
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <knc/cache/prefetcher.h>

namespace {

using namespace knc;
using cache::access_type;

using lines = std::vector<int>;  // in the page of the miss; negative or above 63: beyond it

class prefetcher : public testing::Test {
  protected:
    cache::prefetcher p;

    void use(std::uint32_t streams, std::uint32_t distance, std::uint32_t threshold,
             bool by_thread = false) {
        p = cache::prefetcher({streams, distance, threshold, by_thread});
    }
    lines miss(std::uint64_t page, int line, access_type type = access_type::read,
               std::uint8_t thread = 0) {
        const cache::line_run run = p.miss(page * 64 + static_cast<unsigned>(line), type, thread);
        lines all;
        for (std::uint32_t n = 0; n < run.count; ++n)
            all.push_back(static_cast<int>(run[n] - page * 64));
        return all;
    }
};

// The second miss shows the direction. From then on four lines ahead of each miss have been asked
// for, each once.
TEST_F(prefetcher, forward_stream) {
    EXPECT_EQ(miss(5, 10), lines{});
    EXPECT_EQ(miss(5, 11), (lines{12, 13, 14, 15}));
    EXPECT_EQ(miss(5, 12), (lines{16}));  // 12 was still on its way
    EXPECT_EQ(miss(5, 13), (lines{17}));
}

TEST_F(prefetcher, backward_stream) {
    EXPECT_EQ(miss(5, 40), lines{});
    EXPECT_EQ(miss(5, 39), (lines{38, 37, 36, 35}));
    EXPECT_EQ(miss(5, 38), (lines{34}));
}

// 12-15 had arrived when they were used, so the next miss is 16. Of 12-14 only: the next is 15.
TEST_F(prefetcher, goes_on_where_the_lines_it_brought_end) {
    miss(5, 10);
    miss(5, 11);
    EXPECT_EQ(miss(5, 16), (lines{17, 18, 19, 20}));
    EXPECT_EQ(miss(5, 19), (lines{21, 22, 23}));
}

// Two lines are no neighbours: a stream is sequential.
TEST_F(prefetcher, strides_are_no_stream) {
    for (int line = 0; line < 64; line += 2) EXPECT_EQ(miss(5, line), lines{}) << line;
    EXPECT_EQ(miss(5, 63), (lines{}));  // 62, 63: forward, at the page's end
    EXPECT_EQ(miss(5, 20), (lines{}));
    EXPECT_EQ(miss(5, 19), (lines{18, 17, 16, 15}));
}

TEST_F(prefetcher, ends_with_the_page) {
    EXPECT_EQ(miss(5, 59), lines{});
    EXPECT_EQ(miss(5, 60), (lines{61, 62, 63}));
    EXPECT_EQ(miss(5, 61), lines{});
    EXPECT_EQ(miss(5, 63), lines{});
    // The page that follows is trained anew.
    EXPECT_EQ(miss(6, 0), lines{});
    EXPECT_EQ(miss(6, 1), (lines{2, 3, 4, 5}));
    EXPECT_EQ(miss(7, 2), lines{});
    EXPECT_EQ(miss(7, 1), (lines{0}));
    EXPECT_EQ(miss(7, 0), lines{});
}

TEST_F(prefetcher, line_missed_again_changes_nothing) {
    EXPECT_EQ(miss(5, 10), lines{});
    EXPECT_EQ(miss(5, 10), lines{});
    EXPECT_EQ(miss(5, 11), (lines{12, 13, 14, 15}));
    EXPECT_EQ(miss(5, 11), lines{});
    EXPECT_EQ(miss(5, 12), (lines{16}));
}

// A line up to four behind the latest is a late miss of the stream; it goes on.
TEST_F(prefetcher, late_miss_changes_nothing) {
    miss(5, 10);
    miss(5, 11);
    miss(5, 12);
    EXPECT_EQ(miss(5, 8), lines{});  // 12 - 4
    EXPECT_EQ(miss(5, 13), (lines{17}));
}

// 13 + 4 + 1 = 18 is the last line that can be the stream's next miss; 19 begins anew.
TEST_F(prefetcher, jump_begins_anew) {
    miss(5, 10);
    miss(5, 11);
    miss(5, 13);
    EXPECT_EQ(miss(5, 19), lines{});
    EXPECT_EQ(miss(5, 20), (lines{21, 22, 23, 24}));
    EXPECT_EQ(miss(5, 15), lines{});  // 20 - 5
    EXPECT_EQ(miss(5, 14), (lines{13, 12, 11, 10}));
}

TEST_F(prefetcher, type_of_access_separates_streams) {
    EXPECT_EQ(miss(5, 10, access_type::read), lines{});
    EXPECT_EQ(miss(5, 11, access_type::write), lines{});
    EXPECT_EQ(miss(5, 11, access_type::code), lines{});
    EXPECT_EQ(miss(5, 12, access_type::write), (lines{13, 14, 15, 16}));
    EXPECT_EQ(miss(5, 11, access_type::read), (lines{12, 13, 14, 15}));
    EXPECT_EQ(miss(5, 10, access_type::code), (lines{9, 8, 7, 6}));
}

TEST_F(prefetcher, threads_share_streams_unless_told_otherwise) {
    EXPECT_EQ(miss(5, 10, access_type::read, 0), lines{});
    EXPECT_EQ(miss(5, 11, access_type::read, 3), (lines{12, 13, 14, 15}));
    use(16, 4, 2, true);
    EXPECT_EQ(miss(5, 10, access_type::read, 0), lines{});
    EXPECT_EQ(miss(5, 11, access_type::read, 3), lines{});
    EXPECT_EQ(miss(5, 12, access_type::read, 3), (lines{13, 14, 15, 16}));
    EXPECT_EQ(miss(5, 11, access_type::read, 0), (lines{12, 13, 14, 15}));
}

// Pages 0-15 fill the streams. Page 0 is used again, so page 1 gives way to page 16, and page 1,
// which begins anew, takes the stream of page 2.
TEST_F(prefetcher, stream_used_least_recently_gives_way) {
    for (std::uint64_t page = 0; page < 16; ++page) EXPECT_EQ(miss(page, 10), lines{});
    EXPECT_EQ(miss(0, 10), lines{});
    EXPECT_EQ(miss(16, 10), lines{});
    EXPECT_EQ(miss(0, 11), (lines{12, 13, 14, 15}));
    EXPECT_EQ(miss(1, 11), lines{});
    EXPECT_EQ(miss(3, 11), (lines{12, 13, 14, 15}));
    EXPECT_EQ(miss(1, 12), (lines{13, 14, 15, 16}));
    EXPECT_EQ(miss(2, 11), lines{});
}

TEST_F(prefetcher, distance_and_threshold_are_parameters) {
    use(16, 2, 3);
    EXPECT_EQ(miss(5, 10), lines{});
    EXPECT_EQ(miss(5, 11), lines{});
    EXPECT_EQ(miss(5, 12), (lines{13, 14}));
    EXPECT_EQ(miss(5, 15), (lines{16, 17}));  // 12 + 2 + 1
    // Back and forth is no sequence: 30 31 forward, 31 30 backward, 30 29 makes three.
    EXPECT_EQ(miss(5, 30), lines{});
    EXPECT_EQ(miss(5, 31), lines{});
    EXPECT_EQ(miss(5, 30), lines{});
    EXPECT_EQ(miss(5, 29), (lines{28, 27}));
}

TEST_F(prefetcher, may_be_switched_off) {
    use(0, 4, 2);
    for (int line = 0; line < 64; ++line) EXPECT_EQ(miss(5, line), lines{});
    use(16, 0, 2);
    for (int line = 0; line < 64; ++line) EXPECT_EQ(miss(5, line), lines{});
}

TEST_F(prefetcher, reset_forgets_all_streams) {
    miss(5, 10);
    p.reset();
    EXPECT_EQ(miss(5, 11), lines{});
    EXPECT_EQ(miss(5, 12), (lines{13, 14, 15, 16}));
}

// The access to each line comes while the line is on its way, and so is a miss. Lines 0 and 1
// train.
TEST_F(prefetcher, stream_ahead_of_its_lines_has_each_asked_for_once) {
    std::vector<int> asked(64);
    for (int line = 0; line < 64; ++line)
        for (const int l : miss(5, line)) ++asked.at(static_cast<unsigned>(l));
    for (unsigned line = 0; line < 64; ++line) EXPECT_EQ(asked[line], line < 2 ? 0 : 1) << line;
}

// Each line asked for has arrived when it is used: only misses lead the stream on, so that every
// fifth line is one: 1, 6, 11 ... 61, after 0, which trains.
TEST_F(prefetcher, stream_behind_its_lines_misses_every_fifth) {
    lines missed;
    std::vector<bool> present(64);
    for (int line = 0; line < 64; ++line) {
        if (present[static_cast<unsigned>(line)]) continue;
        missed.push_back(line);
        for (const int l : miss(5, line)) present.at(static_cast<unsigned>(l)) = true;
    }
    EXPECT_EQ(missed, (lines{0, 1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51, 56, 61}));
}

TEST_F(prefetcher, refuses_parameters_out_of_range) {
    EXPECT_THROW(use(16, 64, 2), std::invalid_argument);
    EXPECT_THROW(use(16, 4, 1), std::invalid_argument);
    EXPECT_NO_THROW(use(16, 63, 2));
}

}  // namespace
