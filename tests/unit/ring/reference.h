// The ring as wires and registers: every slot moves in every clock. Slow, and written without any
// of the model's ways to avoid that.
#ifndef KNC_TESTS_UNIT_RING_REFERENCE_H
#define KNC_TESTS_UNIT_RING_REFERENCE_H

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "numbered_ring.h"

namespace ring_test {

using namespace knc;
using ring::channel;
using ring::direction;

inline constexpr channel all_channels[] = {channel::data, channel::address, channel::acknowledge};
inline constexpr direction both_ways[] = {direction::up, direction::down};

struct request {
    channel what;
    unsigned from, to;
    std::uint32_t id;
    base::cycle_t clock;
};

class reference {
  public:
    reference(const ring::parameters& p, unsigned stops) : p_(p), stops_(stops) {
        const unsigned copies[] = {p.data_rings, p.address_rings, p.acknowledge_rings};
        for (const channel c : all_channels)
            for (const direction way : both_ways)
                for (unsigned n = 0; n < copies[static_cast<unsigned>(c)]; ++n)
                    lanes_.push_back({c, way, n, places(stops * p.hop_cycles),
                                      std::vector<ring::traffic_count>(stops)});
    }

    // All requests of a clock before that clock, and of one stop in the order in which they leave.
    void offer(const request& r) {
        const bool local = r.from == r.to;
        const key k = local ? key{channel::data, direction::up, r.from, true}
                            : key{r.what, shorter(r.from, r.to), r.from, false};
        waiting_[k].push_back(r);
    }
    // Runs the next clock.
    void step() {
        for (lane& l : lanes_) move(l);
        for (lane& l : lanes_) eject(l);
        for (auto& [where, queue] : waiting_) inject(where, queue);
        ++clock_;
    }
    bool done() const {
        for (const auto& [where, queue] : waiting_)
            if (!queue.empty()) return false;
        for (const lane& l : lanes_)
            for (const auto& place : l.slots)
                if (place) return false;
        return true;
    }
    // All so far, in the order of clock, stop and ring.
    std::vector<delivery> deliveries() {
        std::stable_sort(arrived_.begin(), arrived_.end(), [](const auto& a, const auto& b) {
            return std::tuple(a.what.clock, a.what.to, a.lane) <
                   std::tuple(b.what.clock, b.what.to, b.lane);
        });
        std::vector<delivery> all;
        for (const arrival& a : arrived_) all.push_back(a.what);
        return all;
    }
    // That the model says the same of every ring and stop; `counts` also: once all has arrived.
    void compare(const ring::interconnect& model, bool counts) const {
        for (const lane& l : lanes_) {
            const auto counted = model.counts(l.what, l.way, l.copy);
            for (unsigned s = 0; s < stops_; ++s) {
                SCOPED_TRACE(testing::Message()
                             << "channel " << int(l.what) << " direction " << int(l.way) << " copy "
                             << l.copy << " stop " << s);
                const bool occupied = l.slots[s * p_.hop_cycles].has_value();
                ASSERT_EQ(model.occupied(l.what, l.way, l.copy, s), occupied);
                const auto queue = waiting_.find({l.what, l.way, s, false});
                const std::size_t length = queue == waiting_.end() ? 0 : queue->second.size();
                ASSERT_EQ(model.waiting(l.what, l.way, s), length);
                ASSERT_EQ(counted[s].injected, l.counts[s].injected);
                ASSERT_EQ(counted[s].waited, l.counts[s].waited);
                ASSERT_TRUE(!counts || counted[s].passed == l.counts[s].passed);
            }
        }
    }

  private:
    using places = std::vector<std::optional<request>>;
    struct lane {
        channel what;
        direction way;
        unsigned copy;
        places slots;  // at each place of the wire; stop s is place s * hop_cycles
        std::vector<ring::traffic_count> counts;
    };
    struct key {
        channel what;
        direction way;
        unsigned from;
        bool local;
        bool operator<(const key& k) const {
            return std::tuple(local, what, way, from) < std::tuple(k.local, k.what, k.way, k.from);
        }
    };
    struct arrival {
        delivery what;
        std::size_t lane;
    };

    unsigned hops(unsigned from, unsigned to, direction way) const {
        unsigned n = 0;
        for (; from != to; ++n)
            from = way == direction::up ? (from + 1) % stops_ : (from + stops_ - 1) % stops_;
        return n;
    }
    direction shorter(unsigned from, unsigned to) const {
        const unsigned up = hops(from, to, direction::up), down = hops(from, to, direction::down);
        if (up == down) return from % 2 == 0 ? direction::up : direction::down;
        return up < down ? direction::up : direction::down;
    }
    static void move(lane& l) {
        if (l.way == direction::up)
            std::rotate(l.slots.begin(), l.slots.end() - 1, l.slots.end());
        else
            std::rotate(l.slots.begin(), l.slots.begin() + 1, l.slots.end());
    }
    void arrive(const request& r, base::cycle_t clock, std::size_t by) {
        arrived_.push_back({{clock, r.id, static_cast<std::uint16_t>(r.from),
                             static_cast<std::uint16_t>(r.to), r.what},
                            by});
    }
    void eject(lane& l) {
        for (unsigned s = 0; s < stops_; ++s) {
            auto& slot = l.slots[s * p_.hop_cycles];
            if (!slot) continue;
            if (slot->to != s) {
                ++l.counts[s].passed;
                continue;
            }
            ASSERT_TRUE(!p_.alternate_ejection || clock_ % 2 == (l.way == direction::up ? 0 : 1));
            arrive(*slot, clock_ + p_.eject_cycles, static_cast<std::size_t>(&l - lanes_.data()));
            slot.reset();
        }
    }
    void inject(const key& k, std::deque<request>& queue) {
        const auto ready = [&] { return !queue.empty() && queue.front().clock <= clock_; };
        while (k.local && ready()) {
            // Comes after all rings.
            arrive(queue.front(), clock_ + p_.local_cycles, lanes_.size());
            queue.pop_front();
        }
        for (lane& l : lanes_) {
            if (!ready() || k.local || l.what != k.what || l.way != k.way) continue;
            const request& r = queue.front();
            auto& slot = l.slots[r.from * p_.hop_cycles];
            const base::cycle_t there = clock_ + hops(r.from, r.to, k.way) * p_.hop_cycles;
            const bool wrong_clock = there % 2 != (k.way == direction::up ? 0 : 1);
            if (slot || (p_.alternate_ejection && wrong_clock)) continue;
            ++l.counts[r.from].injected;
            l.counts[r.from].waited += clock_ - r.clock;
            slot = r;
            queue.pop_front();
        }
    }

    ring::parameters p_;
    unsigned stops_;
    base::cycle_t clock_ = 0;
    std::vector<lane> lanes_;
    std::map<key, std::deque<request>> waiting_;
    std::vector<arrival> arrived_;
};

}  // namespace ring_test

#endif
