// A slice of the tag directory, home of its share of the lines.
//
// Models: the table of directory_protocol.h applied to each line: one transaction at a time per
// line, a first-in first-out queue of the requests that arrive during it, a presence bit per tile,
// an owner. The slice accesses memory by messages to the line's controller. Leaves out: time (the
// caller of receive() decides it), limited capacity, other functions of the card's slices. Source:
// docs/coherence.md.
#ifndef KNC_COHERENCE_DIRECTORY_H
#define KNC_COHERENCE_DIRECTORY_H

#include <vector>

#include <knc/coherence/address_hash.h>
#include <knc/coherence/directory_protocol.h>
#include <knc/coherence/line_map.h>
#include <knc/coherence/line_transactions.h>
#include <knc/coherence/port.h>

namespace knc::coherence {

// A request in progress.
struct directory_transaction {
    message request;       // as it arrived
    line_data recalled{};  // data of the line that a write_once has recalled, if has_recalled
    bool has_recalled = false;
    std::uint8_t awaited = 0;  // responses to invalidations and recalls that are still to arrive
    node_t forwarder = no_node;
};

// All that a slice stores about a line: for dumps, checkpoints and tests.
struct directory_record {
    line_t line = 0;
    directory_state state = directory_state::gi;
    std::uint64_t holders = 0;  // bit n: tile n has a copy
    node_t owner = no_node;
    directory_transaction transaction;  // if the state is transient
    std::vector<message> queue;         // in order of arrival
};

class directory {
  public:
    // Selects which of `holders` (not 0) sends its data to `requester`, which is none of them.
    using forwarder_choice = node_t (*)(std::uint64_t holders, node_t requester);
    // The next holder, counting upwards from the requester and around. It is near the requester,
    // and the requests spread over the holders.
    static node_t next_holder(std::uint64_t holders, node_t requester);

    directory(node_t tile, const address_hash& hash, port& out,
              const directory_table& table = standard_directory_table(),
              forwarder_choice choice = next_holder)
        : tile_(tile), hash_(hash), out_(out), table_(table), choice_(choice) {}

    // Accepts a message for this slice: its kind's receiver is receiver_kind::directory.
    void receive(const message&);
    // One about this line is under way; see backward_end.
    void expect(line_t line) const { lines_.expect(line); }

    // The number of lines with a copy in a tile or a transaction in progress, and whether `line` is
    // one.
    std::size_t lines() const { return lines_.size(); }
    bool knows(line_t line) const { return lines_.find(line) != nullptr; }
    // What the slice stores about a line. A line without an entry is in GI.
    directory_record save(line_t line) const;
    // For a waveform: lines with a request in progress, requests that wait for the end of another
    // one; what save() tells of a line, without its transaction.
    std::size_t busy_lines() const { return work_.used(); }
    std::size_t queued() const { return work_.queued(); }
    struct summary {
        directory_state state = directory_state::gi;
        std::uint64_t holders = 0;
        node_t owner = no_node;
    };
    summary summary_of(line_t line) const {
        const entry* const e = lines_.find(line);
        return e != nullptr ? summary{e->state, e->holders, e->owner} : summary{};
    }
    // Calls visit(line, state) for each line that has an entry.
    template <class Visit>
    void for_each_line(Visit visit) const {
        lines_.for_each([&](line_t line, const entry& e) { visit(line, e.state); });
    }
    // Replaces what the slice stores about a line.
    void restore(const directory_record&);
    void clear();

    // Debug access: the line's data if an uncached write has recalled them and no other place has
    // them; nullptr otherwise.
    const std::uint8_t* debug_read(line_t line) const;
    // Debug access: overwrites bytes of every copy of the line's data in this slice.
    void debug_write(line_t line, const std::uint8_t* data, byte_mask mask);

  private:
    using transactions = line_transactions<directory_transaction>;
    static constexpr std::uint32_t none = transactions::none;

    struct entry {
        std::uint64_t holders = 0;
        std::uint32_t work = none;  // index in work_, while the state is transient
        node_t owner = no_node;
        directory_state state = directory_state::gi;
    };

    directory_event classify(const entry&, const message&);
    void step(entry&, const message&, directory_event);
    void perform(directory_action, entry&, directory_transaction&);
    void invalidate(directory_transaction&, std::uint64_t whom, node_t recalled);
    message about(const directory_transaction&, message_kind, node_t destination) const;
    [[gnu::cold, gnu::noinline]] void impossible(const entry&, const message&, directory_event);

    node_t tile_;
    const address_hash& hash_;
    port& out_;
    const directory_table& table_;
    forwarder_choice choice_;
    line_map<entry> lines_;
    transactions work_;
    directory_transaction at_once_;  // for a request that takes a single step
};

}  // namespace knc::coherence

#endif
