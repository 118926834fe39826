#include <knc/ring/interconnect.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

#include <knc/ring/topology.h>

namespace knc::ring {

namespace {

const parameters& checked(const parameters& p, unsigned stops) {
    const auto copies = {p.data_rings, p.address_rings, p.acknowledge_rings};
    if (stops == 0 || stops > 0xffff || p.hop_cycles == 0 || p.local_cycles == 0 ||
        std::min(copies) == 0 || std::max(copies) > 32)
        throw std::invalid_argument("ring: parameters");
    return p;
}

// The longest travel time.
base::cycle_t longest(const parameters& p, unsigned stops) {
    const base::cycle_t way = base::cycle_t{stops / 2} * p.hop_cycles + p.eject_cycles;
    return std::max<base::cycle_t>(way, p.local_cycles);
}

}  // namespace

interconnect::interconnect(const parameters& p, unsigned stops)
    : p_(checked(p, stops)),
      stops_(stops),
      copies_{p.data_rings, p.address_rings, p.acknowledge_rings},
      queues_((channels * directions + 1) * std::size_t{stops}),
      filled_((queues_.size() + 63) / 64),
      arrivals_(longest(p, stops)) {
    std::size_t q = 0;
    for (const std::uint32_t copies : copies_) {
        for (const direction way : {direction::up, direction::down}) {
            const auto first = static_cast<std::uint8_t>(rings_.size());
            const auto last = static_cast<std::uint8_t>(first + copies);
            rings_.insert(rings_.end(), copies,
                          ring{slot_ring(way, stops, p.hop_cycles), traffic(stops)});
            for (unsigned s = 0; s < stops; ++s)
                queues_[q++] = {{}, 0, static_cast<std::uint16_t>(s), way, first, last};
        }
    }
    for (unsigned s = 0; s < stops; ++s) queues_[q++].stop = static_cast<std::uint16_t>(s);
}

std::size_t interconnect::ring_number(channel c, direction way, unsigned copy) const {
    return std::size_t{queues_[queue_number(c, way, 0)].first_ring} + copy;
}

std::size_t interconnect::queue_number(channel c, direction way, unsigned stop) const {
    return (index(c) * directions + index(way)) * stops_ + stop;
}

void interconnect::offer(channel what, unsigned from, unsigned to, std::uint32_t id,
                         base::cycle_t clock) {
    if (clock < now_) throw std::logic_error("ring: a message comes too late");
    if (from >= stops_ || to >= stops_) throw std::logic_error("ring: no such stop");
    std::size_t number = std::size_t{channels} * directions * stops_ + from;
    std::uint32_t travel = 0;
    if (from != to) {
        const route r = shortest(from, to, stops_);
        number = queue_number(what, r.way, from);
        travel = r.hops * p_.hop_cycles;
    }
    queue& q = queues_[number];
    const std::uint32_t m = pool_.get();
    queued_message& message = pool_[m];
    message.content = {clock, id, static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(to),
                       what};
    message.travel = travel;
    // The slots that pass a stop depend on no other stop's messages of the same cycle, so a message
    // of the present cycle that need not wait leaves at once.
    if (clock == running_ && q.messages.empty()) {
        const free_slot s = find_slot(q, message, clock);
        if (s.found()) return depart(q, m, s, clock);
    }
    q.messages.insert(pool_, m);
    ++q.length;
    filled_[number / 64] |= std::uint64_t{1} << number % 64;
    next_attempt_ = std::min(next_attempt_, clock);
}

void interconnect::sort_due(message_list list) {
    due_.clear();
    // Two messages reach a stop in one cycle by one ring only if they are local. Local messages
    // keep the order in which they left.
    for (std::uint32_t position = 0; !list.empty(); ++position) {
        const std::uint32_t m = list.remove(pool_);
        const std::uint64_t order = std::uint64_t{pool_[m].content.to} << 40 |
                                    std::uint64_t{pool_[m].ring} << 32 | position;
        due_.push_back({order, m});
    }
    std::sort(due_.begin(), due_.end(),
              [](const due_message& a, const due_message& b) { return a.order < b.order; });
}

void interconnect::inject(base::cycle_t t) {
    next_attempt_ = base::never;
    for (std::size_t w = 0; w < filled_.size(); ++w) {
        for (std::uint64_t rest = filled_[w]; rest != 0; rest &= rest - 1) {
            queue& q = queues_[w * 64 + static_cast<unsigned>(__builtin_ctzll(rest))];
            if (serve(q, t))
                filled_[w] &= ~(rest & -rest);
            else
                next_attempt_ =
                    std::min(next_attempt_, std::max(t + 1, pool_[q.messages.first].content.clock));
        }
    }
}

// Returns whether all messages of the queue have left.
bool interconnect::serve(queue& q, base::cycle_t t) {
    while (!q.messages.empty()) {
        const queued_message& first = pool_[q.messages.first];
        if (first.content.clock > t) return false;
        const free_slot s = find_slot(q, first, t);
        if (!s.found()) return false;
        --q.length;
        depart(q, q.messages.remove(pool_), s, t);
    }
    return true;
}

bool interconnect::admits(direction way, base::cycle_t t, std::uint32_t travel) const {
    return !p_.alternate_ejection || (t + travel) % 2 == index(way);
}

interconnect::free_slot interconnect::find_slot(const queue& q, const queued_message& m,
                                                base::cycle_t t) const {
    if (q.first_ring == q.last_ring) return {rings_.size(), 0};
    if (!admits(q.way, t, m.travel)) return {};
    // All rings of a direction turn alike.
    const std::size_t slot = rings_[q.first_ring].slots.slot(q.stop, phase(t));
    for (std::size_t r = q.first_ring; r != q.last_ring; ++r)
        if (!rings_[r].slots.busy(slot, t)) return {r, slot};
    return {};
}

void interconnect::depart(const queue& q, std::uint32_t m, const free_slot& s, base::cycle_t t) {
    queued_message& message = pool_[m];
    base::cycle_t arrival = t + p_.local_cycles;
    if (s.ring != rings_.size()) {
        ring& used = rings_[s.ring];
        used.slots.take(s.slot, t + message.travel);
        used.carried.count(q.way, q.stop, message.content.to, t - message.content.clock);
        arrival = t + message.travel + p_.eject_cycles;
    }
    message.content.clock = arrival;
    message.ring = static_cast<std::uint8_t>(s.ring);
    arrivals_.enter(pool_, m);
    next_arrival_ = std::min(next_arrival_, arrival);
}

std::vector<traffic_count> interconnect::counts(channel c, direction way, unsigned copy) const {
    return rings_[ring_number(c, way, copy)].carried.read();
}

std::uint64_t interconnect::busy_cycles(channel c) const {
    std::uint64_t hops = 0;
    for (std::size_t r = ring_number(c, direction::up, 0), n = 0; n < directions * copies(c); ++n)
        hops += rings_[r + n].carried.hops();
    return hops * p_.hop_cycles;
}

std::uint64_t interconnect::slots(channel c) const {
    return std::uint64_t{stops_} * p_.hop_cycles * directions * copies(c);
}

bool interconnect::occupied(channel c, direction way, unsigned copy, unsigned stop) const {
    if (now_ == 0) return false;
    const slot_ring& slots = rings_[ring_number(c, way, copy)].slots;
    return slots.busy(slots.slot(stop, phase(now_ - 1)), now_ - 1);
}

std::uint32_t interconnect::waiting(channel c, direction way, unsigned stop) const {
    return queues_[queue_number(c, way, stop)].length;
}

}  // namespace knc::ring
