#include <knc/card/memory_fabric.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace knc::card {

using coherence::first_agent;
using coherence::first_controller;
using coherence::message;
using coherence::receiver_kind;

namespace {

const uncore_parameters& checked(const uncore_parameters& p, unsigned tiles) {
    const std::string why = impossible(p);
    if (!why.empty()) throw std::invalid_argument("uncore: " + why);
    if (tiles == 0 || tiles > coherence::max_tiles)
        throw std::invalid_argument("uncore: number of tiles");
    return p;
}

constexpr ring::channel channel_of(coherence::ring_kind k) {
    switch (k) {
        case coherence::ring_kind::data:
            return ring::channel::data;
        case coherence::ring_kind::address:
            return ring::channel::address;
        default:
            return ring::channel::acknowledge;
    }
}

}  // namespace

memory_fabric::memory_fabric(const uncore_parameters& p, unsigned tiles, std::uint64_t core_hz,
                             coherence::line_store& store, observer& o)
    : p_(checked(p, tiles)),
      tiles_(tiles),
      core_hz_(core_hz),
      hash_(tiles, p.controllers, p.hash),
      store_(store),
      observer_(o),
      stops_(tiles, p.controllers),
      rings_(p.ring, stops_.stops()),
      least_way_(std::min<base::cycle_t>(p.ring.local_cycles,
                                         base::cycle_t{p.ring.hop_cycles} + p.ring.eject_cycles)),
      directory_port_(*this) {
    stop_of_.fill(no_stop);
    stop_of_[first_agent] = static_cast<std::uint16_t>(stops_.sbox());
    slices_.reserve(tiles);
    for (unsigned t = 0; t < tiles; ++t) {
        const auto node = static_cast<coherence::node_t>(t);
        stop_of_[node] = static_cast<std::uint16_t>(stops_.tile(t));
        slices_.push_back({coherence::directory(node, hash_, directory_port_), 0, {}});
    }
    make_controllers_();
}

void memory_fabric::make_controllers_() {
    controllers_.clear();
    for (unsigned c = 0; c < p_.controllers; ++c) {
        const auto node = static_cast<coherence::node_t>(first_controller + c);
        stop_of_[node] = static_cast<std::uint16_t>(stops_.controller(c));
        controllers_.push_back(std::make_unique<memory_stop>(node, p_.memory, core_hz_, hash_,
                                                             store_, messages_, directory_port_));
    }
}

void memory_fabric::reset(base::cycle_t now) {
    rings_ = ring::interconnect(p_.ring, stops_.stops());
    for (slice_stop& s : slices_) {
        s.logic.clear();
        s.free = 0;
    }
    messages_ = {};
    departures_ = {};
    make_controllers_();
    next_memory_ = base::never;
    now_ = now;
}

bool memory_fabric::has_way(const message& m) const {
    const auto in_range = [this](coherence::node_t n) {
        return (n < tiles_ || n == first_agent) && stop_of_[n] != no_stop;
    };
    if (m.kind >= coherence::message_kind::count || !in_range(m.source) || !in_range(m.requester))
        return false;
    switch (coherence::properties(m.kind).receiver) {
        case receiver_kind::memory:
            return m.destination >= first_controller && m.destination < first_agent &&
                   stop_of_[m.destination] != no_stop;
        case receiver_kind::uncached:
            return in_range(m.destination);
        case receiver_kind::device:
            return m.destination == first_agent;
        default:
            return m.destination < tiles_;
    }
}

void memory_fabric::send(const message& m, base::cycle_t leaves) {
    if (leaves < now_) throw std::logic_error("uncore: a message comes too late");
    if (!has_way(m)) {
        observer_.protocol_error(fmt::format("no way from node {} to node {} for line {:#x}",
                                             m.source, m.destination, m.line));
        return;
    }
    departures_.add(now_, leaves, stop_of_[m.source], sender::l2, messages_.put(m));
}

void memory_fabric::directory_port::send(const message& m) {
    fabric.departures_.add(fabric.now_, leaves, fabric.stop_of_[m.source], sender::directory,
                           fabric.messages_.put(m));
}

void memory_fabric::directory_port::protocol_error(const std::string& text) {
    fabric.observer_.protocol_error(text);
}

base::cycle_t memory_fabric::next_event() const {
    return std::min({rings_.next_event(), departures_.next(), next_memory_});
}

base::cycle_t memory_fabric::next_delivery() const {
    const base::cycle_t leaves =
        std::min({rings_.next_attempt(), departures_.next(), next_memory_});
    return std::min(rings_.next_arrival(), leaves == base::never ? leaves : leaves + least_way_);
}

base::cycle_t memory_fabric::lookahead() const {
    return 2 * least_way_ + p_.directory_cycles;
}

void memory_fabric::run(base::cycle_t until) {
    for (base::cycle_t t = next_event(); t <= until; t = next_event()) step_(t);
    // The ring knows the state of its slots in the last clock run.
    rings_.run(until, [](const ring::delivery&) {});
    now_ = std::max(now_, until + 1);
}

// What arrives in a clock may be answered in it; so whatever leaves in a clock is known before the
// first of it enters the ring.
void memory_fabric::step_(base::cycle_t t) {
    now_ = t;
    rings_.run_clock(
        t, [this, t](const ring::delivery& d) { arrive_(d.id, t); },
        [this, t] {
            if (next_memory_ <= t) run_memory_(t);
            enter_ring_(t);
        });
    now_ = t + 1;
}

void memory_fabric::arrive_(std::uint32_t number, base::cycle_t t) {
    const coherence::message_properties& kind = coherence::properties(messages_[number].kind);
    if (kind.receiver == receiver_kind::memory) {
        controllers_[messages_[number].destination - first_controller]->arrive(number, t);
        next_memory_ = t;
        return;
    }
    // A copy: the receiver may send, and what is sent take the message's place.
    const message m = messages_[number];
    messages_.release(number);
    if (kind.receiver == receiver_kind::directory) {
        slice_stop& s = slices_[m.destination];
        const base::cycle_t start = std::max(t, s.free);
        s.free = start + p_.directory_interval;
        ++s.counts.messages;
        s.counts.waited += start - t;
        directory_port_.leaves = start + p_.directory_cycles;
        s.logic.receive(m);
    } else if (m.destination == first_agent) {
        observer_.deliver_to_agent(m, t);
    } else {
        observer_.deliver(m.destination, m, t);
    }
}

void memory_fabric::run_memory_(base::cycle_t t) {
    next_memory_ = base::never;
    for (const auto& c : controllers_) {
        if (c->next_event() <= t)
            c->run(t, [this, t](std::uint32_t n) {
                departures_.add(t, t, stop_of_[messages_[n].source], sender::controller, n);
            });
        next_memory_ = std::min(next_memory_, c->next_event());
    }
}

void memory_fabric::enter_ring_(base::cycle_t t) {
    if (departures_.next() != t) return;
    departures_.take(t, [this, t](std::uint16_t stop, std::uint32_t number) {
        const message& m = messages_[number];
        rings_.offer(channel_of(coherence::properties(m.kind).ring), stop, stop_of_[m.destination],
                     number, t);
    });
}

bool memory_fabric::only_in_memory(coherence::line_t line) const {
    if (slices_[hash_.home(line)].logic.knows(line)) return false;
    bool alone = true;
    if (messages_.size() != 0)
        messages_.for_each([&](const message& m) { alone = alone && m.line != line; });
    return alone;
}

void memory_fabric::view(coherence::debug_view& v) const {
    v.slice(slices_[hash_.home(v.line())].logic);
    if (messages_.size() != 0) messages_.for_each([&](const message& m) { v.in_flight(m); });
    coherence::line_data stored;
    store_.read(v.line(), stored);
    v.memory(stored);
}

void memory_fabric::debug_write(coherence::line_t line, const coherence::line_data& data,
                                coherence::byte_mask mask) {
    slices_[hash_.home(line)].logic.debug_write(line, data.data(), mask);
    if (messages_.size() != 0)
        messages_.for_each([&](message& m) { coherence::debug_write(m, line, data.data(), mask); });
    store_.write(line, data, mask);
}

}  // namespace knc::card
