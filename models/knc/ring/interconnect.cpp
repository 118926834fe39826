#include <knc/ring/interconnect.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

namespace knc::ring {

namespace {

const parameters& checked(const parameters& p, unsigned stops) {
    const auto copies = {p.data_rings, p.address_rings, p.acknowledge_rings};
    if (stops == 0 || stops > 0xffff || p.hop_cycles == 0 || p.local_cycles == 0 ||
        std::min(copies) == 0 || std::max(copies) > 32)
        throw std::invalid_argument("ring: parameters");
    return p;
}

}  // namespace

interconnect::interconnect(const parameters& p, unsigned stops)
    : stops_(stops),
      hop_cycles_(checked(p, stops).hop_cycles),
      copies_{p.data_rings, p.address_rings, p.acknowledge_rings},
      arrivals_(longest_travel(p, stops)) {
    unsigned first = 0;
    const auto add = [&](direction way, unsigned copies) {
        groups_.emplace_back(p, stops, way, first, copies);
        first += copies;
    };
    for (const std::uint32_t copies : copies_)
        for (const direction way : {direction::up, direction::down}) add(way, copies);
    add(direction::up, 0);
}

void interconnect::offer(transit& m) {
    if (m.clock < now_) throw std::logic_error("ring: a message comes too late");
    if (m.from >= stops_ || m.to >= stops_) throw std::logic_error("ring: no such stop");
    find_way(m);
    if (groups_[m.group].offer(m, running_))
        enter(m);
    else
        next_attempt_ = std::min(next_attempt_, m.clock);
}

void interconnect::inject(base::cycle_t t) {
    for (ring_group& g : groups_)
        if (g.next_attempt() <= t) g.inject(t, [this](transit& m) { enter(m); });
    find_next_attempt();
}

void interconnect::find_next_attempt() {
    next_attempt_ = base::never;
    for (const ring_group& g : groups_) next_attempt_ = std::min(next_attempt_, g.next_attempt());
}

std::vector<traffic_count> interconnect::counts(channel c, direction way, unsigned copy) const {
    return rings_of(c, way).counts(copy);
}

std::uint64_t interconnect::busy_cycles(channel c) const {
    return rings_of(c, direction::up).travel() + rings_of(c, direction::down).travel();
}

std::uint64_t interconnect::slots(channel c) const {
    return std::uint64_t{stops_} * hop_cycles_ * directions * copies(c);
}

bool interconnect::occupied(channel c, direction way, unsigned copy, unsigned stop) const {
    return now_ != 0 && rings_of(c, way).occupied(copy, stop, now_ - 1);
}

std::uint32_t interconnect::waiting(channel c, direction way, unsigned stop) const {
    return rings_of(c, way).waiting(stop);
}

}  // namespace knc::ring
