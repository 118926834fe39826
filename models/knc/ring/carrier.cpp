#include <knc/ring/carrier.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace knc::ring {

using coherence::first_agent;
using coherence::first_controller;
using coherence::message;
using coherence::message_kind;
using coherence::receiver_kind;

namespace {

unsigned checked(unsigned tiles) {
    if (tiles == 0 || tiles > coherence::max_tiles)
        throw std::invalid_argument("ring: number of tiles");
    return tiles;
}

// The agent of a stop that sends messages of this kind. A controller has a stop of its own.
constexpr sender_kind sender_of(message_kind k) {
    const bool of_directory = (k >= message_kind::fwd_get_s && k <= message_kind::write_done) ||
                              (k >= message_kind::mem_read_e && k <= message_kind::mem_write_bytes);
    return of_directory ? sender_kind::directory : sender_kind::l2;
}

constexpr bool asks_for(message_kind k) {
    return coherence::is_request(k) ||
           (k >= message_kind::device_read && k <= message_kind::wbinvd);
}

// Each request has one answer.
constexpr bool answers(message_kind k) {
    return (k >= message_kind::grant && k <= message_kind::data_once) ||
           k == message_kind::device_data || k == message_kind::device_done;
}

// The properties of a message kind that the ring uses.
struct kind_properties {
    channel what;
    receiver_kind receiver;
    sender_kind sender;
    bool asks, answers;
};
constexpr kind_properties properties[] = {
#define KNC_MESSAGE(kind, ring, receiver, ...)                              \
    {channel::ring, receiver_kind::receiver, sender_of(message_kind::kind), \
     asks_for(message_kind::kind), answers(message_kind::kind)},
#include <knc/coherence/messages.def>
#undef KNC_MESSAGE
};
const kind_properties& of(message_kind k) {
    return properties[static_cast<std::size_t>(k)];
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
      tile_bit_(stops_.stops()),
      unanswered_(stops_.stops()),
      thread_of_(stops_.stops()) {
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
        tile_bit_[stops_.tile(t)] = std::uint64_t{1} << t;
    }
    for (unsigned c = 0; c < controllers; ++c)
        place(first_controller + c, stops_.controller(c), of_controller);
}

void carrier::attach(base::clocked_if& part) {
    attached_.push_back({&part, dynamic_cast<controller_if*>(&part), base::never, false});
}

std::uint16_t carrier::receiver(const message& m) const {
    if (m.kind >= message_kind::count || !is_client(m.requester)) return no_stop;
    const node& to = nodes_[m.destination];
    return (to.takes & bit_of(of(m.kind).receiver)) != 0 ? to.stop : no_stop;
}

bool carrier::send(tlm::tlm_generic_payload& payload, coherence::packet& packet) {
    if (packet.cycle < now_) throw std::logic_error("ring: a message comes too late");
    const message& m = packet.content;
    const std::uint16_t to = receiver(m), from = nodes_[m.source].stop;
    if (to == no_stop) return false;
    payload.acquire();
    const passed p{&payload, &packet, packet.cycle, from, to, m.kind};
    if (keeping_) {
        keep(p);
        return true;
    }
    enter(p);
    // The other messages for a slice follow a request soon.
    const receiver_kind who = of(m.kind).receiver;
    if (coherence::is_request(m.kind) || who == receiver_kind::memory)
        receivers_.expect(to, who, m);
    return true;
}

[[gnu::always_inline]] inline void carrier::enter(const passed& p) {
    if (free_ == nullptr) {
        messages_.emplace_back();
        free_ = &messages_.back();
    }
    auto& c = static_cast<carried&>(*free_);
    free_ = c.next;
    c.payload = p.payload;
    c.packet = p.packet;
    ++size_;
    const kind_properties& kind = of(p.kind);
    c.clock = p.clock;
    c.from = p.from;
    c.to = p.to;
    c.what = kind.what;
    c.sender = kind.sender;
    c.receiver = kind.receiver;
    c.answers = kind.answers;
    if (kind.asks) expect_answer(p.from);
    queue_.add(now_, c);
}

void carrier::accept(const passed& p) {
    enter(p);
}

[[gnu::always_inline]] inline void carrier::expect_answer(unsigned stop) {
    ++unanswered_[stop];
    awaiting_ |= tile_bit_[stop];
}

[[gnu::always_inline]] inline void carrier::note_arrival(const carried& m) {
    if (m.receiver == receiver_kind::directory) return;
    reached_ |= tile_bit_[m.to];
    if (!m.answers) return;
    std::uint32_t& unanswered = unanswered_[m.to];
    if (unanswered != 0 && --unanswered == 0) awaiting_ &= ~tile_bit_[m.to];
}

// The entry is free before the delivery, because the receiver may send.
void carrier::free(carried& m) {
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
    rings_ = interconnect(p_, stops_.stops());
    for (const carried& m : messages_)
        if (m.payload != nullptr) m.payload->release();
    messages_.clear();
    free_ = nullptr;
    size_ = 0;
    queue_ = {};
    std::fill(unanswered_.begin(), unanswered_.end(), 0);
    awaiting_ = reached_ = 0;
    for (share& s : shares_) give_back(s);
    for (attached& a : attached_) a.next = base::never;
    next_attached_ = base::never;
    now_ = now;
}

base::cycle_t carrier::next_event() const {
    return std::min({rings_.next_event(), queue_.next(), next_attached_});
}

base::cycle_t carrier::next_delivery() const {
    const base::cycle_t leaves = std::min({rings_.next_attempt(), queue_.next(), next_attached_});
    return std::min(rings_.next_arrival(), leaves == base::never ? leaves : leaves + least_way_);
}

// What has still to pass a home slice arrives there in the present cycle at the earliest. Memory
// controllers and devices send only to home slices and to who has asked.
std::uint64_t carrier::reachable(std::uint64_t tiles, base::cycle_t before,
                                 base::cycle_t home_cycles) const {
    if (now_ + home_cycles + least_way_ < before) return tiles;
    std::uint64_t found = awaiting_ | reached_;
    std::size_t left = (tiles & ~found) != 0 ? size_ : 0;
    for (auto at = messages_.begin(); left != 0; ++at) {
        const carried& m = *at;
        if (m.payload == nullptr) continue;
        --left;
        if (m.packet->cycle + least_way_ >= before) continue;
        const message& c = m.packet->content;
        if (m.receiver != receiver_kind::directory && c.destination < tiles_)
            found |= std::uint64_t{1} << c.destination;
    }
    return tiles & found;
}

void carrier::run(base::cycle_t until) {
    run_cycles(until, false);
}

base::cycle_t carrier::run_to_delivery(base::cycle_t until) {
    return run_cycles(until, true);
}

// A receiver may respond in the cycle of the arrival. So all arrivals come first, and the set of
// messages that leave in the cycle is complete before the first of them enters the ring.
base::cycle_t carrier::run_cycles(base::cycle_t until, bool to_delivery) {
    delivered_ = false;
    reached_ = 0;
    for (base::cycle_t t = next_event(); t < until; t = next_event()) {
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
    note_arrival(m);
    if (holding_ && waits(m)) {
        keep_arrived(m);
        return free(m);
    }
    tlm::tlm_generic_payload& payload = *m.payload;
    coherence::packet& packet = *m.packet;
    const unsigned stop = m.to;
    const receiver_kind who = m.receiver;
    if (m.receiver == receiver_kind::memory)
        ask_attached(stop, t);
    else if (m.receiver != receiver_kind::directory)
        delivered_ = true;
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
