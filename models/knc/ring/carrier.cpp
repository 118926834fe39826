#include <knc/ring/carrier.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace knc::ring {

using coherence::first_agent;
using coherence::first_controller;
using coherence::message;
using coherence::receiver_kind;

namespace {

unsigned checked(unsigned tiles) {
    if (tiles == 0 || tiles > coherence::max_tiles)
        throw std::invalid_argument("ring: number of tiles");
    return tiles;
}

}  // namespace

carrier::carrier(const parameters& p, unsigned tiles, unsigned controllers, receivers& r)
    : p_(p),
      tiles_(checked(tiles)),
      receivers_(r),
      stops_(tiles, controllers),
      rings_(p, stops_.stops()),
      least_way_(
          std::min<base::cycle_t>(p.local_cycles, base::cycle_t{p.hop_cycles} + p.eject_cycles)),
      clients_(stops_.stops()),
      thread_of_(stops_.stops()),
      lanes_(interconnect::groups, lane(p, stops_.stops())),
      run_groups_([this](unsigned thread) {
          for (std::size_t g = thread; g < lanes_.size(); g += shares_.size())
              run_group(static_cast<unsigned>(g));
      }) {
    constexpr unsigned of_tile = bit_of(receiver_kind::l2) | bit_of(receiver_kind::uncached) |
                                 bit_of(receiver_kind::directory) | bit_of(receiver_kind::core),
                       of_controller = bit_of(receiver_kind::memory),
                       of_agent = bit_of(receiver_kind::uncached) | bit_of(receiver_kind::device);
    const auto place = [this](unsigned n, unsigned stop, unsigned takes) {
        nodes_[n] = {static_cast<std::uint16_t>(stop), static_cast<std::uint8_t>(takes)};
    };
    place(first_agent, topology::sbox(), of_agent | asks);
    for (unsigned t = 0; t < tiles; ++t) {
        place(t, stops_.tile(t), of_tile | asks);
        clients_[stops_.tile(t)].tile_bit = std::uint64_t{1} << t;
    }
    for (unsigned c = 0; c < controllers; ++c)
        place(first_controller + c, stops_.controller(c), of_controller);
}

void carrier::attach(base::clocked_if& part) {
    attached_.push_back({&part, dynamic_cast<controller_if*>(&part), base::never, false});
}

std::uint16_t carrier::receiver(const message& m) const {
    if (m.kind >= coherence::message_kind::count || !is_client(m.requester)) return no_stop;
    const node& to = nodes_[m.destination];
    return (to.takes & bit_of(properties_of(m.kind).receiver)) != 0 ? to.stop : no_stop;
}

bool carrier::send(tlm::tlm_generic_payload& payload, coherence::packet& packet) {
    if (packet.cycle < now_) throw std::logic_error("ring: a message comes too late");
    const message& m = packet.content;
    const std::uint16_t to = receiver(m), from = nodes_[m.source].stop;
    if (to == no_stop || from == no_stop) return false;
    payload.acquire();
    if (__builtin_expect(keeping_, 0)) {
        keep({&payload, &packet, packet.cycle, from, to, m.kind});
        return true;
    }
    if (__builtin_expect(elsewhere_, 0)) take_back();
    carried& c = fresh();
    fill(c, {&payload, &packet, packet.cycle, from, to, m.kind});
    ++size_;
    const kind_properties& kind = properties_of(m.kind);
    if (kind.asks) {
        client& asking = clients_[from];
        ++asking.unanswered;
        awaiting_ |= asking.tile_bit;
    }
    queue_.add(now_, c);
    // The other messages for a slice follow a request soon.
    if (coherence::is_request(m.kind) || kind.receiver == receiver_kind::memory)
        receivers_.expect(to, kind.receiver, m);
    return true;
}

// The entry is free before the delivery, because the receiver may send.
[[gnu::always_inline]] inline void carrier::free(carried& m) {
    m.payload = nullptr;
    m.next = std::exchange(free_, &m);
    --size_;
}

std::vector<traffic_count> carrier::counts(channel c, direction way) const {
    std::vector<traffic_count> sum =
        counted_before_[static_cast<std::size_t>(c)][static_cast<std::size_t>(way)];
    sum.resize(stops_.stops());
    for (unsigned copy = 0; copy < rings_.copies(c); ++copy) {
        const std::vector<traffic_count> one = rings_.counts(c, way, copy);
        for (std::size_t s = 0; s < sum.size(); ++s) {
            sum[s].injected += one[s].injected;
            sum[s].waited += one[s].waited;
            sum[s].passed += one[s].passed;
        }
    }
    return sum;
}

void carrier::reset(base::cycle_t now) {
    for (std::size_t c = 0; c < channels; ++c) {
        busy_before_[c] = busy_cycles(static_cast<channel>(c));
        for (std::size_t d = 0; d < directions; ++d)
            counted_before_[c][d] = counts(static_cast<channel>(c), static_cast<direction>(d));
    }
    take_back();
    for (std::size_t n = 0; n < shares_.size(); ++n) give_back(n);
    rings_ = interconnect(p_, stops_.stops());
    for_each_carried([](const carried& m) { m.payload->release(); });
    messages_.clear();
    for (lane& l : lanes_) l.messages.clear();
    free_ = nullptr;
    size_ = 0;
    queue_ = {};
    for (client& c : clients_) c.unanswered = 0;
    awaiting_ = reached_ = 0;
    for (attached& a : attached_) a.next = base::never;
    next_attached_ = base::never;
    now_ = now;
}

base::cycle_t carrier::next_event() const {
    return std::min({next_here(), leaves_elsewhere_, arrives_elsewhere_});
}

base::cycle_t carrier::next_delivery() const {
    const base::cycle_t leaves =
        std::min({rings_.next_attempt(), queue_.next(), next_attached_, leaves_elsewhere_});
    return std::min({rings_.next_arrival(), arrives_elsewhere_,
                     leaves == base::never ? leaves : leaves + least_way_});
}

// What has still to pass a home slice arrives there in the present cycle at the earliest, or in the
// first cycle whose messages have not been delivered. Memory controllers and devices send only to
// home slices and to who has asked.
std::uint64_t carrier::reachable(std::uint64_t tiles, base::cycle_t before,
                                 base::cycle_t home_cycles) const {
    const base::cycle_t first = apart_ ? apart_from_ : now_;
    if (first + home_cycles + least_way_ < before) return tiles;
    std::uint64_t found = awaiting_ | reached_;
    if ((tiles & ~found) == 0) return tiles;
    for_each_carried([&](const carried& m) {
        if (m.packet->cycle + least_way_ >= before) return;
        const message& c = m.packet->content;
        if (m.receiver != receiver_kind::directory && c.destination < tiles_)
            found |= std::uint64_t{1} << c.destination;
    });
    return tiles & found;
}

void carrier::run(base::cycle_t until) {
    steps_ = 0;
    run_cycles(until, false);
}

base::cycle_t carrier::run_to_delivery(base::cycle_t until) {
    steps_ = 0;
    return run_cycles(until, true);
}

// A receiver may respond in the cycle of the arrival. So all arrivals come first, and the set of
// messages that leave in the cycle is complete before the first of them enters the ring.
base::cycle_t carrier::run_cycles(base::cycle_t until, bool to_delivery) {
    if (__builtin_expect(elsewhere_, 0)) take_back();
    delivered_ = false;
    reached_ = 0;
    for (base::cycle_t t = next_here(); t < until; t = next_here()) {
        now_ = t;
        rings_.run_clock(
            t, [this, t](transit& m) { arrive(static_cast<carried&>(m), t); },
            [this, t] {
                if (next_attached_ <= t) run_attached(t);
                if (queue_.next() == t) enter_ring(t);
            });
        now_ = t + 1;
        if (to_delivery && delivered_) return t;
    }
    skip_to(until);
    return until;
}

// Nothing happens before cycle `t`.
void carrier::skip_to(base::cycle_t t) {
    if (t <= now_) return;
    rings_.skip_to(t);
    now_ = t;
}

void carrier::arrive(carried& m, base::cycle_t t) {
    if (__builtin_expect(holding_, 0) && waits(m)) {
        if (m.receiver != receiver_kind::directory) reached_ |= clients_[m.to].tile_bit;
        keep_arrived(m);
        return free(m);
    }
    tlm::tlm_generic_payload& payload = *m.payload;
    coherence::packet& packet = *m.packet;
    const unsigned stop = m.to;
    const receiver_kind who = m.receiver;
    if (who == receiver_kind::memory) {
        ask_attached(stop, t);
    } else if (who != receiver_kind::directory) {
        client& at = clients_[stop];
        reached_ |= at.tile_bit;
        if (m.answers && at.has_answer()) awaiting_ &= ~at.tile_bit;
        delivered_ = true;
    }
    free(m);
    packet.cycle = t;
    receivers_.deliver(stop, who, payload, packet, t);
    payload.release();
}

// A message has reached the controller in cycle `t`.
void carrier::ask_attached(unsigned stop, base::cycle_t t) {
    attached* const a = attached_at(stop);
    if (a == nullptr) return;
    a->next = t;
    next_attached_ = t;
}

void carrier::run_attached(base::cycle_t t) {
    next_attached_ = base::never;
    for (attached& a : attached_) {
        if (a.held) continue;
        if (a.next <= t) {
            a.next = a.part->next_activity();
            if (a.next <= t) {
                a.part->run(t + 1);
                a.next = a.part->next_activity();
            }
        }
        next_attached_ = std::min(next_attached_, a.next);
    }
}

void carrier::enter_ring(base::cycle_t t) {
    queue_.take(t, [this](transit& m) { rings_.offer(m); });
}

}  // namespace knc::ring
