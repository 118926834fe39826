// The coherence controller of an L2: requests for its core, responses to snoops, evictions.
//
// Models: the table of l2_protocol.h applied to the lines of one tile, and the victim buffer. An
// evicted line stays there and responds to snoops until the home slice has acknowledged the
// eviction. Leaves out: the cache array (sets, ways, replacement, waiting accesses, data), which is
// behind l2_store; time: an action takes effect in the call, and the caller decides when. Source:
// docs/coherence.md. The capacity of the victim buffer is unverified.
#ifndef KNC_COHERENCE_L2_AGENT_H
#define KNC_COHERENCE_L2_AGENT_H

#include <vector>

#include <knc/coherence/address_hash.h>
#include <knc/coherence/l2_protocol.h>
#include <knc/coherence/port.h>

namespace knc::coherence {

// The place of a line in the cache: its state and its 64 bytes.
struct l2_slot {
    l2_state* state = nullptr;
    std::uint8_t* data = nullptr;
    explicit operator bool() const { return state != nullptr; }
};

// What the L1 data cache may keep of a line when the L2 takes its dirty data.
enum class l1_keeps : std::uint8_t { everything, readable, nothing };

// The cache array, as the agent uses it.
class l2_store {
  public:
    // The slot of the line in any state but I, also while a request for it is outstanding; empty if
    // there is none.
    virtual l2_slot find(line_t) = 0;
    // Copies what the L1 data cache has written to the line into the slot, and leaves the L1 caches
    // (`nothing`: the L1 instruction cache too) with no more than `keep`. Returns whether the L1
    // data cache had written to the line.
    virtual bool take_back(line_t, l2_slot, l1_keeps keep) = 0;
    // The request for the line is complete; `answer` is the data or grant message. The accesses
    // that wait for the line must execute inside this call, at least the one that made the request:
    // the next message may invalidate the line. The cache must not call the agent for this line.
    virtual void filled(line_t, l2_slot, const message& answer) = 0;
    // The tile owns the line without its data. The cache must write all of its bytes to the slot
    // inside this call; filled() follows. The present content of the slot is meaningless.
    virtual void overwrite(line_t, l2_slot) = 0;
    // Another tile took the line: the slot, now in state I, is free. Not called for a slot with an
    // outstanding request.
    virtual void lost(line_t, l2_slot) = 0;
    // The line has left the victim buffer: requests that received `wait` may be repeated.
    virtual void released(line_t) = 0;
    // A forward, invalidation or recall found the line in this state, after the L2 had taken the
    // L1's dirty data. The snoop events are counted here.
    virtual void snooped(line_t, l2_state found, const message&) = 0;

  protected:
    ~l2_store() = default;
};

struct l2_parameters {
    // Lines that may be in eviction at a time. Unverified.
    unsigned victim_entries = 8;
};

class l2_agent {
  public:
    enum class answer : std::uint8_t {
        hit,   // the access executes now
        sent,  // the request is outstanding; filled() completes it
        wait   // no request was sent: repeat after filled() or released() of this line
    };
    struct victim {
        line_t line = 0;
        l2_state state = l2_state::i;  // i: the entry is free
        line_data data{};
    };

    l2_agent(node_t tile, const address_hash& hash, l2_store& store, port& out,
             const l2_parameters& p = {}, const l2_table& table = standard_l2_table())
        : tile_(tile),
          hash_(hash),
          store_(store),
          out_(out),
          table_(table),
          victims_(p.victim_entries),
          tags_(p.victim_entries, no_line) {}

    // A core requests to read (data, code, prefetch) or write the line. `slot` is the line's, or a
    // free one in state I that becomes the line's if the result is `sent`. The caller may omit the
    // call for a hit that changes no state (readable(), or writable() and not E).
    answer request(line_t line, l2_slot slot, bool write) {
        return request(line, slot, write ? l2_event::write : l2_event::read);
    }
    // A core requests to write all bytes of a line of which neither the L2 nor the victim buffer
    // has a copy. `slot` is a free one and becomes the line's. overwrite() says when to write the
    // bytes.
    void request_i_to_m(line_t line, l2_slot slot) { apply(line, slot, l2_event::i_to_m, nullptr); }
    // The L1 data cache returns data it has written. The slot contains them already.
    void l1_wrote(line_t line, l2_slot slot) { apply(line, slot, l2_event::l1_dirty, nullptr); }
    // Whether evict() would succeed now: the line has no outstanding request and the victim buffer
    // has a free entry.
    bool may_evict(l2_state s) const {
        return table_.at(s, l2_event::evict).possible && used_ < victims_.size();
    }
    // Moves the line into the victim buffer and starts its eviction; the slot is free (state I)
    // afterwards. Does nothing and returns false if may_evict() is false.
    bool evict(line_t line, l2_slot slot);

    // Accepts a message for this L2: its kind's receiver is receiver_kind::l2.
    void receive(const message&);

    node_t tile() const { return tile_; }
    // The line's state in the victim buffer; I if it is not there.
    l2_state victim_state(line_t line) const;
    // Entries of the victim buffer in use.
    std::size_t victims_used() const { return used_; }
    // All entries, free ones included; for dumps, checkpoints and debug accesses.
    const std::vector<victim>& victims() const { return victims_; }
    // Replaces all entries; at most as many as the buffer has.
    void restore(const std::vector<victim>& entries);
    // Debug access: overwrites bytes of the line in the victim buffer, if it is there.
    void debug_write(line_t line, const std::uint8_t* data, byte_mask mask);

  private:
    static constexpr line_t no_line = ~line_t{0};

    victim* find_victim(line_t line);
    answer request(line_t line, l2_slot slot, l2_event e);
    void apply_message(const message&, l2_slot slot, bool in_cache);
    answer apply(line_t line, l2_slot slot, l2_event e, const message* cause);
    void send(l2_action a, line_t line, const std::uint8_t* data, const message* cause);
    [[gnu::cold]] void impossible(line_t line, l2_state s, l2_event e, const message* cause);

    node_t tile_;
    const address_hash& hash_;
    l2_store& store_;
    port& out_;
    const l2_table& table_;
    std::vector<victim> victims_;
    std::vector<line_t>
        tags_;  // the line of each victim, or no_line: the array that a search reads
    std::size_t used_ = 0;
};

}  // namespace knc::coherence

#endif
