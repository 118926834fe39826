// The L2 cache of a tile.
//
// Models: lookups with their events, one at a time; MSHRs and the threads that wait for them;
// inclusion of the L1s with back-invalidation; the stream prefetcher; the tile's side of the
// coherence protocol with its victim buffer; accesses that leave no copy; snoops of pinned lines,
// which are deferred. State changes in the cycle of its cause. Time appears as the cycle in which a
// line is ready or a message leaves the tile. Leaves out: ECC. Source: knc fact sheet 4; decisions:
// docs/hierarchy.md.
#ifndef KNC_CACHE_L2_CACHE_H
#define KNC_CACHE_L2_CACHE_H

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <knc/base/aligned_vector.h>
#include <knc/base/event.h>
#include <knc/base/fifo.h>
#include <knc/base/recorder.h>
#include <knc/cache/levels_if.h>
#include <knc/cache/line_pins.h>
#include <knc/cache/lines.h>
#include <knc/cache/mshrs.h>
#include <knc/cache/parameters.h>
#include <knc/cache/ports.h>
#include <knc/cache/prefetcher.h>
#include <knc/cache/set_array.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/l2_agent.h>
#include <knc/coherence/uncached_agent.h>

namespace knc::cache {

class l2_cache final : public l2_if,
                       private coherence::l2_store,
                       private coherence::port,
                       private coherence::uncached_agent::observer {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    // The parameters must be possible; see impossible(). `pins` are those of the tile.
    l2_cache(std::uint8_t tile, const parameters&, const coherence::address_hash&, base::ledger&,
             line_pins& pins, network&);
    // Called before the first access.
    void connect(l1d_snoop_if&, l1i_snoop_if&);
    // From now on, `r` learns of the lines requested from outside the tile.
    void attach(base::recorder_if& r) { recorder_ = &r; }

    // A message arrives in `cycle`; the cycles of successive calls never decrease.
    void receive(const coherence::message& m, base::cycle_t cycle) { inbox_.push_back({m, cycle}); }

    // Whether the message, if it is the next to be processed, frees a victim buffer for which
    // nothing waits, and has no other effect.
    bool only_frees(const coherence::message& m) const {
        return m.kind == coherence::message_kind::put_ack && inbox_.empty() && deferred_.empty() &&
               !owed_data_ && !owed_code_ && retry_at_ == base::never;
    }
    // It arrives in `cycle`, before which the tile does nothing.
    void process_at_once(const coherence::message& m, base::cycle_t cycle) {
        now_ = cycle;
        process(m);
    }

    // Whether one of these waits: for its cycle, or for a pin to end.
    bool replies_pending() const { return !inbox_.empty() || !deferred_.empty(); }

    // l2_if: see there.
    l2_answer access(const l2_access&, base::cycle_t now) override;
    l2_answer prefetch(const l2_prefetch&, base::cycle_t now) override;
    i_to_m_answer request_i_to_m(unsigned thread, line_t, base::cycle_t now) override;
    requester under_way(line_t) const override;
    void write_back(line_t, const coherence::line_data&, bool evicted, base::cycle_t now) override;
    bool read_once(unsigned thread, line_t, base::cycle_t now) override;
    bool write_once(unsigned thread, line_t, const coherence::line_data&, coherence::byte_mask,
                    base::cycle_t now) override;
    void evict(line_t, base::cycle_t now) override;
    bool flush(unsigned thread, base::cycle_t now) override;
    void completed(unsigned thread, base::cycle_t now) override;
    base::cycle_t next_event() const override;
    void process_due_events(base::cycle_t now) override;
    bool sent() override { return std::exchange(sent_, false); }
    // The thread for which the last line was requested, read or written.
    unsigned requested_for() const { return requested_for_; }

    coherence::l2_state state(line_t) const;
    const mshrs& requests() const { return mshrs_; }
    std::size_t mshrs_used() const { return mshrs_.used(); }
    std::size_t streams() const { return prefetcher_.streams(); }
    std::size_t arrived() const { return inbox_.size(); }
    std::size_t deferred() const { return deferred_.size(); }
    const coherence::l2_agent& agent() const { return agent_; }

    // Calls `f` with each line that it has.
    template <class F>
    void each_line(F f) const {
        array_.each_line(f);
    }

    // Debug accesses: the L2's copy of a line in a state that is readable(), otherwise nullptr;
    // victims and messages that have arrived; a write to every copy of a line.
    const std::uint8_t* copy_of(line_t) const;
    void view_in_flight(coherence::debug_view&) const;
    void debug_write(line_t, const std::uint8_t* data, coherence::byte_mask);

  private:
    enum class want : std::uint8_t { copy, right_to_write, ownership };  // last: without data

    struct arrival {
        coherence::message content;
        base::cycle_t cycle;
    };
    // A line that the L1 has written back and that is in the core's bus unit.
    struct bus_unit_entry {
        line_t line;
        base::cycle_t until;
    };

    std::uint8_t* bytes_of(const l2_line& e) { return bytes_[array_.index(e)].data(); }
    const std::uint8_t* bytes_of(const l2_line& e) const { return bytes_[array_.index(e)].data(); }
    coherence::l2_slot slot_of(l2_line& e) { return {&e.state, bytes_of(e)}; }
    static bool serves(access_type t, coherence::l2_state s) {
        return t == access_type::write ? coherence::writable(s) : coherence::readable(s);
    }
    static want wanted_for(access_type t) {
        return t == access_type::write ? want::right_to_write : want::copy;
    }

    void add(const mshr&);
    void join(mshr&, const l2_access&, base::cycle_t now);
    bool request(unsigned thread, line_t, l2_line* found, want, base::cycle_t start,
                 base::cycle_t now);
    l2_line* allocate(line_t, base::cycle_t now);
    base::cycle_t start_lookup(base::cycle_t now);
    void take_back_lookup();
    void train(unsigned thread, line_t, access_type, base::cycle_t now);
    void give(l1_fill_if&, const l2_line&, line_fill, base::cycle_t now);
    void send_retries();
    void refused(access_type t) { (t == access_type::code ? owed_code_ : owed_data_) = true; }
    void pins_ended(base::cycle_t now) {
        if (retry_at_ != base::never) retry_at_ = now + 1;
    }
    void process(const coherence::message&);
    void release_deferred();

    // Event counts.
    void count_hit(unsigned thread, access_type, coherence::l2_state);
    void count_fill(const mshr&, coherence::fill_source);

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

    const std::uint8_t tile_;
    const parameters p_;
    const std::uint64_t is_last_level_;  // 1 or 0
    unsigned requested_for_ = 0;
    base::recorder_if* recorder_ = nullptr;
    base::ledger& ledger_;
    line_pins& pins_;
    network& network_;
    l1d_snoop_if* data_ = nullptr;
    l1i_snoop_if* code_ = nullptr;
    coherence::l2_agent agent_;
    coherence::uncached_agent uncached_;
    set_array<l2_line> array_;
    base::aligned_vector<coherence::line_data> bytes_;  // of each place of array_
    prefetcher prefetcher_;
    mshrs mshrs_;

    base::cycle_t now_ = 0;      // of the present call
    base::cycle_t leaves_ = 0;   // the cycle in which a message sent now leaves
    bool answering_ = false;     // the L2 is processing a message
    base::cycle_t free_at_ = 0;  // first cycle in which a lookup may start
    bool sent_ = false;
    bool owed_data_ = false, owed_code_ = false;  // the L2 has refused a request of the L1
    base::cycle_t retry_at_ = base::never;        // a pin expires, or has ended: there may be room
    base::fifo<arrival> inbox_;
    std::vector<coherence::message> deferred_;  // snoops of pinned lines
    std::vector<bus_unit_entry> bus_unit_;
    std::array<std::size_t, threads>
        flushed_{};  // per thread: the places that its flush has passed
};

}  // namespace knc::cache

#endif
