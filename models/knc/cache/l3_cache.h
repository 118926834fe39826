// A slice of the L3: home of its share of the lines, with their data.
//
// Models: the table of knc/coherence/l3_protocol.h applied to each line; one transaction at a time
// per line, a first-in first-out queue of the requests that arrive during it; sets, ways and
// replacement; inclusion of the L2s: a line that is replaced is taken from them; the monitoring ID
// of each line, and for each ID the number of its lines and its traffic with memory (docs/cmt.md).
// Requests for lines of a set in which every line is busy wait for one of these. Leaves out: time
// (the caller of receive() decides it); a limit on the evictions under way; hits in the L2s, which
// no replacement here knows of. Source: decisions, docs/coherence.md and docs/hierarchy.md.
#ifndef KNC_CACHE_L3_CACHE_H
#define KNC_CACHE_L3_CACHE_H

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/cache/l3_parameters.h>
#include <knc/cache/set_array.h>
#include <knc/coherence/address_hash.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/l3_protocol.h>
#include <knc/coherence/line_map.h>
#include <knc/coherence/line_transactions.h>
#include <knc/coherence/port.h>

namespace knc::cache {

// A request, or the replacement of a line, in progress.
struct l3_transaction {
    coherence::message request;  // as it arrived; of a replacement: only the line
    coherence::line_data held{};
    bool holds = false;        // `held` has the line, and is newer than memory
    bool recalled = false;     // `held` is newer than any other copy
    bool missed = false;       // the request has brought the line into the L3
    std::uint8_t awaited = 0;  // responses to invalidations and recalls that are still to arrive
    std::uint16_t rmid = 0;    // of the line held
    coherence::node_t forwarder = coherence::no_node;
};

// All that a slice stores about a line: for dumps and tests.
struct l3_record {
    coherence::line_t line = 0;
    coherence::l3_state state = coherence::l3_state::np;
    std::uint64_t holders = 0;  // bit n: tile n has a copy
    coherence::node_t owner = coherence::no_node;
    bool placed = false;   // a way is the line's
    bool present = false;  // it is in the L3; otherwise it is on its way there
    bool current = false;  // the L3 has had its data
    bool dirty = false;    // these were newer than memory
    std::uint16_t rmid = 0;
    coherence::line_data data{};
    l3_transaction transaction;             // if the state is transient
    std::vector<coherence::message> queue;  // in order of arrival
};

// What a slice counts for a monitoring ID.
struct l3_usage {
    std::uint64_t lines = 0;    // in the slice now
    std::uint64_t fetched = 0;  // read from memory since reset, by its requests
    std::uint64_t written = 0;  // written to memory since reset
    bool seen = false;          // a request has come with the ID since reset
};

class l3_cache {
  public:
    // The parameters must be possible, and the L3 must exist.
    l3_cache(coherence::node_t tile, const coherence::address_hash&, const l3_parameters&,
             coherence::port& out,
             const coherence::l3_table& table = coherence::standard_l3_table());
    // Accepts a message for this slice: its kind's receiver is receiver_kind::directory.
    void receive(const coherence::message&);
    // Replaces the line, which is stable and in the L3; otherwise returns false.
    bool evict(coherence::line_t);

    // The number of lines in the L3 or with a transaction in progress, and whether `line` is one.
    std::size_t lines() const { return lines_.size(); }
    bool knows(coherence::line_t line) const {
        return lines_.find(line) != nullptr ||
               std::any_of(parked_.begin(), parked_.end(),
                           [line](const coherence::message& m) { return m.line == line; });
    }
    // A line without an entry is in NP.
    l3_record save(coherence::line_t) const;
    void restore(const l3_record&);
    // No line is left; what is counted since reset stays.
    void clear();
    void reset_usage();
    // When no line is left.
    void serialize(base::archive&);
    // For a waveform: lines with a transaction in progress; requests that wait for another one, or
    // for a way.
    std::size_t busy_lines() const { return work_.used(); }
    std::size_t queued() const { return work_.queued(); }
    std::size_t parked() const { return parked_.size(); }
    struct summary {
        coherence::l3_state state = coherence::l3_state::np;
        std::uint64_t holders = 0;
        coherence::node_t owner = coherence::no_node;
    };
    summary summary_of(coherence::line_t) const;
    // Calls visit(line) for each line in the L3.
    template <class Visit>
    void each_line(Visit visit) const {
        for (const slot& s : slots_)
            if (s.present) visit(s.line);
    }

    // Usage by monitoring ID, from 0; that of lines whose ID is not monitored is in `others`.
    const std::vector<l3_usage>& usage() const { return usage_; }
    const l3_usage& others() const { return others_; }
    // Lines in the L3: the sum of usage().lines and others().lines.
    std::uint64_t present() const { return present_; }
    // The lines of each monitoring ID, and of others (last), by a walk through the tags.
    std::vector<std::uint64_t> walk() const;

    // Debug accesses.
    void view(coherence::debug_view&) const;
    void debug_write(coherence::line_t, const std::uint8_t* data, coherence::byte_mask);

  private:
    using transactions = coherence::line_transactions<l3_transaction>;
    static constexpr std::uint32_t none = transactions::none;
    struct way {
        base::cycle_t used = 0;
    };
    struct slot {
        coherence::line_data bytes{};
        coherence::line_t line = 0;
        std::uint16_t rmid = 0;
        bool present = false, current = false, dirty = false;
    };
    struct entry {
        std::uint64_t holders = 0;
        std::uint32_t work = none;  // index in work_, while the state is transient
        std::uint32_t slot = none;  // index in slots_
        coherence::node_t owner = coherence::no_node;
        coherence::l3_state state = coherence::l3_state::np;
    };
    coherence::line_t key(coherence::line_t line) const { return line / hash_.tiles(); }
    static bool replaceable(const entry& e) {
        return coherence::is_stable(e.state) && e.state != coherence::l3_state::np;
    }
    bool start(const coherence::message&);
    bool find_way(coherence::line_t);
    void replace(coherence::line_t);
    void settle(coherence::line_t);
    void start_next(coherence::line_t);
    bool admit_parked();
    void touch(entry&, const coherence::message&);
    coherence::l3_event classify(const entry&, const coherence::message&);
    void step(coherence::line_t, const coherence::message&, coherence::l3_event);
    void perform(coherence::l3_action, entry&, l3_transaction&, const coherence::message&);
    void invalidate(l3_transaction&, std::uint64_t whom, coherence::node_t recalled);
    void send(const l3_transaction&, coherence::message_kind, coherence::node_t to);
    void send_data(const entry&, const l3_transaction&, coherence::message_kind);
    void enter(entry&, l3_transaction&);
    void leave(entry&, l3_transaction&);
    void set_present(slot&, bool);
    l3_usage& usage_of(std::uint16_t rmid) { return rmid < usage_.size() ? usage_[rmid] : others_; }
    void impossible(const entry&, const coherence::message&, coherence::l3_event);

    const coherence::node_t tile_;
    const coherence::address_hash& hash_;
    const l3_parameters p_;
    coherence::port& out_;
    const coherence::l3_table& table_;
    set_array<way> array_;
    std::vector<slot> slots_;  // of the ways
    coherence::line_map<entry> lines_;
    transactions work_;
    l3_transaction at_once_;                 // for a request that takes a single step
    std::deque<coherence::message> parked_;  // requests that wait for a way, in order of arrival
    std::vector<line_t> unsettled_;          // lines whose transaction may have ended
    base::cycle_t uses_ = 0;                 // the time of replacement: it counts requests
    std::vector<l3_usage> usage_;
    l3_usage others_;
    std::uint64_t present_ = 0;
};

}  // namespace knc::cache

#endif
