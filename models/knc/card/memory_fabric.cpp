#include <knc/card/memory_fabric.h>

#include <stdexcept>

#include <fmt/format.h>

namespace knc::card {

using coherence::first_agent;
using coherence::first_controller;
using coherence::message;
using coherence::node_t;
using coherence::receiver_kind;

memory_fabric::memory_fabric(const uncore_parameters& p, unsigned tiles, std::uint64_t core_hz,
                             coherence::line_store& store, observer& o)
    : p_(checked(p)),
      tiles_(tiles),
      hash_(tiles, p.controllers, p.hash),
      observer_(o),
      carrier_(p.ring, tiles, p.controllers, *this),
      lines_(hash_, carrier_, store) {
    for (unsigned t = 0; t < tiles; ++t) {
        if (p.l3.exists()) {
            l3_.push_back(
                std::make_unique<l3_slice>(static_cast<node_t>(t), hash_, p.l3, sending_));
            lines_.add(*l3_.back());
            continue;
        }
        slices_.push_back(std::make_unique<directory_slice>(
            static_cast<node_t>(t), hash_, p.directory_cycles, p.directory_interval, sending_));
        lines_.add(*slices_.back());
    }
    for (unsigned c = 0; c < p.controllers; ++c) {
        controllers_.push_back(std::make_unique<memory_stop>(
            static_cast<node_t>(first_controller + c), p.memory, core_hz, hash_, store, sending_));
        carrier_.attach(*controllers_.back());
        lines_.add(*controllers_.back());
    }
}

bool memory_fabric::has_way(const message& m) const {
    return (m.source < tiles_ || m.source == first_agent) && carrier_.has_way(m);
}

void memory_fabric::send(const message& m, base::cycle_t leaves) {
    if (!has_way(m)) {
        observer_.protocol_error(fmt::format("no way from node {} to node {} for line {:#x}",
                                             m.source, m.destination, m.line));
        return;
    }
    sending_.send(m, leaves);
}

void memory_fabric::sending::send(const message& m, base::cycle_t leaves) {
    tlm::tlm_generic_payload& p = fabric.pool_.take(m, leaves);
    fabric.carrier_.send(p, *p.get_extension<coherence::packet>());
    p.release();
}

void memory_fabric::deliver(unsigned, receiver_kind who, tlm::tlm_generic_payload&,
                            coherence::packet& k, base::cycle_t t) {
    const message& m = k.content;
    switch (who) {
        case receiver_kind::memory:
            return controllers_[m.destination - first_controller]->receive(m, t);
        case receiver_kind::directory:
            if (p_.l3.exists()) return l3_[m.destination]->receive(m, t);
            return slices_[m.destination]->receive(m, t);
        default:
            if (m.destination == first_agent)
                observer_.deliver_to_agent(m, t);
            else
                observer_.deliver(m.destination, m, t);
    }
}

}  // namespace knc::card
