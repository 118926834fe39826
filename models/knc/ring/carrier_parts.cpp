// A step in which tiles, home slices and controllers run on several host threads: what they send
// and what has arrived for them is kept by thread.
//
// Everything that one of them sends leaves later than the cycles that a step has. So the ring runs
// through these cycles first, with all messages for them on record, and they take what has arrived,
// each for itself, afterwards. A transaction belongs to a pool of its sender's thread, which gets
// it back in the step after the one in which it has arrived.
#include <knc/ring/carrier.h>

#include <algorithm>

namespace knc::ring {

using coherence::receiver_kind;

void carrier::set_threads(std::size_t threads) {
    if (shares_.size() == threads) return;
    take_back();
    for (std::size_t n = 0; n < shares_.size(); ++n) give_back(n);
    shares_.resize(threads);
    for (lane& l : lanes_) l.with.resize(threads);
    std::fill(thread_of_.begin(), thread_of_.end(), 0);
    for (unsigned t = 0; t < tiles_; ++t)
        thread_of_[stops_.tile(t)] = static_cast<std::uint16_t>(thread_of_part(t, threads));
    for (unsigned c = 0; c < attached_.size(); ++c)
        thread_of_[stops_.controller(c)] =
            static_cast<std::uint16_t>(thread_of_part(tiles_ + c, threads));
}

void carrier::begin_parts(base::cycle_t until, base::cycle_t far, base::host_threads_if& threads,
                          base::cycle_t home_cycles) {
    set_threads(threads.count());
    hold_for_ = until > now_ ? until - now_ : 0;
    next_attached_ = base::never;
    for (attached& a : attached_) {
        a.held = a.apart != nullptr && (a.next >= until || a.apart->may_run_late(until));
        if (!a.held) next_attached_ = std::min(next_attached_, a.next);
    }
    apart_ = may_run_apart(threads, home_cycles);
    if (apart_) {
        run_apart(until, threads);
    } else {
        // A slice's messages would reach a tile before `far` otherwise.
        const base::cycle_t way = home_cycles + least_way_;
        hold_home_from_ = home_cycles < hold_for_ ? base::never : (far > way ? far - way : 0);
        holding_ = true;
        run_cycles(until, false);
        holding_ = false;
    }
    keeping_ = true;
    if (apart_) deliver_at_once();
}

carrier::attached* carrier::attached_at(unsigned stop) {
    const place& at = stops_.at(stop);
    return at.what == agent::controller && at.number < attached_.size() ? &attached_[at.number]
                                                                        : nullptr;
}

// Whether the message is for a part or a tile that may take it at the end of the step.
bool carrier::waits(const carried& m) {
    if (m.receiver == receiver_kind::directory) return m.clock >= hold_home_from_;
    if (m.receiver != receiver_kind::memory) return stops_.at(m.to).what == agent::tile;
    attached* const a = attached_at(m.to);
    if (a == nullptr || !a->held) return false;
    if (a->apart->may_wait(m.packet->content, hold_for_)) return true;
    // It runs in these cycles, with all that has arrived before.
    a->held = false;
    deliver_all_to(stops_.at(m.to).number);
    return false;
}

void carrier::keep_arrived(const carried& m) {
    lane& l = lanes_[m.group];
    l.with[thread_of_[m.to]].arrived.push_back({m.payload, m.packet, m.clock, m.from, m.to, {}});
    l.with[thread_of_[m.from]].in_use.push_back(m.payload);
}

// A tile, a slice or a controller sends something.
void carrier::keep(const passed& p) {
    share& s = share_of(p.from);
    const kind_properties& kind = properties_of(p.kind);
    s.sent[rings_.group_of(kind.what, p.from, p.to)].push_back(p);
    ++s.count;
    s.in_time = s.in_time || takes_in_time(p.kind, p.to);
    s.earliest = std::min(s.earliest, p.clock);
    if (!kind.asks) return;
    client& asking = clients_[p.from];
    ++asking.unanswered;
    s.asks |= asking.tile_bit;
    s.answered &= ~asking.tile_bit;
}

void carrier::deliver_arrived(passed& p) {
    if (p.payload == nullptr) return;
    p.packet->cycle = p.clock;
    const kind_properties& kind = properties_of(p.packet->content.kind);
    client& at = clients_[p.to];
    if (kind.answers && at.has_answer()) {
        share& s = share_of(p.to);
        s.answered |= at.tile_bit;
        s.asks &= ~at.tile_bit;
    }
    receivers_.deliver(p.to, kind.receiver, *p.payload, *p.packet, p.clock);
    p.payload = nullptr;
}

// What waits for the thread, by cycle, then by ring. Those of different stops do not depend on each
// other.
template <class Visit>
void carrier::each_arrived(std::size_t thread, Visit visit) {
    std::array<std::size_t, interconnect::groups> done{};
    for (;;) {
        base::cycle_t t = base::never;
        for (std::size_t g = 0; g < lanes_.size(); ++g) {
            const std::vector<passed>& list = lanes_[g].with[thread].arrived;
            if (done[g] < list.size()) t = std::min(t, list[done[g]].clock);
        }
        if (t == base::never) return;
        for (std::size_t g = 0; g < lanes_.size(); ++g) {
            std::vector<passed>& list = lanes_[g].with[thread].arrived;
            // Another core of the host has written most of the messages.
            constexpr std::size_t ahead = 2;
            for (; done[g] < list.size() && list[done[g]].clock == t; ++done[g]) {
                if (done[g] + ahead < list.size()) __builtin_prefetch(list[done[g] + ahead].packet);
                visit(list[done[g]]);
            }
        }
    }
}

// What has arrived at the controller's stop so far, on the first thread.
void carrier::deliver_all_to(unsigned controller) {
    const unsigned stop = stops_.controller(controller);
    each_arrived(thread_of_[stop], [&](passed& p) {
        if (p.to == stop) deliver_arrived(p);
    });
}

// The transactions that nobody needs any more.
void carrier::give_back(std::size_t thread) {
    for (lane& l : lanes_) {
        for (tlm::tlm_generic_payload* const used : l.with[thread].used) used->release();
        l.with[thread].used.clear();
    }
}

void carrier::run_parts(std::size_t thread) {
    give_back(thread);
    each_arrived(thread, [this](passed& p) { deliver_arrived(p); });
    for (lane& l : lanes_) l.with[thread].arrived.clear();
    for (unsigned c = 0; c < attached_.size(); ++c) {
        attached& a = attached_[c];
        if (a.apart == nullptr || thread_of_[stops_.controller(c)] != thread) continue;
        if (a.next == base::never && a.apart->next_activity() == base::never) continue;
        a.apart->run_ahead(now_);
        a.next = a.apart->next_activity();
    }
}

void carrier::end_parts() {
    keeping_ = apart_ = false;
    next_attached_ = base::never;
    for (attached& a : attached_) {
        a.held = false;
        next_attached_ = std::min(next_attached_, a.next);
    }
    for (lane& l : lanes_)
        for (exchange& e : l.with) std::swap(e.in_use, e.used);
    for (share& s : shares_) {
        elsewhere_ = elsewhere_ || s.count != 0;
        size_ += std::exchange(s.count, 0);
        in_time_ = std::exchange(s.in_time, false) || in_time_;
        leaves_elsewhere_ = std::min(leaves_elsewhere_, std::exchange(s.earliest, base::never));
        awaiting_ = (awaiting_ | std::exchange(s.asks, 0)) & ~std::exchange(s.answered, 0);
    }
    ++steps_;
}

}  // namespace knc::ring
