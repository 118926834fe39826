// A slice of the L3 by itself: whose a line is, what counts for its monitoring ID, what leaves.
// Memory answers at once, and the L2s as the test says. The protocol is explored elsewhere
// (tests/coherence), where random runs compare the counts with a walk through the tags.
#include <knc/cache/l3_cache.h>

#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/coherence/memory_agent.h>

namespace knc::cache {
namespace {

using coherence::line_data;
using coherence::message;
using coherence::node_t;
using kind = coherence::message_kind;

// One set of four ways, and three monitoring IDs.
l3_parameters small(monitored_hit hit = monitored_hit::keep) {
    l3_parameters p;
    p.slice = {256, 4, replacement::lru};
    p.monitored = 3;
    p.hit = hit;
    return p;
}

class rig final : coherence::port, coherence::line_store {
  public:
    explicit rig(const l3_parameters& p = small())
        : hash(1, 1), memory(coherence::first_controller, *this, *this), l3(0, hash, p, *this) {}

    // A request of tile `from` for the ID. Runs until nothing is under way.
    void request(kind k, line_t line, node_t from, std::uint16_t rmid,
                 coherence::byte_mask mask = 0, std::uint8_t byte = 0) {
        message m;
        m.kind = k;
        m.line = line;
        m.source = m.requester = from;
        m.tag = rmid;
        m.mask = mask;
        m.data.fill(byte);
        l3.receive(m);
        run();
    }
    void evict(line_t line) {
        EXPECT_TRUE(l3.evict(line));
        run();
    }
    std::string heard() { return std::exchange(log, ""); }
    const l3_usage& of(std::size_t rmid) const { return l3.usage()[rmid]; }
    std::string counts() {
        // The counters are those of the tags.
        const std::vector<std::uint64_t> walked = l3.walk();
        EXPECT_EQ(std::accumulate(walked.begin(), walked.end(), std::uint64_t{0}), l3.present());
        EXPECT_EQ(walked.back(), l3.others().lines);
        std::string text;
        for (std::size_t r = 0; r < l3.usage().size(); ++r) {
            EXPECT_EQ(walked[r], of(r).lines) << r;
            text += fmt::format("{}{}", r == 0 ? "" : " ", of(r).lines);
        }
        return text;
    }
    std::uint8_t in_memory(line_t line) { return stored[line][0]; }

    const coherence::address_hash hash;
    coherence::memory_agent memory;
    l3_cache l3;
    // What a tile that is asked to give a line back has written to it.
    std::map<line_t, std::uint8_t> modified;

  private:
    void send(const message& m) override { queue.push_back(m); }
    void protocol_error(const std::string& text) override { ADD_FAILURE() << text; }
    void read(line_t line, line_data& d) override { d = stored[line]; }
    void write(line_t line, const line_data& d, coherence::byte_mask mask) override {
        coherence::copy_bytes(stored[line].data(), d.data(), mask);
    }

    void run() {
        while (!queue.empty()) {
            const message m = queue.front();
            queue.pop_front();
            if (m.destination >= coherence::first_controller &&
                m.destination < coherence::first_agent)
                memory.perform(m);
            else if (m.destination == 0)
                l3.receive(m);
            else
                answer(m);
        }
    }
    // The L2 of tile 1 and up, and agents without a cache.
    void answer(const message& m) {
        log += fmt::format("{} to {}; ", coherence::properties(m.kind).name, m.destination);
        message back;
        back.line = m.line;
        back.source = m.destination;
        back.requester = m.requester;
        switch (m.kind) {
            case kind::recall:
                if (const auto d = modified.find(m.line); d != modified.end()) {
                    back.kind = kind::recall_data;
                    back.data.fill(d->second);
                    modified.erase(d);
                } else {
                    back.kind = kind::inv_ack;
                }
                break;
            case kind::invalidate:
                back.kind = kind::inv_ack;
                break;
            case kind::fwd_get_s: {
                message data = m;
                data.kind = kind::data_s;
                data.source = m.destination;
                data.destination = m.requester;
                queue.push_back(data);
                back.kind = kind::ack_clean;
                break;
            }
            case kind::put_ack:
            case kind::data_once:
            case kind::l3_data_once:
            case kind::write_done:
                return;
            default:
                back.kind = kind::done;
        }
        queue.push_back(back);
    }

    std::deque<message> queue;
    std::map<line_t, line_data> stored;
    std::string log;
};

TEST(l3_cache, a_line_is_that_of_the_request_that_brought_it) {
    rig r;
    r.request(kind::get_s, 5, 1, 2);
    EXPECT_EQ(r.heard(), "l3_data_e to 1; ");
    EXPECT_EQ(r.counts(), "0 0 1");
    EXPECT_EQ(r.of(2).fetched, 1u);
    EXPECT_TRUE(r.of(2).seen);
    EXPECT_FALSE(r.of(1).seen);
    // It stays when the L2 gives its copy back, and another request does not fetch it again.
    r.request(kind::put_clean, 5, 1, 0);
    r.request(kind::get_s, 5, 2, 1);
    EXPECT_EQ(r.counts(), "0 0 1");
    EXPECT_EQ(r.of(1).fetched, 0u);
    EXPECT_TRUE(r.of(1).seen);
    // Nor do a copy from another tile and the permission to write it.
    r.request(kind::get_s, 5, 1, 0);
    r.request(kind::get_m, 5, 1, 0);
    EXPECT_EQ(r.counts(), "0 0 1");
}

TEST(l3_cache, a_hit_may_move_the_line) {
    rig r(small(monitored_hit::move));
    r.request(kind::get_s, 5, 1, 2);
    r.request(kind::put_clean, 5, 1, 0);
    r.request(kind::get_s, 5, 2, 1);
    EXPECT_EQ(r.counts(), "0 1 0");
    // So does one of a line that another tile has; an upgrade is none.
    r.request(kind::get_s, 5, 1, 0);
    EXPECT_EQ(r.counts(), "1 0 0");
    r.request(kind::get_m, 5, 2, 2);
    EXPECT_EQ(r.counts(), "1 0 0");
}

TEST(l3_cache, ids_that_are_not_monitored_count_together) {
    rig r;
    r.request(kind::get_s, 5, 1, 3);
    r.request(kind::get_s, 6, 1, 700);
    EXPECT_EQ(r.counts(), "0 0 0");
    EXPECT_EQ(r.l3.others().lines, 2u);
    EXPECT_EQ(r.l3.others().fetched, 2u);
}

TEST(l3_cache, a_dirty_line_is_written_for_the_id_of_its_tag) {
    rig r;
    r.request(kind::get_m, 5, 1, 2);
    r.request(kind::put_dirty, 5, 1, 0, 0, 77);
    EXPECT_EQ(r.in_memory(5), 0);
    r.evict(5);
    EXPECT_EQ(r.in_memory(5), 77);
    EXPECT_EQ(r.counts(), "0 0 0");
    EXPECT_EQ(r.of(2).written, 1u);
    EXPECT_EQ(r.of(0).written, 0u);
}

TEST(l3_cache, a_line_that_leaves_takes_the_copies_with_it) {
    rig r;
    r.request(kind::get_m, 5, 1, 2);
    r.modified[5] = 88;
    r.heard();
    r.evict(5);
    EXPECT_EQ(r.heard(), "recall to 1; ");
    EXPECT_EQ(r.in_memory(5), 88);
    EXPECT_EQ(r.of(2).written, 1u);
    // A clean one writes nothing.
    r.request(kind::get_s, 6, 1, 2);
    r.evict(6);
    EXPECT_EQ(r.of(2).written, 1u);
    EXPECT_EQ(r.counts(), "0 0 0");
}

TEST(l3_cache, the_least_recently_used_line_makes_room) {
    rig r;
    for (line_t l = 1; l <= 4; ++l) {
        r.request(kind::get_s, l, 1, static_cast<std::uint16_t>(l % 2));
        r.request(kind::put_clean, l, 1, 0);
    }
    EXPECT_EQ(r.counts(), "2 2 0");
    r.request(kind::get_s, 1, 2, 0);
    r.request(kind::get_s, 9, 1, 2);
    EXPECT_EQ(r.counts(), "1 2 1");  // line 2 has left
    EXPECT_EQ(r.l3.save(2).state, coherence::l3_state::np);
    EXPECT_TRUE(r.l3.save(1).present);
}

TEST(l3_cache, accesses_that_leave_no_copy) {
    rig r;
    r.request(kind::read_once, 5, 1, 2);
    EXPECT_EQ(r.heard(), "data_once to 1; ");
    EXPECT_EQ(r.of(2).fetched, 1u);
    EXPECT_TRUE(r.of(2).seen);
    r.request(kind::write_once, 5, 1, 1, 0xff, 9);
    EXPECT_EQ(r.in_memory(5), 9);
    EXPECT_EQ(r.of(1).written, 1u);
    EXPECT_TRUE(r.of(1).seen);
    EXPECT_EQ(r.counts(), "0 0 0");
    // No bytes: a clean line, or none, is not written.
    r.request(kind::write_once, 5, 1, 1);
    EXPECT_EQ(r.of(1).written, 1u);
    // The L3 has the line: no memory is read.
    r.request(kind::get_s, 6, 1, 0);
    r.request(kind::put_clean, 6, 1, 0);
    r.heard();
    r.request(kind::read_once, 6, 2, 2);
    EXPECT_EQ(r.heard(), "l3_data_once to 2; ");
    EXPECT_EQ(r.of(2).fetched, 1u);
}

// The messages of devices and the host have no ID, which is 0.
TEST(l3_cache, what_agents_without_a_cache_transfer_is_that_of_id_0) {
    EXPECT_EQ(message{}.tag, 0u);
    rig r;
    r.request(kind::read_once, 5, coherence::first_agent, 0);
    EXPECT_EQ(r.heard(), "data_once to 128; ");
    EXPECT_EQ(r.of(0).fetched, 1u);
    r.request(kind::write_once, 6, coherence::first_agent, 0, 0xff, 9);
    EXPECT_EQ(r.heard(), "write_done to 128; ");
    EXPECT_EQ(r.in_memory(6), 9);
    EXPECT_EQ(r.of(0).written, 1u);
    EXPECT_EQ(r.counts(), "0 0 0");
}

TEST(l3_cache, reset) {
    rig r;
    r.request(kind::get_s, 5, 1, 2);
    r.l3.clear();
    EXPECT_EQ(r.counts(), "0 0 0");
    EXPECT_EQ(r.of(2).fetched, 1u);
    r.l3.reset_usage();
    EXPECT_EQ(r.of(2).fetched, 0u);
    EXPECT_FALSE(r.of(2).seen);
}

}  // namespace
}  // namespace knc::cache
