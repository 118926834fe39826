#include <knc/card/uncore.h>

#include <algorithm>

#include <fmt/format.h>

namespace knc::card {

uncore::uncore(const network_place& at, coherence::error_if& errors)
    : transactions_(at.host_threads),
      ring_("ring", checked(at.config.uncore).ring, at.config.tiles, at.config.uncore.controllers,
            at.clock),
      lookahead_(idle_lookahead(at.config.uncore, ring_.logic().least_way())),
      lines_(at.hash, ring_.logic(), at.memory),
      probe_(add_controllers(at, errors)) {
    ring_.errors.bind(errors);
    ring_.set_home_cycles(home_cycles(at.config.uncore));
}

const line_places& uncore::add_controllers(const network_place& at, coherence::error_if& errors) {
    for (unsigned c = 0; c < at.config.uncore.controllers; ++c) {
        controllers_.push_back(std::make_unique<controller>(fmt::format("controller{}", c).c_str(),
                                                            c, at.config.uncore.memory, at.hash,
                                                            at.memory, at.clock));
        controller& made = *controllers_.back();
        made.network.share(transactions_of(at.config.tiles + c));
        made.network.bind(ring_.controller(c));
        made.errors.bind(errors);
        ring_.clocked.bind(made.clocked);
        lines_.add(made.logic());
    }
    return lines_;
}

void uncore::reset(base::cycle_t now) {
    ring_.reset(now);
    for (auto& c : controllers_) c->reset();
}

network_counts uncore::counts() const {
    network_counts n;
    for (const auto& c : controllers_)
        n.controllers.push_back({c->logic().reads(), c->logic().writes()});
    n.busy_cycles = ring_.logic().busy_cycles(ring::channel::data);
    n.slots = ring_.logic().rings().slots(ring::channel::data);
    return n;
}

ring_counts uncore::ring() const {
    const ring::topology& order = ring_.logic().stops();
    ring_counts counts;
    counts.stops.resize(order.stops());
    for (unsigned s = 0; s < order.stops(); ++s) {
        ring_counts::stop& stop = counts.stops[s];
        stop.at = order.at(s);
        // A network without tiles' slices has no lookups.
        if (stop.at.what != ring::agent::tile || stop.at.number >= slices_.size()) continue;
        stop.lookups = slices_[stop.at.number]->counted().messages;
        stop.waited = slices_[stop.at.number]->counted().waited;
    }
    for (unsigned c = 0; c < ring::channels; ++c) {
        const auto channel = static_cast<ring::channel>(c);
        counts.parallel[c] = ring_.logic().rings().copies(channel);
        for (unsigned d = 0; d < ring::directions; ++d) {
            const auto of = ring_.logic().counts(channel, static_cast<ring::direction>(d));
            for (unsigned s = 0; s < order.stops(); ++s) counts.stops[s].traffic[c][d] = of[s];
        }
    }
    return counts;
}

base::signal_list uncore::signals() const {
    base::signal_list list;
    probe_.list_signals("ring", list);
    return list;
}

void uncore::watch(bool on) {
    for (auto& c : controllers_) c->logic().watch(on);
}

base::cycle_t uncore::flush(base::cycle_t at) {
    base::cycle_t done = at;
    for (l3_slice* const s : l3_slices_) done = std::max(done, s->flush(at));
    return done;
}

}  // namespace knc::card
