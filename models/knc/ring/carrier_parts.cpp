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
    for (share& s : shares_) give_back(s);
    shares_.resize(threads);
    std::fill(thread_of_.begin(), thread_of_.end(), 0);
    for (unsigned t = 0; t < tiles_; ++t)
        thread_of_[stops_.tile(t)] = static_cast<std::uint16_t>(thread_of_part(t, threads));
    for (unsigned c = 0; c < attached_.size(); ++c)
        thread_of_[stops_.controller(c)] =
            static_cast<std::uint16_t>(thread_of_part(tiles_ + c, threads));
}

void carrier::begin_parts(base::cycle_t until, base::cycle_t far, std::size_t threads,
                          base::cycle_t home_cycles) {
    set_threads(threads);
    hold_for_ = until > now_ ? until - now_ : 0;
    // A slice's messages would reach a tile before `far` otherwise.
    const base::cycle_t way = home_cycles + least_way_;
    hold_home_from_ = home_cycles < hold_for_ ? base::never : (far > way ? far - way : 0);
    next_attached_ = base::never;
    for (attached& a : attached_) {
        a.held = a.apart != nullptr && (a.next >= until || a.apart->may_run_late(until));
        if (!a.held) next_attached_ = std::min(next_attached_, a.next);
    }
    holding_ = true;
    run(until);
    holding_ = false;
    keeping_ = true;
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
    for (passed& p : share_of(m.to).arrived)
        if (p.to == m.to) deliver_arrived(p);
    return false;
}

void carrier::keep_arrived(const carried& m) {
    share_of(m.to).arrived.push_back({m.payload, m.packet, m.clock, m.from, m.to, {}});
    share_of(m.from).in_use.push_back(m.payload);
}

// A tile, a slice or a controller sends something.
void carrier::keep(const passed& p) {
    share_of(p.from).sent.push_back(p);
}

void carrier::deliver_arrived(passed& p) {
    if (p.payload == nullptr) return;
    p.packet->cycle = p.clock;
    const receiver_kind who = coherence::properties(p.packet->content.kind).receiver;
    receivers_.deliver(p.to, who, *p.payload, *p.packet, p.clock);
    p.payload = nullptr;
}

// The transactions that nobody needs any more.
void carrier::give_back(share& s) {
    for (tlm::tlm_generic_payload* const used : s.used) used->release();
    s.used.clear();
}

void carrier::run_parts(std::size_t thread) {
    share& s = shares_[thread];
    give_back(s);
    // Another core of the host has written most of the messages.
    constexpr std::size_t ahead = 4;
    for (std::size_t n = 0; n < s.arrived.size(); ++n) {
        if (n + ahead < s.arrived.size()) __builtin_prefetch(s.arrived[n + ahead].packet);
        deliver_arrived(s.arrived[n]);
    }
    s.arrived.clear();
    for (unsigned c = 0; c < attached_.size(); ++c) {
        attached& a = attached_[c];
        if (a.apart == nullptr || thread_of_[stops_.controller(c)] != thread) continue;
        if (a.next == base::never && a.apart->next_activity() == base::never) continue;
        a.apart->run_ahead(now_);
        a.next = a.apart->next_activity();
    }
}

void carrier::end_parts() {
    keeping_ = false;
    next_attached_ = base::never;
    for (attached& a : attached_) {
        a.held = false;
        next_attached_ = std::min(next_attached_, a.next);
    }
    for (share& s : shares_) {
        std::swap(s.used, s.in_use);
        for (const passed& p : s.sent) accept(p);
        s.sent.clear();
    }
}

}  // namespace knc::ring
