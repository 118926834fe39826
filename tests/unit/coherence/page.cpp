// The tables and docs/coherence.md say the same, and the tables are sound in themselves.
#include <knc/coherence/directory_protocol.h>
#include <knc/coherence/l2_protocol.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <knc/coherence/message.h>

namespace knc::coherence::test {
namespace {

void expect_in_page(const std::string& table, const std::string& name) {
    std::ifstream page(KNC_SOURCE "/docs/coherence.md", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(page), {}};
    if (text.find(table) != std::string::npos) return;
    const std::string file = testing::TempDir() + name + ".md";
    std::ofstream(file, std::ios::binary) << table;
    FAIL() << "docs/coherence.md does not contain the present table, which is in " << file;
}

TEST(coherence_page, has_the_messages) {
    expect_in_page(messages_page(), "messages");
}
TEST(coherence_page, has_the_table_of_the_l2) {
    expect_in_page(l2_protocol_page(), "l2_protocol");
}
TEST(coherence_page, has_the_table_of_the_directory) {
    expect_in_page(directory_protocol_page(), "directory_protocol");
}

template <class Table, class State, class Event, class Visit>
void each_line(const Table& table, Visit visit) {
    for (std::size_t s = 0; s < Table::states; ++s)
        for (std::size_t e = 0; e < Table::events; ++e)
            if (table.at(static_cast<State>(s), static_cast<Event>(e)).possible)
                visit(static_cast<State>(s), static_cast<Event>(e),
                      table.at(static_cast<State>(s), static_cast<Event>(e)));
}

// Each state can be entered and left, each action is used.
TEST(coherence_tables, have_no_dead_state_or_action) {
    std::set<l2_state> entered, left;
    std::set<l2_action> used;
    each_line<l2_table, l2_state, l2_event>(standard_l2_table(), [&](auto s, auto, const auto& t) {
        if (t.next != s) {
            entered.insert(t.next);
            left.insert(s);
        }
        used.insert(t.begin(), t.end());
    });
    EXPECT_EQ(entered.size(), l2_table::states);
    EXPECT_EQ(left.size(), l2_table::states);
    EXPECT_EQ(used.size(), std::size_t{l2_actions::count});

    std::set<directory_state> home_entered, home_left;
    std::set<directory_action> home_used;
    each_line<directory_table, directory_state, directory_event>(
        standard_directory_table(), [&](auto s, auto, const auto& t) {
            if (t.next != s) {
                home_entered.insert(t.next);
                home_left.insert(s);
            }
            home_used.insert(t.begin(), t.end());
        });
    EXPECT_EQ(home_entered.size(), directory_table::states);
    EXPECT_EQ(home_left.size(), directory_table::states);
    EXPECT_EQ(home_used.size(), std::size_t{directory_actions::count});
}

// Requests reach the table in stable states only, answers in transient ones only.
TEST(coherence_tables, of_the_directory_serve_one_request_at_a_time) {
    each_line<directory_table, directory_state, directory_event>(
        standard_directory_table(), [&](auto s, auto e, const auto&) {
            EXPECT_EQ(e <= directory_event::write_once, is_stable(s))
                << name_of(s) << ' ' << name_of(e);
            EXPECT_NE(e, directory_event::contradiction) << name_of(s);
        });
}

// Every message for an L2 is an event there and every other kind is none.
TEST(coherence_tables, of_the_l2_know_all_messages_for_it) {
    for (unsigned n = 0; n < static_cast<unsigned>(message_kind::count); ++n) {
        const auto k = static_cast<message_kind>(n);
        const l2_event e = event_of(k);
        ASSERT_EQ(e != l2_event::count, properties(k).receiver == receiver_kind::l2)
            << properties(k).name;
        if (e == l2_event::count) continue;
        // The L2 takes a line from an L3 as one from another tile.
        const std::string name = properties(k).name, of_l3 = "l3_";
        EXPECT_EQ(name_of(e), name.rfind(of_l3, 0) == 0 ? name.substr(of_l3.size()) : name);
    }
}

// What needs the data ring is what has data, and requests come first in the list of kinds.
TEST(coherence_messages, have_consistent_properties) {
    for (unsigned n = 0; n < static_cast<unsigned>(message_kind::count); ++n) {
        const auto k = static_cast<message_kind>(n);
        const message_properties& p = properties(k);
        EXPECT_EQ(p.has_data, p.ring == ring_kind::data) << p.name;
        if (is_request(k)) {
            EXPECT_EQ(p.receiver, receiver_kind::directory) << p.name;
            EXPECT_NE(p.ring, ring_kind::acknowledge) << p.name;
        }
    }
    EXPECT_TRUE(is_request(message_kind::write_once));
    EXPECT_FALSE(is_request(message_kind::fwd_get_s));
}

TEST(coherence_messages, tell_the_source_of_a_fill) {
    message m;
    m.kind = message_kind::data_s;
    m.source = 60;
    EXPECT_EQ(source_of(m), fill_source::cache);
    m.source = first_controller;
    EXPECT_EQ(source_of(m), fill_source::memory);
    m.kind = message_kind::grant;
    m.source = 3;  // the home slice
    EXPECT_EQ(source_of(m), fill_source::none);
}

TEST(coherence_messages, copy_the_bytes_of_a_mask) {
    line_data from, to{};
    from.fill(9);
    copy_bytes(to.data(), from.data(), byte_mask{1} | byte_mask{1} << 63);
    EXPECT_EQ(to[0], 9);
    EXPECT_EQ(to[63], 9);
    EXPECT_EQ(std::count(to.begin(), to.end(), 0), 62);
    copy_bytes(to.data(), from.data(), all_bytes);
    EXPECT_EQ(to, from);
}

}  // namespace
}  // namespace knc::coherence::test
