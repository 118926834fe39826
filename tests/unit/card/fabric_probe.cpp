// The signals of ring and memory controllers.
#include <knc/card/fabric_probe.h>

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fabric_rig.h"

namespace knc::card::test {
namespace {

std::uint64_t value(const base::signal_list& list, const std::string& name) {
    for (const base::signal& s : list)
        if (s.name == name) return *s.value;
    ADD_FAILURE() << "no signal " << name;
    return 0;
}

// Four tiles and a controller: stops sbox, tile 0, tile 1, controller 0, tile 2, tile 3 in this
// order. Tile 0, at an odd stop, asks the slice of tile 2, opposite, for three lines in clock 10:
// down by way of the SBOX and tile 3. Two leave at once, one on each ring, the third a clock later.
TEST(fabric_probe, follows_messages_past_the_stops) {
    fabric_rig rig({}, 4);
    fabric_probe probe(rig.fabric.lines());
    base::signal_list list;
    probe.list_signals("u", list);
    unsigned asked = 0;
    for (line_t l = 0; asked < 3; ++l)
        if (rig.fabric.hash().home(l) == 2) asked += rig.tiles[0]->access(l, false, 0, 10);
    const auto at = [&](base::cycle_t clock, const char* name) {
        if (rig.fabric.now() <= clock) rig.fabric.run(clock);
        probe.sample();
        return value(list, name);
    };
    EXPECT_EQ(at(9, "u.tile0.address_down"), 0u);
    EXPECT_EQ(at(9, "u.under_way"), 3u);
    EXPECT_EQ(at(10, "u.tile0.address_down"), 3u);
    EXPECT_EQ(at(10, "u.tile0.address_down_waiting"), 1u);
    EXPECT_EQ(at(10, "u.tile0.address_up"), 0u);
    EXPECT_EQ(at(11, "u.tile0.address_down"), 1u);
    EXPECT_EQ(at(11, "u.tile0.address_down_waiting"), 0u);
    EXPECT_EQ(at(11, "u.sbox.address_down"), 3u);
    EXPECT_EQ(at(12, "u.tile3.address_down"), 3u);
    EXPECT_EQ(at(12, "u.sbox.address_down"), 1u);
    // They leave the slot where they are taken.
    EXPECT_EQ(at(13, "u.tile2.address_down"), 0u);
    EXPECT_EQ(at(13, "u.tile3.address_down"), 1u);
    rig.finish();
    probe.sample();
    for (const base::signal& s : list) {
        if (s.name.rfind("u.", 0) == 0) {
            EXPECT_EQ(*s.value, 0u) << s.name;
        }
    }
    // The controller has read the three lines.
    EXPECT_EQ(value(list, "controller0.lines_read"), 3u);
    EXPECT_EQ(value(list, "controller0.lines_written"), 0u);
    EXPECT_EQ(value(list, "controller0.reads"), 0u);
    EXPECT_EQ(value(list, "controller0.row_hits") + value(list, "controller0.row_closed") +
                  value(list, "controller0.row_conflicts"),
              3u);
}

TEST(fabric_probe, shows_requests_that_wait_for_a_controller) {
    uncore_parameters p;
    p.memory.organisation.read_queue = 1;
    fabric_rig rig(p, 4);
    fabric_probe probe(rig.fabric.lines());
    base::signal_list list;
    probe.list_signals("u", list);
    for (line_t l = 0; l < 10; ++l) rig.tiles[0]->access(l, false, 0, 0);
    // Far more than the way to the controller takes, far less than a read.
    rig.fabric.run(p.directory_cycles + 40);
    probe.sample();
    EXPECT_EQ(value(list, "u.controller0.requests_waiting"), 9u);
}

TEST(fabric_probe, names_each_signal_once) {
    fabric_rig rig({}, 62);
    base::signal_list list;
    fabric_probe(rig.fabric.lines()).list_signals("u", list);
    std::set<std::string> names;
    for (const base::signal& s : list) EXPECT_TRUE(names.insert(s.name).second) << s.name;
    // 62 tiles, a controller and the SBOX, 3 channels in 2 directions with 2 signals; 2 more; and
    // 10 of what the controller does.
    EXPECT_EQ(names.size(), 64u * 3 * 2 * 2 + 2 + 10);
}

}  // namespace
}  // namespace knc::card::test
