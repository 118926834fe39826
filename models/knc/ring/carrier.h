// The transport of coherence messages between the stops.
//
// Models: the injection queues of all stops and the slotted ring between them. A cycle has three
// phases. First all arrivals are delivered. Then the agents with a clock of their own (memory
// controllers) run. Then the messages that leave in the cycle enter the ring in a fixed order. So
// the result depends on the messages and their cycles alone, neither on the order of calls for
// different stops nor on how run() is split. Leaves out: what receivers do with a message; a limit
// on the messages that wait at a stop. Source: docs/hierarchy.md.
#ifndef KNC_RING_CARRIER_H
#define KNC_RING_CARRIER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include <knc/base/aligned_vector.h>
#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/base/host_threads_if.h>
#include <knc/coherence/types.h>
#include <knc/ring/controller_if.h>
#include <knc/ring/group_runner.h>
#include <knc/ring/injection_queue.h>
#include <knc/ring/interconnect.h>
#include <knc/ring/message_kinds.h>
#include <knc/ring/topology.h>

namespace knc::ring {

class carrier {
  public:
    class receivers {
      public:
        // A message arrives at its stop in cycle `t`. The receiver may call send() for `t` or
        // later.
        virtual void deliver(unsigned stop, coherence::receiver_kind, tlm::tlm_generic_payload&,
                             coherence::packet&, base::cycle_t t) = 0;

        // A request for a directory slice, or a message for a controller, is on its way to that
        // stop; see coherence::direct_end_if.
        virtual void expect(unsigned, coherence::receiver_kind, const coherence::message&) const {}

      protected:
        ~receivers() = default;
    };

    // Throws std::invalid_argument for parameters that the interconnect rejects, for no tile and
    // for more than coherence::max_tiles tiles.
    carrier(const parameters&, unsigned tiles, unsigned controllers, receivers&);
    carrier(const carrier&) = delete;
    carrier& operator=(const carrier&) = delete;

    // Adds an agent with a clock of its own: the first call that of controller 0, the next one that
    // of controller 1. Its cycles run together with the carrier's. It is at most one cycle ahead.
    // Only run() and messages to its controller change its next activity.
    void attach(base::clocked_if& part);

    // Accepts a message from the node that is its source. The message may leave in the packet's
    // cycle or later, and its payload stays acquired until delivery. Returns false and does nothing
    // if no stop belongs to the destination. Throws std::logic_error if the packet's cycle is
    // before now().
    bool send(tlm::tlm_generic_payload&, coherence::packet&);
    // Whether send() would accept the message.
    bool has_way(const coherence::message& m) const { return receiver(m) != no_stop; }

    // The state after power-on, at cycle `now`. Messages in flight are lost.
    void reset(base::cycle_t now);
    // Runs the cycles [now(), until). Delivers messages in the order of their cycles.
    void run(base::cycle_t until);
    // As coherence::network_if. `home_cycles`: see reachable().
    void begin_parts(base::cycle_t until, base::cycle_t far, base::host_threads_if&,
                     base::cycle_t home_cycles);
    void run_parts(std::size_t thread);
    // The thread of a part: part n is at the stop of tile n, then come the controllers.
    static std::size_t thread_of_part(std::size_t n, std::size_t threads) { return n % threads; }
    void end_parts();
    // Runs the cycles [now(), until), but none after the first one in which a message reaches a
    // client: a tile, except its directory slice, or the agent at the SBOX's stop. Returns that
    // cycle, or `until`.
    base::cycle_t run_to_delivery(base::cycle_t until);
    // The first cycle that has not run yet; inside deliver(), the cycle of the delivery.
    base::cycle_t now() const { return now_; }
    // If no message is sent: the first cycle with any activity, and a cycle before which no message
    // is delivered. base::never: no message is in flight.
    base::cycle_t next_event() const;
    base::cycle_t next_delivery() const;
    // The shortest travel time of a message.
    base::cycle_t least_way() const { return least_way_; }
    // As coherence::network_if. A home slice sends nothing within `home_cycles` of the message that
    // causes it.
    std::uint64_t reachable(std::uint64_t tiles, base::cycle_t before,
                            base::cycle_t home_cycles) const;

    const topology& stops() const { return stops_; }
    const interconnect& rings() const { return rings_; }
    // As interconnect::busy_cycles(), since the start of the run.
    std::uint64_t busy_cycles(channel c) const {
        return busy_before_[static_cast<std::size_t>(c)] + rings_.busy_cycles(c);
    }
    // What the parallel rings of a channel have carried in one direction since the start of the
    // run, per stop.
    std::vector<traffic_count> counts(channel, direction) const;
    // Nothing is in flight, and nothing has been since the last reset.
    void serialize(base::archive&);
    // The number of messages in flight.
    std::size_t size() const { return size_; }
    // Calls visit(message&) for each message in flight.
    template <class Visit>
    void for_each(Visit visit) {
        take_back();
        for_each_carried([&](const carried& m) { visit(m.packet->content); });
    }

  private:
    static constexpr std::uint16_t no_stop = 0xffff;

    struct node {
        std::uint16_t stop = no_stop;  // no_stop: it does not exist
        std::uint8_t takes = 0;        // bit n: messages for receiver_kind n; asks: it is a client
    };
    static constexpr std::uint8_t asks = 1 << coherence::receiver_kinds;
    static constexpr unsigned bit_of(coherence::receiver_kind k) {
        return 1u << static_cast<unsigned>(k);
    }

    struct alignas(base::host_line_bytes) carried final : transit {
        tlm::tlm_generic_payload* payload = nullptr;  // nullptr: free
        coherence::packet* packet = nullptr;
        coherence::receiver_kind receiver{};
        bool answers = false;  // a request of the tile that receives it
    };
    static_assert(sizeof(carried) == base::host_line_bytes);

    struct attached {
        base::clocked_if* part;
        controller_if* apart;  // the same, if it may run as a part
        base::cycle_t next;    // its next activity; the present cycle: to be asked
        bool held = false;     // it runs at the end of the step
    };
    // A message that its sender has passed to the network, or that has reached its stop.
    struct passed {
        tlm::tlm_generic_payload* payload;  // nullptr: it has been delivered
        coherence::packet* packet;
        base::cycle_t clock;
        std::uint16_t from, to;
        coherence::message_kind kind;
    };
    using transactions = std::vector<tlm::tlm_generic_payload*>;
    // Between a group of rings and a host thread.
    struct alignas(base::host_line_bytes) exchange {
        std::vector<passed> arrived;  // for the thread; waits for run_parts()
        // Of its senders: those that have arrived, and those that their receivers need no more.
        transactions in_use, used;
    };
    // A group of rings that runs by itself. One thread at a time writes it.
    struct alignas(base::host_line_bytes) lane {
        lane(const parameters& p, unsigned stops) : runner(p, stops) {}
        group_runner runner;
        std::deque<carried> messages;  // those in flight stay where they are
        transit_list free;             // those that are not
        // In the present step: messages that have arrived. Bit n: one has reached tile n;
        // controller n must take what has arrived on the first thread.
        std::size_t gone = 0;
        std::uint64_t reached = 0, at_once = 0;
        base::aligned_vector<exchange> with;  // by host thread
    };
    // What a host thread has to do in a step. What it writes is in lines of the host of its own.
    struct alignas(base::host_line_bytes) share {
        std::array<std::vector<passed>, interconnect::groups> sent;  // waits for the next step
        std::size_t count = 0;                                       // of these
        base::cycle_t earliest = base::never;                        // likewise
        bool in_time = false;                                        // see takes_in_time()
        // Bit n: tile n has asked, and all it has asked for is answered, in the present step.
        std::uint64_t asks = 0, answered = 0;
    };
    // What is at a stop; the thread of the stop writes it.
    struct alignas(base::host_line_bytes) client {
        std::uint64_t tile_bit = 0;    // bit n: tile n
        std::uint32_t unanswered = 0;  // requests of the tile
        bool has_answer();
    };

    // A tile, or another agent that asks for lines and accesses devices.
    bool is_client(coherence::node_t n) const { return (nodes_[n].takes & asks) != 0; }
    // The stop of the message's receiver, or no_stop.
    std::uint16_t receiver(const coherence::message&) const;
    [[gnu::noinline, gnu::noclone]] base::cycle_t run_cycles(base::cycle_t until, bool to_delivery);
    void skip_to(base::cycle_t t);
    base::cycle_t next_here() const {
        return std::min({rings_.next_event(), queue_.next(), next_attached_});
    }
    // Calls visit(const carried&) for each message that is in flight, and not in `sent` of a share.
    template <class Visit>
    void for_each_carried(Visit visit) const;
    carried& fresh();
    static void fill(carried&, const passed&);
    void arrive(carried&, base::cycle_t t);
    void free(carried&);
    // Whether the receiver takes such a message in the cycle of its arrival, and no later.
    static bool takes_in_time(coherence::message_kind k, unsigned to) {
        return properties_of(k).in_time || to == topology::sbox();
    }
    bool waits(const carried&);
    void keep(const passed&);
    void keep_arrived(const carried&);
    void deliver_arrived(passed&);
    void deliver_all_to(unsigned controller);
    template <class Visit>
    void each_arrived(std::size_t thread, Visit visit);
    void set_threads(std::size_t);
    void give_back(std::size_t thread);
    void take_back();
    void take_sent(share&);
    bool may_run_apart(const base::host_threads_if&, base::cycle_t home_cycles) const;
    void run_apart(base::cycle_t until, base::host_threads_if&);
    void spread();
    void run_group(unsigned g);
    void arrive_apart(lane&, carried&);
    void deliver_at_once();
    share& share_of(unsigned stop) { return shares_[thread_of_[stop]]; }
    attached* attached_at(unsigned stop);
    void ask_attached(unsigned stop, base::cycle_t t);
    void run_attached(base::cycle_t t);
    void enter_ring(base::cycle_t t);

    const parameters p_;
    const unsigned tiles_;
    receivers& receivers_;
    topology stops_;
    interconnect rings_;
    std::array<node, 256> nodes_;
    base::cycle_t least_way_;
    std::vector<attached> attached_;
    base::cycle_t next_attached_ = base::never;  // the earliest `next` of these
    std::deque<carried> messages_;               // a pool; those in flight stay where they are
    transit* free_ = nullptr;                    // the list of the others
    std::size_t size_ = 0;                       // messages in flight
    injection_queue queue_;
    // Before the last reset.
    std::array<std::uint64_t, channels> busy_before_{};
    std::array<std::array<std::vector<traffic_count>, directions>, channels> counted_before_;
    base::cycle_t now_ = 0;
    bool delivered_ = false;  // a message has reached a client since this was last cleared

    // ---- which tiles a message may reach. Bit n: tile n awaits answers; a message has reached it.
    base::aligned_vector<client> clients_;  // by stop
    std::uint64_t awaiting_ = 0, reached_ = 0;

    // ---- parts, by host thread
    std::vector<std::uint16_t> thread_of_;  // per stop
    base::aligned_vector<share> shares_;
    bool holding_ = false;              // messages wait for run_parts()
    bool keeping_ = false;              // messages wait for end_parts()
    base::cycle_t hold_for_ = 0;        // the most cycles for which one waits
    base::cycle_t hold_home_from_ = 0;  // those for home slices wait from this cycle on
    // ---- groups by themselves
    std::vector<lane> lanes_;
    bool elsewhere_ = false;  // messages are in `sent` of the shares, or in the lanes
    bool spread_ = false;     // those that the ring has taken are in the lanes
    bool in_time_ = false;    // among those in `sent`, some are taken in time
    base::cycle_t leaves_elsewhere_ = base::never, arrives_elsewhere_ = base::never;
    unsigned steps_ = 0;  // with parts, one after the other
    // The groups run, or have run in the present step, by themselves: through these cycles.
    bool apart_ = false;
    base::cycle_t apart_from_ = 0, apart_until_ = 0;
    const std::function<void(unsigned)> run_groups_;
};

template <class Visit>
void carrier::for_each_carried(Visit visit) const {
    std::size_t left = size_;
    const auto visit_all = [&](const std::deque<carried>& pool) {
        for (auto at = pool.begin(); at != pool.end(); ++at) {
            if (at->payload == nullptr) continue;
            visit(*at);
            if (--left == 0) return;
        }
    };
    if (left != 0) visit_all(messages_);
    for (auto l = lanes_.begin(); left != 0 && l != lanes_.end(); ++l) visit_all(l->messages);
}

[[gnu::always_inline]] inline carrier::carried& carrier::fresh() {
    if (free_ == nullptr) {
        messages_.emplace_back();
        free_ = &messages_.back();
        free_->next = nullptr;
    }
    auto& c = static_cast<carried&>(*free_);
    free_ = c.next;
    return c;
}

[[gnu::always_inline]] inline void carrier::fill(carried& c, const passed& p) {
    const kind_properties& kind = properties_of(p.kind);
    c.payload = p.payload;
    c.packet = p.packet;
    c.clock = p.clock;
    c.from = p.from;
    c.to = p.to;
    c.what = kind.what;
    c.sender = kind.sender;
    c.receiver = kind.receiver;
    c.answers = kind.answers;
}

// Returns whether it was the last one that the tile awaits.
inline bool carrier::client::has_answer() {
    return unanswered != 0 && --unanswered == 0;
}

}  // namespace knc::ring

#endif
