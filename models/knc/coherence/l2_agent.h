// What an L2 does about coherence: requests for its core, answers to the directory, evictions.
//
// Models: the table of l2_protocol.h applied to the lines of one tile, and the victim buffer, where
// an evicted line stays, and answers for itself, until the home slice has acknowledged. Leaves out:
// the cache proper (sets, ways, replacement, waiting accesses, data), which is behind l2_store;
// time: everything happens in the call, and who calls decides when. Source: docs/coherence.md. The
// capacity of the victim buffer is unverified.
#ifndef KNC_COHERENCE_L2_AGENT_H
#define KNC_COHERENCE_L2_AGENT_H

#include <vector>

#include <knc/coherence/address_hash.h>
#include <knc/coherence/l2_protocol.h>
#include <knc/coherence/port.h>

namespace knc::coherence {

// Where the cache keeps a line: its state and its 64 bytes.
struct l2_slot {
    l2_state* state = nullptr;
    std::uint8_t* data = nullptr;
    explicit operator bool() const { return state != nullptr; }
};

// What the L1 data cache may keep of a line when its dirty data are taken back.
enum class l1_keeps : std::uint8_t { everything, readable, nothing };

// The cache, as the agent needs it.
class l2_store {
  public:
    // The slot of the line in any state but I, including those of a request under way; empty if
    // there is none.
    virtual l2_slot find(line_t) = 0;
    // Brings the line's data in the slot up to date with the L1 data cache and leaves the L1 caches
    // (`nothing`: the instruction cache too) with no more than `keep`. Returns whether the L1
    // data cache had written to it.
    virtual bool take_back(line_t, l2_slot, l1_keeps keep) = 0;
    // The request for the line is complete: `answer` is the data or grant message. Whatever waited
    // for it must be performed inside this call, at least the access that made the request: the
    // next message may take the line away. May not call back into the agent for this line.
    virtual void filled(line_t, l2_slot, const message& answer) = 0;
    // The line was claimed and is this tile's: all of its bytes are to be written to the slot
    // inside this call; filled() follows. What the slot holds is meaningless.
    virtual void overwrite(line_t, l2_slot) = 0;
    // Another tile took the line: the slot, now in state I, is free. Not called for a slot whose
    // request is under way.
    virtual void lost(line_t, l2_slot) = 0;
    // The line has left the victim buffer: requests that were told to wait may be made again.
    virtual void released(line_t) = 0;
    // A forward, invalidation or recall found the line in this state (after what the L1 had written
    // was taken back); for the snoop events.
    virtual void snooped(line_t, l2_state found, const message&) = 0;

  protected:
    ~l2_store() = default;
};

struct l2_parameters {
    // Lines that may have an eviction under way. Unverified.
    unsigned victim_entries = 8;
};

class l2_agent {
  public:
    enum class answer : std::uint8_t {
        hit,   // perform the access now
        sent,  // a request is under way; filled() ends it
        wait   // nothing was sent: ask again after filled() or released() of this line
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

    // A core wants to read (data, code, prefetch) or write the line. `slot` is the line's, or a
    // free one in state I that becomes the line's if the answer is `sent`. On a hit that needs no
    // change of state (readable(), writable() and not E) the call may be left out.
    answer request(line_t line, l2_slot slot, bool write) {
        return request(line, slot, write ? l2_event::write : l2_event::read);
    }
    // A core wants to write all bytes of a line of which there is no copy, in the L2 or the victim
    // buffer: `slot` is a free one, and becomes the line's. overwrite() says when to write them.
    void claim(line_t line, l2_slot slot) { apply(line, slot, l2_event::claim, nullptr); }
    // The L1 data cache gives back data it wrote, already copied into the slot.
    void l1_wrote(line_t line, l2_slot slot) { apply(line, slot, l2_event::l1_dirty, nullptr); }
    // Whether evict() would succeed now: the line has no request under way and the victim buffer
    // has room.
    bool may_evict(l2_state s) const {
        return table_.at(s, l2_event::evict).possible && used_ < victims_.size();
    }
    // Moves the line into the victim buffer and starts its eviction; the slot is free (state I)
    // afterwards. Returns false, and does nothing, if may_evict() does not hold.
    bool evict(line_t line, l2_slot slot);

    // A message for the L2 of this tile (its kind's receiver is receiver_kind::l2).
    void receive(const message&);

    node_t tile() const { return tile_; }
    // The state the line has in the victim buffer, I if it is not there.
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
    void impossible(line_t line, l2_state s, l2_event e, const message* cause);

    node_t tile_;
    const address_hash& hash_;
    l2_store& store_;
    port& out_;
    const l2_table& table_;
    std::vector<victim> victims_;
    std::vector<line_t> tags_;  // the line of each victim, or no_line: what a search reads
    std::size_t used_ = 0;
};

}  // namespace knc::coherence

#endif
