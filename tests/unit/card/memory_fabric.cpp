// Times and order of what happens between the tiles, exactly.
#include <knc/card/memory_fabric.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "fabric_rig.h"

namespace knc::card::test {
namespace {

// Ring of one clock per hop and one to leave it, slices of 50 clocks, eight idle controllers of
// 5 GT/s. Refresh left out: it would close rows.
uncore_parameters plain() {
    uncore_parameters p;
    p.controllers = 8;
    p.memory.gddr5.refresh = false;
    p.directory_clocks = 50;
    return p;
}

// Clocks of a lone message between two stops.
base::cycle_t way(const fabric_rig& rig, unsigned from, unsigned to) {
    if (from == to) return 1;  // local_clocks
    return ring::shortest(from, to, rig.fabric.stops().stops()).hops + 1;
}

// A line whose home is `home`.
line_t line_at(const fabric_rig& rig, unsigned home, line_t from = 0) {
    while (rig.fabric.hash().home(from) != home) ++from;
    return from;
}

// An idle controller with its banks closed answers after 85 CK of 1.25 GHz (docs/memory.md: 25
// front end, 18 ACT to RD, 15 to the data, 2 of data, 25 back end), counted from the first CK not
// before the request: that is CK ceil(t * 1250 / 1053), and the first core clock not before its
// end.
base::cycle_t memory_done(base::cycle_t t) {
    const std::uint64_t ck = (t * 1250 + 1052) / 1053 + 85;
    return (ck * 1053 + 1249) / 1250;
}

TEST(memory_fabric, read_miss_is_the_sum_of_its_parts) {
    for (const unsigned requester : {0u, 17u, 59u}) {
        for (const unsigned home : {0u, 17u, 30u}) {
            fabric_rig rig(plain(), 60);
            const line_t line = line_at(rig, home, 1000);
            rig.memory.lines[line][3] = rig.image[line][3] = 0x77;
            const ring::topology& at = rig.fabric.stops();
            const unsigned controller =
                at.controller(rig.fabric.hash().controller(line) - coherence::first_controller);
            ASSERT_TRUE(rig.tiles[requester]->access(line, false, 0, 100));
            rig.finish();
            const base::cycle_t asked = 100 + way(rig, at.tile(requester), at.tile(home)) + 50;
            const base::cycle_t data = memory_done(asked + way(rig, at.tile(home), controller)) +
                                       way(rig, controller, at.tile(requester));
            ASSERT_EQ(rig.log.size(), 1u);
            EXPECT_EQ(rig.log[0].kind, message_kind::data_e);
            EXPECT_EQ(rig.log[0].clock, data) << requester << ' ' << home;
            EXPECT_EQ(rig.log[0].data[3], 0x77);
        }
    }
}

}  // namespace
}  // namespace knc::card::test
