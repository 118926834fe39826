// The caches of a tile: L1 for data, L1 for code, L2, all with data.
//
// Models: lookups with their events, misses under way and who waits for them, inclusion with
// back-invalidation, write-backs, store buffers, uncached accesses, software and hardware
// prefetch, cache control, combined and streaming stores, the L2's part of the coherence protocol,
// the hold a thread has on lines that came for it. A change of state takes place at the clock of
// its cause; what takes time is when a thread may try again and when a message leaves. Leaves out:
// a limit to what one L1 lookup may serve in a clock, ECC. Source: knc fact sheet 4; decisions:
// docs/hierarchy.md.
#ifndef KNC_CACHE_HIERARCHY_H
#define KNC_CACHE_HIERARCHY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/cache/combining_buffers.h>
#include <knc/cache/holds.h>
#include <knc/cache/l1_if.h>
#include <knc/cache/parameters.h>
#include <knc/cache/ports.h>
#include <knc/cache/prefetcher.h>
#include <knc/cache/set_array.h>
#include <knc/cache/store_buffer.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/l2_agent.h>
#include <knc/coherence/uncached_agent.h>

namespace knc::cache {

// A line of an L1 cache. Whoever uses it writes the clock into `used`, which lies behind the bytes.
struct l1_line {
    std::array<std::uint8_t, coherence::line_bytes> bytes;
    base::cycle_t used;
    base::cycle_t ready;  // from this clock on
    bool writable;        // the L2 holds it in E or M
    bool dirty;           // written since the L2 had it
    bool prefetched;      // by VPREFETCH0
};
static_assert(offsetof(l1_line, used) == coherence::line_bytes);

struct l2_line {
    std::array<std::uint8_t, coherence::line_bytes> bytes;
    base::cycle_t used;
    coherence::l2_state state;
    bool ahead;  // the stream prefetcher has brought it, and no access has come to it yet
};

// Where a line is, or when to ask again: at `ready`, or, if that is base::never, when client::wake
// says so.
struct lookup {
    std::uint8_t* line = nullptr;
    base::cycle_t ready = base::never;
};

class hierarchy final : public l1d_if,
                        public l1i_if,
                        private coherence::l2_store,
                        private coherence::port,
                        private coherence::uncached_agent::observer {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    // Of possible parameters; see impossible(). Calls to each other of the three interfaces come
    // from within the calls below only.
    hierarchy(std::uint8_t tile, const parameters&, const coherence::address_hash&, base::ledger&,
              client&, network&);

    // ---- the interfaces of the L1 caches
    bool keeps_copies() const override { return true; }
    outcome line_for_load(unsigned thread, line_t line, charge c, base::cycle_t now) override {
        return outcome_of(data(thread, line, false, now, c), now);
    }
    outcome line_for_update(unsigned thread, line_t line, charge c, base::cycle_t now) override {
        return outcome_of(data(thread, line, true, now, c), now);
    }
    outcome line_for_store(unsigned thread, line_t line, unsigned others,
                           base::cycle_t now) override {
        return outcome_of(store(thread, line, others, now), now);
    }
    void buffer_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                      base::cycle_t now) override {
        buffer(thread, paddr, size, data, now);
    }
    void forward_stores(unsigned thread, std::uint64_t paddr, unsigned size,
                        std::uint8_t* data) const override {
        forward(thread, paddr, size, data);
    }
    void combine_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                       base::cycle_t now) override {
        combine(thread, paddr, size, data, now);
    }
    outcome streaming_store(unsigned thread, line_t line, const coherence::line_data& data,
                            bool ordered, base::cycle_t now) override {
        return outcome_of(stream(thread, line, data, ordered, now), now);
    }
    void evict_from_l1(line_t line, base::cycle_t now) override { evict_l1(line, now); }
    void process_due_events(base::cycle_t now) override { run(now); }
    outcome line_for_fetch(unsigned thread, line_t line, bool cacheable,
                           base::cycle_t now) override {
        return outcome_of(code(thread, line, now, cacheable), now);
    }

    // ---- accesses of a thread in clock `now`, which never goes back
    // The line for a demand load, or with the right to store. A line that had to be fetched is held
    // until completed().
    lookup data(unsigned thread, line_t, bool write, base::cycle_t now, charge);
    // The same for code. `cacheable`: as memory type; if not, the caller counts misses.
    lookup code(unsigned thread, line_t, base::cycle_t now, bool cacheable = true);
    // code() of a line that is there: whether it is.
    bool use_code(unsigned thread, line_t line, base::cycle_t now) override {
        l1_line* l = code_.find(line);
        if (l == nullptr || l->ready > now) return false;
        const store_buffer& stores = buffers_[thread].stores;
        if (!stores.empty() && stores.has(line)) return false;
        l->used = now;
        return true;
    }
    // The line of code, if it could be used now; nothing happens by that.
    const std::uint8_t* code_at_hand(line_t, base::cycle_t now) const override;
    bool holds_code(line_t line) const override { return code_.find(line) != nullptr; }
    // The instruction that was told to wait, and tried again, has ended.
    void completed(unsigned thread, base::cycle_t now) override;

    // A store that need not wait: its line if it may be performed now; no line and ready == now if
    // it may go into the store buffer together with `others`; else as data().
    lookup store(unsigned thread, line_t, unsigned others, base::cycle_t now);
    // It goes there: `size` bytes within a line.
    void buffer(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                base::cycle_t now);
    void forward(unsigned thread, std::uint64_t paddr, unsigned size, std::uint8_t* data) const {
        buffers_[thread].stores.forward(paddr, size, data);
    }
    // Whether all stores of the thread have been performed; if not, client::wake says when.
    bool drained(unsigned thread) override;

    // Stores to memory of type WC, within a line, if combines(). Whether one can be taken after
    // `others` of the same instruction; if not, client::wake says when to ask again.
    bool combines() const override { return p_.combining_buffers != 0; }
    bool room_to_combine(unsigned thread, line_t, unsigned others, base::cycle_t now) override;
    void combine(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                 base::cycle_t now);
    // What the thread has stored there is written to memory from now on, complete lines anyhow.
    void send_combined(unsigned thread, base::cycle_t now) override;
    // A store of a whole line that need not be read. `ordered`: other threads see it as they see
    // other stores; else at any time until fenced(). If the answer has a line, it is to be written
    // there; if not and ready == now, it has been taken; else as data().
    lookup stream(unsigned thread, line_t, const coherence::line_data&, bool ordered,
                  base::cycle_t now);
    // Whether all of these writes of the thread are complete, but for ordered ones; if not,
    // client::wake says when to ask again.
    bool fenced(unsigned thread, base::cycle_t now) override;

    // An access of up to 8 bytes within a line that no cache keeps; client::uncached_done answers.
    void uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                  unsigned size, const std::uint8_t* data, base::cycle_t now) override;

    // A hint: dropped where it cannot be followed at once.
    void prefetch(unsigned thread, line_t, const prefetch_request&, bool cacheable,
                  base::cycle_t now) override;
    // The line leaves the L1 data cache, or all caches of the tile; dropped where it cannot.
    void evict_l1(line_t, base::cycle_t now);
    void evict(line_t, base::cycle_t now) override;
    // Every line leaves the caches and is written back. False: client::wake says when to go on.
    bool flush(unsigned thread, base::cycle_t now) override;

    // ---- the network's side
    // A message that arrives at `clock`, which no earlier one follows.
    void receive(const coherence::message& m, base::cycle_t clock) { inbox_.push_back({m, clock}); }
    // First clock in which something happens without being asked for.
    base::cycle_t next_event() const override;
    // Everything that is due up to clock `now`.
    void run(base::cycle_t now);
    // Whether a message was sent since the last call.
    bool sent() override { return std::exchange(sent_, false); }

    // ---- accesses without side effects
    void view(coherence::debug_view&) const;
    void debug_write(line_t, const std::uint8_t* data, coherence::byte_mask);

    // Lines requested from outside and not here yet; stores of a thread that wait.
    std::size_t misses() const { return misses_.size(); }
    std::size_t waiting_stores(unsigned thread) const { return buffers_[thread].stores.size(); }
    const coherence::l2_agent& agent() const { return agent_; }
    coherence::l2_state state(line_t) const;

  private:
    enum class kind : std::uint8_t { read, write, code };
    enum class want : std::uint8_t { copy, right_to_write, whole };  // whole: to be written as one
    // `demand`: also prefetches without events of their own.
    enum class origin : std::uint8_t { demand, l1_prefetch, l2_prefetch, hardware };
    // Whose the event of the fill is. The first demand access takes it from the hardware
    // prefetcher, a store takes it from a prefetch instruction that only reads.
    enum class credit : std::uint8_t { hardware, prefetch, demand };

    // A line requested from outside the tile.
    struct miss {
        line_t line = 0;
        kind type = kind::read;
        origin from = origin::demand;
        credit fill = credit::demand;
        std::uint8_t thread = 0;  // whose the fill is, but not if the hardware's
        bool to_data = false, to_code = false;
        bool non_temporal = false;
        std::uint8_t waiting = 0;  // bit n: thread n
    };
    struct arrival {
        coherence::message content;
        base::cycle_t clock;
    };
    struct write_back {
        line_t line;
        base::cycle_t until;
    };
    struct thread_buffer {
        store_buffer stores;
        combining_buffers combining;
        base::cycle_t ready = base::never;  // the first may be performed then
        bool wanted = false;                // the thread waits for room or emptiness
        bool retry = false;                 // the request for the first could not be made
    };
    // A streaming store whose line has been claimed.
    struct line_claim {
        line_t line;
        coherence::line_data data;
        std::uint8_t thread;
        bool ordered;  // it is the first of the store buffer
    };
    struct uncached_access {
        line_t line = 0;
        std::uint32_t ticket = 0;
        std::array<std::uint8_t, 8> data{};
        std::uint8_t thread = 0, offset = 0, size = 0;
        bool write = false;
        bool started = false;
    };

    static outcome outcome_of(const lookup& r, base::cycle_t now) {
        if (r.line != nullptr) return outcome::hit(r.line);
        if (r.ready == now) return outcome::taken();
        return r.ready == base::never ? outcome::wait() : outcome::retry(r.ready);
    }

    static bool stays(kind k, coherence::l2_state s) {
        return k == kind::write ? coherence::writable(s) : coherence::readable(s);
    }

    static want wanted_for(kind k) { return k == kind::write ? want::right_to_write : want::copy; }

    lookup fetch(unsigned thread, line_t, kind, bool waits);
    lookup join(miss&, unsigned thread, kind, bool waits);
    static void take_fill(miss&, unsigned thread, kind);
    bool request(line_t, want, base::cycle_t start);
    l2_line* room(line_t);
    base::cycle_t start_lookup();
    void take_back_lookup();
    miss* find_miss(line_t);
    const miss* find_miss(line_t line) const {
        return const_cast<hierarchy*>(this)->find_miss(line);
    }
    void add_miss(const miss& m) { misses_.push_back(m); }
    void train(unsigned thread, line_t, kind);
    bool coming_to_l1(line_t) const;

    void install_data(line_t, const l2_line&, base::cycle_t ready);
    void install_code(line_t, l2_line&, base::cycle_t ready);
    void write_back_data(line_t, l1_line&);
    void evict_data(l1_line&);
    void drop_code(line_t);
    void own(line_t line, l1_line& l) {
        l.dirty = true;
        if (code_.find(line) != nullptr) drop_code(line);
    }

    void enter_buffer(unsigned thread, line_t);
    void drain(unsigned thread, bool as_filled);
    void start_combined();
    bool combined(line_t);
    bool claim(unsigned thread, line_t, const coherence::line_data&, bool ordered);
    std::vector<line_claim>::iterator find_claim(line_t);
    void end_claim(line_t);
    void wake_if_wanted(unsigned thread, base::cycle_t clocks);
    void retry_all();
    // A hold has been given up.
    void hold_ended() {
        if (retry_at_ != base::never) retry_at_ = now_ + 1;
    }
    void start_uncached();
    void process(const coherence::message&);
    void release_deferred();

    // Events of the caches.
    bool first_time(unsigned thread, line_t, kind);
    void count_data_miss(unsigned thread, line_t, bool write);
    void count_hit(unsigned thread, kind, coherence::l2_state);
    void count_fill(const miss&, coherence::fill_source);

    // coherence::l2_store
    coherence::l2_slot find(line_t) override;
    bool take_back(line_t, coherence::l2_slot, coherence::l1_keeps) override;
    void filled(line_t, coherence::l2_slot, const coherence::message&) override;
    void overwrite(line_t, coherence::l2_slot) override;
    void lost(line_t, coherence::l2_slot) override;
    void released(line_t) override;
    void snooped(line_t, coherence::l2_state found, const coherence::message&) override;
    // coherence::port
    void send(const coherence::message&) override;
    void protocol_error(const std::string&) override;
    // coherence::uncached_agent::observer
    void read_complete(line_t, const coherence::line_data&) override;
    void write_complete(line_t) override;

    const parameters p_;
    base::ledger& ledger_;
    client& client_;
    network& network_;
    coherence::l2_agent agent_;
    coherence::uncached_agent uncached_;
    set_array<l1_line> data_, code_;
    set_array<l2_line> l2_;
    prefetcher prefetcher_;

    base::cycle_t now_ = 0;
    base::cycle_t leaves_ = 0;   // clock in which what is sent now leaves
    base::cycle_t l2_free_ = 0;  // first clock in which the L2 may take a lookup
    bool sent_ = false;
    std::vector<miss> misses_;
    std::uint8_t retry_ = 0;                // bit n: thread n waits until a request can be made
    base::cycle_t retry_at_ = base::never;  // a hold has ended, or will: there may be room
    std::deque<arrival> inbox_;
    holds holds_;
    std::vector<coherence::message> deferred_;  // snoops of lines that are held
    std::vector<write_back> write_backs_;       // in the bus unit
    std::array<thread_buffer, threads> buffers_;
    std::vector<line_claim> claims_;
    std::vector<uncached_access> uncached_accesses_;
    std::array<std::vector<std::pair<line_t, kind>>, threads> counted_;
    std::array<std::size_t, threads> flushed_{};  // places of the L2 a flush has passed
};

}  // namespace knc::cache

#endif
