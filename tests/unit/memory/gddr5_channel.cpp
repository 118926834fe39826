// Distances of commands and the order of service of one interface. CK counts of the default timing
// at 5 GT/s: RCDRD 18, RCDWR 13, RP 15, RAS 35, RC 50, RRD 7, FAW 29, RTP 2, CL 15, WL 4, burst 2,
// column commands 2 apart (3 in one group), RD to WR 15, WR to RD 13, WR to PRE 21. A read's data
// end 17 CK after RD, a write's 6 after WR. Banks n and n+4 are of one group.
#include <knc/memory/gddr5_channel.h>

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "channel_rig.h"

namespace knc::memory::test {
namespace {

using ends = std::vector<ck_t>;

TEST(gddr5_channel, a_closed_bank_is_activated_first) {
    channel_rig r;
    r.read(100, 0, 5);
    EXPECT_EQ(r.ends(), ends{135});  // ACT 100, RD 118, + 17
    r.write(1000, 1, 5);
    EXPECT_EQ(r.ends().at(1), 1019u);  // ACT 1000, WR 1013, + 6
}

TEST(gddr5_channel, an_open_row_needs_no_command) {
    channel_rig r;
    r.read(0, 0, 5);
    r.read(1000, 0, 5);
    EXPECT_EQ(r.ends(), (ends{35, 1017}));
}

TEST(gddr5_channel, another_row_is_closed_first) {
    channel_rig r;
    r.read(0, 0, 5);
    r.read(1000, 0, 6);  // PRE 1000, ACT 1015, RD 1033
    EXPECT_EQ(r.ends(), (ends{35, 1050}));
    EXPECT_EQ(r.channel.counts().row_closed, 1u);
    EXPECT_EQ(r.channel.counts().row_conflicts, 1u);
    EXPECT_EQ(r.channel.counts().precharges, 1u);
}

TEST(gddr5_channel, a_row_stays_open_for_ras_and_the_cycle_of_a_bank_is_rc) {
    channel_rig r;
    r.read(0, 0, 5);  // ACT 0, RD 18
    r.read(1, 0, 6);  // PRE 35 (RAS, later than 18 + RTP), ACT 50 (RP and RC agree), RD 68
    EXPECT_EQ(r.ends(), (ends{35, 85}));
    gddr5_parameters p = without_refresh();
    p.t_rc_ps = 48'000;  // 60 CK: ACT 60, RD 78
    channel_rig slow{{}, p};
    slow.read(0, 0, 5);
    slow.read(1, 0, 6);
    EXPECT_EQ(slow.ends(), (ends{35, 95}));
}

TEST(gddr5_channel, a_written_row_stays_open_until_the_data_are_in_the_array) {
    channel_rig r;
    r.write(0, 0, 5);  // ACT 0, WR 13, data 17 .. 19; WR to PRE 21: PRE 34, but RAS: 35
    r.write(1, 0, 6);  // PRE 35, ACT 50, WR 63
    EXPECT_EQ(r.ends(), (ends{19, 69}));
    gddr5_parameters p = without_refresh();
    p.t_wr_ps = 20'000;  // 25 CK: WR to PRE 31. PRE 44, ACT 59, WR 72
    channel_rig slow{{}, p};
    slow.write(0, 0, 5);
    slow.write(1, 0, 6);
    EXPECT_EQ(slow.ends(), (ends{19, 78}));
}

TEST(gddr5_channel, reads_to_precharge) {
    channel_rig r;
    r.read(0, 0, 5);
    r.read(100, 0, 5);  // RD 100
    r.read(101, 0, 6);  // PRE 102 (RTP), ACT 117, RD 135
    EXPECT_EQ(r.ends(), (ends{35, 117, 152}));
}

// Open rows in banks 0, 1 and 4, then hits: two CK apart between groups 0 and 1, three in group 0.
TEST(gddr5_channel, column_commands_of_one_group_are_further_apart) {
    channel_rig r;
    for (const std::uint32_t bank : {0, 1, 4}) r.read(0, bank, 5);
    r.read(1000, 0, 5);  // RD 1000
    r.read(1000, 1, 5);  // RD 1002
    r.ends();
    r.read(2000, 0, 5);  // RD 2000
    r.read(2000, 4, 5);  // RD 2003
    r.ends();
    r.read(3000, 0, 5);  // RD 3000
    r.read(3000, 4, 5);  // RD 3004: at 3003 bank 1 has just gone ahead
    r.read(3000, 1, 5);  // RD 3002
    const ends e = r.ends();
    EXPECT_EQ(ends(e.begin() + 3, e.end()), (ends{1017, 1019, 2017, 2020, 3017, 3021, 3019}));
}

// Eight closed banks: ACT every RRD = 7 CK, the fifth not before 29 CK after the first (FAW).
TEST(gddr5_channel, activations_are_limited) {
    channel_rig r;
    for (std::uint32_t bank = 0; bank < 8; ++bank) r.read(0, bank, 5);
    // ACT 0, 7, 14, 21, 29, 36, 43, 50; RD 18 later, data another 17.
    EXPECT_EQ(r.ends(), (ends{35, 42, 49, 56, 64, 71, 78, 85}));
}

TEST(gddr5_channel, turning_the_pins_around) {
    channel_rig r;
    r.read(0, 0, 5);
    r.read(0, 1, 5);
    r.ends();
    // RD 1000, WR 1015: the pins carry read data 1015 .. 1017, write data 1019 .. 1021.
    r.read(1000, 0, 5);
    r.write(1000, 1, 5);
    r.ends();
    // WR 2000, RD 2013.
    r.write(2000, 0, 5);
    r.read(2001, 1, 5);
    const ends e = r.ends();
    EXPECT_EQ(ends(e.begin() + 2, e.end()), (ends{1017, 1021, 2006, 2030}));
    EXPECT_EQ(r.channel.counts().turnarounds, 2u);  // before WR 1015 and RD 2013
}

// Write data end 2 CK after WR, and tWTR is 0, so RD would be possible 2 CK after WR. But column
// commands are 6 CK apart in either order, and 3 in one group is less than these 6. The data of WR
// end 2 CK after it, those of RD 17.
TEST(gddr5_channel, column_commands_keep_their_distance_from_write_to_read) {
    gddr5_parameters p = without_refresh();
    p.wl_ck = 0;
    p.t_wtr_ps = 0;
    p.ccd_ck = 6;
    channel_rig r{{}, p};
    for (const std::uint32_t bank : {0, 1, 4}) r.read(0, bank, 5);
    r.ends();
    r.write(1000, 0, 5);  // WR 1000
    r.read(1001, 1, 5);   // another group: RD 1006
    r.ends();
    r.write(2000, 0, 5);  // WR 2000
    r.read(2001, 4, 5);   // the same group: RD 2006
    const ends e = r.ends();
    EXPECT_EQ(ends(e.begin() + 3, e.end()), (ends{1002, 1023, 2002, 2023}));
}

// The row asked for later is open; it goes first, although an older request waits.
TEST(gddr5_channel, first_ready_first_come) {
    channel_rig r;
    r.read(0, 0, 5);
    r.ends();
    r.read(1000, 0, 6);  // older: PRE would be possible at once, but somebody waits for row 5
    r.read(1000, 0, 5);  // RD 1000, then PRE 1002, ACT 1017, RD 1035
    EXPECT_EQ(r.ends(), (ends{35, 1052, 1017}));
    EXPECT_EQ(r.channel.counts().row_hits, 1u);
}

// An endless supply of hits in bank 0, one RD every 3 CK from 18 on, the last at 99, until the
// request for row 6 is 100 CK old: PRE 101 (RTP), ACT 116, RD 134. Then row 5 again: PRE at 151
// (RAS), ACT 166, RD 184.
TEST(gddr5_channel, an_aged_request_goes_first) {
    gddr5_organisation o;
    o.age_limit = 100;
    o.read_queue = 64;
    channel_rig r{o};
    r.read(0, 0, 5);
    r.read(0, 0, 6);
    for (int i = 0; i < 60; ++i) r.read(0, 0, 5);
    const ends e = r.ends();
    EXPECT_EQ(e.at(0), 35u);
    EXPECT_EQ(e.at(1), 151u);
    EXPECT_EQ(e.at(28), 116u);  // the 28th of row 5: 18 + 27 * 3 + 17
    EXPECT_EQ(e.at(29), 201u);
}

// Writes wait while there are reads, until write_high of them are there; then they are written down
// to write_low, and reads have the pins again. All rows are open; reads and writes alternate
// between groups 0 and 1.
TEST(gddr5_channel, writes_are_gathered_and_drained) {
    gddr5_organisation o;
    o.write_queue = 8;
    o.write_high = 4;
    o.write_low = 2;
    channel_rig r{o};
    r.read(0, 0, 5);
    r.read(0, 1, 5);
    r.ends();
    for (std::uint32_t i = 0; i < 10; ++i) r.read(1000, i % 2, 5);  // RD 1000, 1002, ...
    for (std::uint32_t i = 0; i < 3; ++i) r.write(1000, i % 2, 5);
    r.write(1005, 1, 5);
    // At 1005 there are four writes; RD 1000, 1002, 1004 have gone. WR 1019 (15 after 1004) and
    // 1021; two writes are left and reads take over 13 CK later: RD 1034 .. 1046. Then the last two
    // writes: WR 1061, 1063.
    const ends e = r.ends();
    EXPECT_EQ(ends(e.begin() + 2, e.end()),
              (ends{1017, 1019, 1021, 1051, 1053, 1055, 1057, 1059, 1061, 1063,  // reads
                    1025, 1027, 1067, 1069}));
}

// A line of 32-bit pins takes two column commands of one group, 3 CK apart, and its data end with
// the second.
TEST(gddr5_channel, a_line_of_two_bursts) {
    gddr5_organisation o;
    o.bursts_per_line = 2;
    channel_rig r{o};
    r.read(0, 0, 5);  // RD 18, 21
    EXPECT_EQ(r.ends(), ends{38});
    EXPECT_EQ(r.channel.counts().reads, 1u);
    EXPECT_EQ(r.channel.counts().data_ck, 4u);
}

// Refresh every 1000 CK (800 ns). At 1000 row 5 of bank 0 is open: all banks are closed at 1000,
// refreshed from 1015 on, and free at 1097; the row has to be opened again: ACT 1097, RD 1115.
TEST(gddr5_channel, refresh_closes_all_banks_and_takes_rfc) {
    gddr5_parameters p = without_refresh();
    p.refresh = true;
    p.t_refi_ps = 800'000;
    channel_rig r{{}, p};
    r.read(500, 0, 5);
    r.read(1000, 0, 5);
    EXPECT_EQ(r.ends(1500), (ends{535, 1132}));
    EXPECT_EQ(r.channel.counts().refreshes, 1u);
    // All banks are closed when the fifth refresh is due: it begins at 5000 and ends at 5082.
    r.read(5000, 1, 7);
    EXPECT_EQ(r.ends(5999).at(2), 5117u);
    EXPECT_EQ(r.channel.counts().refreshes, 5u);
    // Millions of refreshes later.
    r.ends(5'000'000'000);
    r.read(5'000'000'000, 1, 7);
    EXPECT_EQ(r.ends(5'000'000'500).at(3), 5'000'000'117u);
    EXPECT_EQ(r.channel.counts().refreshes, 5'000'000u);
}

TEST(gddr5_channel, has_room_and_a_next_command_only_when_it_has) {
    gddr5_organisation o;
    o.read_queue = 1;
    channel_rig r{o};
    EXPECT_EQ(r.channel.next_command(), ck_never);
    r.read(10, 0, 5);
    EXPECT_FALSE(r.channel.has_room(false));
    EXPECT_TRUE(r.channel.has_room(true));
    EXPECT_EQ(r.channel.next_command(), 10u);
    r.ends(28);  // RD is at 28
    EXPECT_FALSE(r.channel.has_room(false));
    r.ends(29);
    EXPECT_TRUE(r.channel.has_room(false));
    EXPECT_EQ(r.channel.next_command(), ck_never);
}

TEST(gddr5_channel, refuses_what_cannot_work) {
    const auto refused = [](auto change) {
        gddr5_organisation o;
        change(o);
        EXPECT_THROW((gddr5_channel{gddr5_timing{gddr5_parameters{}}, o}), std::invalid_argument);
    };
    refused([](auto& o) { o.banks = 12; });
    refused([](auto& o) { o.banks = 128; });
    refused([](auto& o) { o.groups = 32; });
    refused([](auto& o) { o.groups = 3; });
    refused([](auto& o) { o.bursts_per_line = 0; });
    refused([](auto& o) { o.read_queue = 0; });
    refused([](auto& o) { o.write_low = o.write_high; });
    refused([](auto& o) { o.write_queue = o.write_high - 1; });
}

}  // namespace
}  // namespace knc::memory::test
