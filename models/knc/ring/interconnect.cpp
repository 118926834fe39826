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
      slots_of_ring_(base::cycle_t{stops} * p.hop_cycles),
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
                          ring{slot_ring(way, stops, p.hop_cycles), traffic(way, stops)});
            for (unsigned s = 0; s < stops; ++s)
                queues_[q++] = {{}, 0, static_cast<std::uint16_t>(s), way, first, last};
        }
    }
    local_ = rings_.size();
    for (unsigned s = 0; s < stops; ++s) queues_[q++].stop = static_cast<std::uint16_t>(s);
}

std::size_t interconnect::ring_number(channel c, direction way, unsigned copy) const {
    return std::size_t{queues_[queue_number(c, way, 0)].first_ring} + copy;
}

std::size_t interconnect::queue_number(channel c, direction way, unsigned stop) const {
    return (index(c) * directions + index(way)) * stops_ + stop;
}

void interconnect::offer(transit& m) {
    if (m.clock < now_) throw std::logic_error("ring: a message comes too late");
    if (m.from >= stops_ || m.to >= stops_) throw std::logic_error("ring: no such stop");
    std::size_t number = std::size_t{channels} * directions * stops_ + m.from;
    m.travel = 0;
    if (m.from != m.to) {
        const route r = shortest(m.from, m.to, stops_);
        number = queue_number(m.what, r.way, m.from);
        m.travel = r.hops * p_.hop_cycles;
    }
    queue& q = queues_[number];
    // The slots that pass a stop depend on no other stop's messages of the same cycle, so a message
    // of the present cycle that need not wait leaves at once.
    if (m.clock == running_ && q.messages.empty()) {
        const free_slot s = find_slot(q, m, m.clock);
        if (s.found()) return depart(q, m, s, m.clock);
    }
    q.messages.insert(m, &transit::clock);
    ++q.length;
    filled_[number / 64] |= std::uint64_t{1} << number % 64;
    next_attempt_ = std::min(next_attempt_, m.clock);
}

void interconnect::sort_due(transit_list list) {
    due_.clear();
    // Two messages reach a stop in one cycle by one ring only if they are local. Local messages
    // keep the order in which they left. There are few, so each moves to its place at once.
    while (!list.empty()) {
        transit& m = list.remove();
        m.order = std::uint64_t{m.to} << 8 | m.ring;
        std::size_t place = due_.size();
        due_.push_back(&m);
        for (; place != 0 && due_[place - 1]->order > m.order; --place)
            due_[place] = due_[place - 1];
        due_[place] = &m;
    }
}

void interconnect::inject(base::cycle_t t) {
    next_attempt_ = base::never;
    for (std::size_t w = 0; w < filled_.size(); ++w) {
        for (std::uint64_t rest = filled_[w]; rest != 0; rest &= rest - 1) {
            queue& q = queues_[w * 64 + static_cast<unsigned>(__builtin_ctzll(rest))];
            if (serve(q, t))
                filled_[w] &= ~(rest & -rest);
            else
                next_attempt_ = std::min(next_attempt_, std::max(t + 1, q.messages.first->clock));
        }
    }
}

// Returns whether all messages of the queue have left.
bool interconnect::serve(queue& q, base::cycle_t t) {
    while (!q.messages.empty()) {
        const transit& first = *q.messages.first;
        if (first.clock > t) return false;
        const free_slot s = find_slot(q, first, t);
        if (!s.found()) return false;
        --q.length;
        depart(q, q.messages.remove(), s, t);
    }
    return true;
}

bool interconnect::admits(direction way, base::cycle_t t, std::uint32_t travel) const {
    return !p_.alternate_ejection || (t + travel) % 2 == index(way);
}

interconnect::free_slot interconnect::find_slot(const queue& q, const transit& m, base::cycle_t t) {
    if (q.first_ring == q.last_ring) return {local_, 0};
    if (!admits(q.way, t, m.travel)) return {};
    // All rings of a direction turn alike.
    const std::size_t slot = rings_[q.first_ring].slots.slot(q.stop, phase(t));
    for (std::size_t r = q.first_ring; r != q.last_ring; ++r)
        if (!rings_[r].slots.busy(slot, t)) return {r, slot};
    return {};
}

void interconnect::depart(const queue& q, transit& m, const free_slot& s, base::cycle_t t) {
    base::cycle_t arrival = t + p_.local_cycles;
    if (s.ring != local_) {
        ring& used = rings_[s.ring];
        used.slots.take(s.slot, t + m.travel);
        used.carried.count(q.stop, m.to, t - m.clock, m.travel);
        arrival = t + m.travel + p_.eject_cycles;
    }
    m.clock = arrival;
    m.ring = static_cast<std::uint8_t>(s.ring);
    arrivals_.enter(m);
    next_arrival_ = std::min(next_arrival_, arrival);
}

std::vector<traffic_count> interconnect::counts(channel c, direction way, unsigned copy) const {
    return rings_[ring_number(c, way, copy)].carried.read();
}

std::uint64_t interconnect::busy_cycles(channel c) const {
    std::uint64_t cycles = 0;
    for (std::size_t r = ring_number(c, direction::up, 0), n = 0; n < directions * copies(c); ++n)
        cycles += rings_[r + n].carried.travel();
    return cycles;
}

std::uint64_t interconnect::slots(channel c) const {
    return slots_of_ring_ * directions * copies(c);
}

bool interconnect::occupied(channel c, direction way, unsigned copy, unsigned stop) const {
    if (now_ == 0) return false;
    const slot_ring& slots = rings_[ring_number(c, way, copy)].slots;
    return slots.busy(slots.slot(stop, (now_ - 1) % slots_of_ring_), now_ - 1);
}

std::uint32_t interconnect::waiting(channel c, direction way, unsigned stop) const {
    return queues_[queue_number(c, way, stop)].length;
}

}  // namespace knc::ring
