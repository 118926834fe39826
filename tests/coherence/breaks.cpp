// Tables broken on purpose are found out: by the explorer, and by random accesses.
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "explorer.h"
#include "random_machine.h"

namespace knc::coherence::test {
namespace {

struct tables {
    l2_table l2 = standard_l2_table();
    directory_table home = standard_directory_table();
};

// What exploration finds wrong with the tables, or "". Small machines first.
std::string explored(const tables& t) {
    for (const auto& [tiles, extras, reduced] :
         {std::tuple{3u, true, true}, {2u, true, false}, {3u, false, false}, {4u, false, true}}) {
        world_parameters p;
        p.tiles = tiles;
        p.lines = {0};
        p.l1 = p.uncached = extras;
        p.i_to_m = tiles < 4;
        p.reduced = reduced;
        p.l2 = &t.l2;
        p.home = &t.home;
        const exploration e = explore(p);
        if (!e.error.empty()) return e.error;
    }
    return "";
}

// What random accesses find wrong, or "".
std::string tried(const tables& t) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        machine_parameters p;
        p.tiles = 6;
        p.controllers = 2;
        p.lines = 6;
        p.l2 = &t.l2;
        p.home = &t.home;
        const std::string error = random_machine(p, seed).run(20'000);
        if (!error.empty()) return error;
    }
    return "";
}

struct single_break {
    const char* what;
    std::function<void(tables&)> make;
};

using l2s = l2_state;
using l2e = l2_event;
using ds = directory_state;
using de = directory_event;
namespace la = l2_actions;
namespace da = directory_actions;

const std::vector<single_break>& breaks() {
    static const std::vector<single_break> all = {
        {"an upgrade is granted while others hold copies",
         [](tables& t) { t.home.set(ds::gs, de::upgrade, ds::ge_d, da::grant, da::own); }},
        {"the home slice does not wait for the requester",
         [](tables& t) { t.home.set(ds::ge_md, de::read_ack, ds::ge); }},
        {"the home slice does not wait for memory to have the data",
         [](tables& t) {
             t.home.set(ds::ge, de::put_dirty_last, ds::gi, da::remove, da::put_ack, da::mem_write);
         }},
        {"the owner's dirty data are taken for clean",
         [](tables& t) { t.home.set(ds::gx_fd, de::ack_dirty, ds::gs_d, da::disown); }},
        {"the data of an owner who leaves are thrown away",
         [](tables& t) { t.home.set(ds::gols, de::put_dirty, ds::gs, da::remove, da::put_ack); }},
        {"a sharer that has left is remembered",
         [](tables& t) { t.home.set(ds::gs, de::put_clean, ds::gs, da::put_ack); }},
        {"an eviction that came too late is believed",
         [](tables& t) {
             t.home.set(ds::ge, de::put_stale, ds::gi_w, da::clear, da::put_ack, da::mem_write);
         }},
        {"a writer gets old data from memory",
         [](tables& t) { t.home.set(ds::ge, de::get_m_one, ds::ge_md, da::mem_read_m, da::own); }},
        {"an uncached read gets old data from memory",
         [](tables& t) { t.home.set(ds::ge, de::read_once, ds::gi_m, da::mem_read_once); }},
        {"an uncached write leaves the owner his copy",
         [](tables& t) {
             t.home.set(ds::ge, de::write_once, ds::once_w, da::mem_write_bytes, da::clear);
         }},
        {"an uncached write forgets the bytes around it",
         [](tables& t) {
             t.home.set(ds::once_i, de::recall_data_last, ds::once_w, da::mem_write_bytes,
                        da::clear);
         }},
        {"the forwarder of a line to be written is invalidated, too",
         [](tables& t) {
             t.home.set(ds::gs, de::get_m_many, ds::ge_if, da::invalidate_all, da::pick_sharer);
         }},
        {"a line is granted to a streaming store while others hold copies",
         [](tables& t) { t.home.set(ds::gs, de::i_to_m, ds::ge_d, da::grant, da::own); }},
        {"a streaming store leaves the owner his copy",
         [](tables& t) { t.home.set(ds::ge, de::i_to_m, ds::ge_d, da::grant, da::own); }},
        {"a streaming store does not write",
         [](tables& t) { t.l2.set(l2s::im_a, l2e::grant, l2s::m, la::send_done); }},
        {"an invalidated copy is kept",
         [](tables& t) { t.l2.set(l2s::s, l2e::invalidate, l2s::s, la::send_inv_ack); }},
        {"a pending upgrade survives an invalidation",
         [](tables& t) { t.l2.set(l2s::sm_a, l2e::invalidate, l2s::sm_a, la::send_inv_ack); }},
        {"an owner's pending upgrade survives an invalidation",
         [](tables& t) { t.l2.set(l2s::om_a, l2e::invalidate, l2s::om_a, la::send_inv_ack); }},
        {"an owner forgets that it is one",
         [](tables& t) {
             t.l2.set(l2s::m, l2e::fwd_get_s, l2s::s, la::send_data_s, la::send_ack_dirty);
         }},
        {"the victim buffer passes dirty data on as clean ones",
         [](tables& t) {
             t.l2.set(l2s::mi_a, l2e::fwd_get_s, l2s::si_a, la::send_data_s, la::send_ack_clean);
         }},
        {"the victim buffer does not notice that its line was taken",
         [](tables& t) {
             t.l2.set(l2s::oi_a, l2e::fwd_get_m, l2s::oi_a, la::send_data_m, la::send_ack_dirty);
         }},
        {"what the L1 wrote is not noticed",
         [](tables& t) { t.l2.set(l2s::e, l2e::l1_dirty, l2s::e); }},
        {"a dirty line is evicted as a clean one",
         [](tables& t) { t.l2.set(l2s::m, l2e::evict, l2s::ei_a, la::send_put_clean); }},
        {"recalled data are not sent",
         [](tables& t) { t.l2.set(l2s::m, l2e::recall, l2s::i, la::send_inv_ack); }},
        {"the requester does not say that it is done",
         [](tables& t) { t.l2.set(l2s::is_d, l2e::data_e, l2s::e, la::fill); }},
    };
    return all;
}

TEST(breaks, are_found_by_exploration) {
    ASSERT_EQ(explored({}), "");
    for (const single_break& b : breaks()) {
        tables t;
        b.make(t);
        const std::string error = explored(t);
        EXPECT_NE(error, "") << b.what;
        std::cout << b.what << ": " << error << '\n';
    }
}

TEST(breaks, are_found_by_random_accesses) {
    ASSERT_EQ(tried({}), "");
    for (const single_break& b : breaks()) {
        tables t;
        b.make(t);
        const std::string error = tried(t);
        EXPECT_NE(error, "") << b.what;
        std::cout << b.what << ": " << error << '\n';
    }
}

// What exploration finds wrong with the table of the L3, or "".
std::string explored(const l3_table& t) {
    for (const auto& [tiles, extras, reduced] : {std::tuple{2u, true, true},
                                                 {3u, true, true},
                                                 {2u, true, false},
                                                 {3u, false, false},
                                                 {4u, false, true}}) {
        world_parameters p;
        p.tiles = tiles;
        p.lines = {0};
        p.l1 = p.uncached = extras;
        p.i_to_m = tiles < 3 || (tiles == 3 && !extras);
        p.reduced = reduced;
        p.l3 = &t;
        const exploration e = explore(p);
        if (!e.error.empty()) return e.error;
    }
    return "";
}

std::string tried(const l3_table& t) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        machine_parameters p;
        p.tiles = 6;
        p.controllers = 2;
        p.lines = 12;
        p.l3 = &t;
        p.l3_sets = 1;
        const std::string error = random_machine(p, seed).run(20'000);
        if (!error.empty()) return error;
    }
    return "";
}

using l3s = l3_state;
using l3e = l3_event;
namespace l3a = l3_actions;

struct l3_break {
    const char* what;
    std::function<void(l3_table&)> make;
};

const std::vector<l3_break>& l3_breaks() {
    static const std::vector<l3_break> all = {
        {"an upgrade is granted while others hold copies",
         [](l3_table& t) { t.set(l3s::ls, l3e::upgrade, l3s::le_d, l3a::grant, l3a::own); }},
        {"a writer gets its line while others hold copies",
         [](l3_table& t) { t.set(l3s::ls, l3e::get_m_one, l3s::le_d, l3a::l3_data_m, l3a::own); }},
        {"a reader gets what the owner has changed since",
         [](l3_table& t) { t.set(l3s::le, l3e::get_s, l3s::ls_d, l3a::l3_data_s, l3a::add); }},
        {"the slice does not wait for the requester",
         [](l3_table& t) {
             t.set(l3s::le_m, l3e::fetched, l3s::le, l3a::store, l3a::l3_data_e, l3a::own);
         }},
        {"the line of memory is passed on, but not kept",
         [](l3_table& t) {
             t.set(l3s::le_m, l3e::fetched, l3s::le_d, l3a::enter, l3a::l3_data_e, l3a::own);
         }},
        {"an owner's dirty data are thrown away",
         [](l3_table& t) {
             t.set(l3s::le, l3e::put_dirty_last, l3s::li, l3a::remove, l3a::put_ack);
         }},
        {"the owner's dirty data are taken for clean",
         [](l3_table& t) { t.set(l3s::lx_fd, l3e::ack_dirty, l3s::ls_d, l3a::disown); }},
        {"a line that is replaced stays in the tiles",
         [](l3_table& t) { t.set(l3s::ls, l3e::evict_clean, l3s::np, l3a::leave, l3a::clear); }},
        {"dirty data are not written back",
         [](l3_table& t) { t.set(l3s::li, l3e::evict_dirty, l3s::np, l3a::leave); }},
        {"dirty data that were recalled are not written back",
         [](l3_table& t) {
             t.set(l3s::np_ic, l3e::recall_data_last, l3s::np, l3a::keep, l3a::clear);
         }},
        {"old data of the L3 are written back, not those recalled",
         [](l3_table& t) {
             t.set(l3s::np_id, l3e::recall_data_last, l3s::np_w, l3a::mem_write, l3a::clear);
         }},
        {"the line may be fetched before memory has it",
         [](l3_table& t) {
             t.set(l3s::li, l3e::evict_dirty, l3s::np, l3a::leave, l3a::mem_write);
         }},
        {"an uncached read gets what the owner has changed since",
         [](l3_table& t) { t.set(l3s::le, l3e::read_once, l3s::le, l3a::l3_data_once); }},
        {"an uncached write leaves the line in the L3",
         [](l3_table& t) { t.set(l3s::li, l3e::write_once, l3s::once_w, l3a::mem_write_bytes); }},
        {"an uncached write forgets the bytes around it",
         [](l3_table& t) {
             t.set(l3s::once_i, l3e::recall_data_last, l3s::once_w, l3a::mem_write_bytes,
                   l3a::clear);
         }},
        {"a streaming store leaves the owner his copy",
         [](l3_table& t) { t.set(l3s::le, l3e::i_to_m, l3s::le_d, l3a::grant, l3a::own); }},
    };
    return all;
}

TEST(breaks_l3, are_found_by_exploration) {
    ASSERT_EQ(explored(standard_l3_table()), "");
    for (const l3_break& b : l3_breaks()) {
        l3_table t = standard_l3_table();
        b.make(t);
        const std::string error = explored(t);
        EXPECT_NE(error, "") << b.what;
        std::cout << b.what << ": " << error << '\n';
    }
}

TEST(breaks_l3, are_found_by_random_accesses) {
    ASSERT_EQ(tried(standard_l3_table()), "");
    for (const l3_break& b : l3_breaks()) {
        l3_table t = standard_l3_table();
        b.make(t);
        const std::string error = tried(t);
        EXPECT_NE(error, "") << b.what;
        std::cout << b.what << ": " << error << '\n';
    }
}

// Takes every line out of a table, and every action out of every line; calls `found_out` with each.
template <class State, class Event, class Table, class Check>
void each_omission(Table& table, Check found_out) {
    for (std::size_t s = 0; s < Table::states; ++s)
        for (std::size_t e = 0; e < Table::events; ++e) {
            const auto state = static_cast<State>(s);
            const auto event = static_cast<Event>(e);
            auto& line = table.at(state, event);
            if (!line.possible) continue;
            const auto whole = line;
            const std::string name = std::string(name_of(state)) + ", " + name_of(event);
            line.possible = false;
            found_out(name);
            for (std::uint8_t left_out = 0; left_out < whole.count; ++left_out) {
                line = whole;
                std::copy(whole.begin() + left_out + 1, whole.end(),
                          line.actions.begin() + left_out);
                --line.count;
                found_out(name + " without " + name_of(whole.actions[left_out]));
            }
            line = whole;
        }
}

// So no line is dead and no action superfluous.
TEST(breaks, every_line_and_action_of_the_l2_is_needed) {
    tables t;
    each_omission<l2_state, l2_event>(
        t.l2, [&](const std::string& what) { EXPECT_NE(explored(t), "") << "L2: " << what; });
}
TEST(breaks, every_line_and_action_of_the_directory_is_needed) {
    tables t;
    each_omission<directory_state, directory_event>(t.home, [&](const std::string& what) {
        EXPECT_NE(explored(t), "") << "directory: " << what;
    });
}

TEST(breaks_l3, every_line_and_action_is_needed) {
    l3_table t = standard_l3_table();
    each_omission<l3_state, l3_event>(
        t, [&](const std::string& what) { EXPECT_NE(explored(t), "") << "L3: " << what; });
}

}  // namespace
}  // namespace knc::coherence::test
