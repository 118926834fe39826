// One GDDR5 interface: its banks, its command and data pins, its request queues and their
// scheduling. All times are in command clocks (CK).
//
// Models: open rows (open-page policy), the command distances of a data sheet, one command per CK,
// bank groups, refresh of all banks, separate queues for reads and writes. The scheduler is
// first-ready, first-come first-served (FR-FCFS); it collects writes and drains them together.
// Leaves out: data, ECC. Source: docs/memory.md has the scheduling rules and the source of each.
#ifndef KNC_MEMORY_GDDR5_CHANNEL_H
#define KNC_MEMORY_GDDR5_CHANNEL_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/fifo.h>
#include <knc/memory/gddr5_timing.h>

namespace knc::memory {

// The organisation of an interface and of its queues. No queue size is published for Knights
// Corner: unverified.
struct gddr5_organisation {
    // Banks (at most 64) and bank groups, both powers of two. Source: McCalpin 2013; JEDEC.
    std::uint32_t banks = 16;
    std::uint32_t groups = 4;
    // Bursts per line: 1 with 64 pins, 2 with 32.
    std::uint32_t bursts_per_line = 1;
    // Capacity of the two queues.
    std::uint32_t read_queue = 32;
    std::uint32_t write_queue = 32;
    // The number of waiting writes at which the interface switches to writes, and at which it
    // switches back to reads.
    std::uint32_t write_high = 24;
    std::uint32_t write_low = 8;
    // The age in CK at which the oldest request has priority over all others.
    ck_t age_limit = 625;
};

struct gddr5_request {
    std::uint64_t line = 0;   // identifies the line, for holds_write()
    std::uint64_t order = 0;  // position among all requests: strictly increasing
    std::uint64_t id = 0;     // returned with the transfer
    ck_t arrival = 0;         // the first CK in which it may be served; never decreasing
    std::uint64_t row = 0;
    std::uint32_t bank = 0;  // the group is bank % groups
    bool write = false;
};

// A completed request. Its last column command was issued in CK `command`, and its last data were
// on the pins until CK `end`.
struct gddr5_transfer {
    std::uint64_t order, id, line;
    ck_t command, end;
    bool write;
};

struct gddr5_counts {
    std::uint64_t reads = 0, writes = 0;  // lines transferred
    // Of these lines, how many found their row open, their bank closed, another row open. The
    // request that opened the row counts as one of the latter two.
    std::uint64_t row_hits = 0, row_closed = 0, row_conflicts = 0;
    std::uint64_t activates = 0, precharges = 0, refreshes = 0;
    std::uint64_t turnarounds = 0;  // changes between reads and writes
    std::uint64_t data_ck = 0;      // CK in which the data pins were busy

    gddr5_counts& operator+=(const gddr5_counts&);
};

class gddr5_channel {
  public:
    // Throws std::invalid_argument for values outside the ranges in the comments above.
    gddr5_channel(const gddr5_timing&, const gddr5_organisation&);

    // Whether there is room for one more and `others` which are not in the queue.
    bool has_room(bool write, std::size_t others = 0) const;
    // Whether a write of `line`, which is in bank `in_bank`, is queued.
    bool holds_write(std::uint32_t in_bank, std::uint64_t line) const;
    // Call it only if has_room(). `arrival` must not be before the end of the last run().
    void push(const gddr5_request&);

    // Issues all commands before CK `until` and appends the transfers that they complete. The
    // result does not depend on how the CKs are split into calls.
    void run(ck_t until, std::vector<gddr5_transfer>& done);

    // If no request is pushed, no command for a request is issued before this CK; ck_never if there
    // is no request.
    ck_t next_command() const;
    // The shortest time from a command to the end of a transfer that it completes.
    ck_t shortest_transfer() const;
    // If no request is pushed, no write ends before this CK, and no read `after_read` before it;
    // ck_never if there is no request. For the only request it is the end, unless a refresh delays
    // it.
    ck_t next_end(ck_t after_read) const;
    const gddr5_counts& counts() const { return counts_; }
    // For a waveform: requests in the queues, banks with an open row (bit n: bank n), and whether
    // writes are being served.
    struct occupancy {
        std::size_t reads = 0, writes = 0;
        std::uint64_t open_banks = 0;
        bool writing = false;
    };
    occupancy used() const;

  private:
    enum class preparation : std::uint8_t { none, activate, precharge };
    struct entry {
        gddr5_request request;
        std::uint32_t bursts_left;
        preparation needed;
    };
    static constexpr std::size_t none = ~std::size_t{0};
    static constexpr std::uint64_t no_row = ~std::uint64_t{0};
    // The requests of one kind for one bank, oldest first.
    struct bank_queue {
        std::vector<entry> entries;
        std::size_t arrived = 0;  // the number of those that have arrived, which come first
        std::size_t hit = none, miss = none;  // of these the oldest for the open and another row
    };
    struct bank {
        std::uint64_t row = no_row;  // that is open
        // The first CK in which the bank accepts the command.
        ck_t activate = 0, precharge = 0;
        std::array<ck_t, 2> column{};  // read, write
        std::array<bank_queue, 2> queue;
    };
    // All requests of one kind.
    struct kind {
        std::size_t size = 0;      // includes those that have not arrived in a bank
        std::size_t arrived = 0;   // those that have arrived in a bank
        std::uint64_t banks = 0;   // bit b: bank b has requests that have arrived
        std::uint32_t oldest = 0;  // the bank of the oldest one that has arrived
    };
    // A request that has not arrived in its bank.
    struct arrival {
        ck_t at;
        std::uint32_t bank;
        bool write;
    };
    // The oldest request has reached the age limit: its bank may close a row that others wait for.
    struct privilege {
        bool granted = false;
        bool write = false;
        std::uint32_t bank = 0;
    };
    // The scheduler's choice in this CK: the oldest request that can issue a command of the kind.
    struct choice {
        std::uint64_t order = ~std::uint64_t{0};
        std::uint32_t bank = 0;
        void offer(std::uint64_t o, std::uint32_t b) {
            if (o < order) *this = {o, b};
        }
        bool made() const { return order != ~std::uint64_t{0}; }
    };

    void visit(ck_t now, ck_t until, std::vector<gddr5_transfer>& done);
    // The first CK with any activity after a command. After the last request, the next CK only ends
    // a phase of writes.
    ck_t after_command(ck_t now) const { return idle() && !writing_ ? refresh_due_ : now + 1; }
    void serve_only(ck_t now, ck_t until, std::vector<gddr5_transfer>& done);
    bool idle() const { return kinds_[0].size + kinds_[1].size == 0; }
    bool has_one_request() const { return kinds_[0].size + kinds_[1].size == 1; }
    void skip_idle_refreshes(ck_t until);
    void refresh(ck_t now);
    void accept(ck_t now);
    privilege look_for_aged(ck_t now);
    void choose_direction(const privilege&);
    bool gives_way(std::uint32_t index, const privilege&) const;
    void serve(ck_t now, const privilege&, std::vector<gddr5_transfer>& done);
    void transfer(ck_t now, std::uint32_t index, std::vector<gddr5_transfer>& done);
    void remove(std::uint32_t index, std::size_t position);
    void open_row(ck_t now, std::uint32_t index);
    void close_row(ck_t now, std::uint32_t index);
    // Whether an action that is possible from CK `at` on is possible now. If not, schedules a visit
    // at `at`.
    bool may(ck_t at, ck_t now) {
        if (at > now) next_ = std::min(next_, at);
        return at <= now;
    }
    // Calls visit(index) for each bank whose bit is set.
    template <class Visit>
    static void each_bank(std::uint64_t banks, Visit visit) {
        for (; banks != 0; banks &= banks - 1)
            visit(static_cast<std::uint32_t>(__builtin_ctzll(banks)));
    }
    static void classify(const bank&, bank_queue&);
    static void classify(bank&);
    void find_oldest(bool write);
    ck_t only_column(bool write) const;
    std::uint32_t group_of(std::uint32_t index) const { return index & (organisation_.groups - 1); }
    // The first CK in which bank `index` may have the command: the column command for its open row,
    // an ACT, the PRE or ACT for another row.
    ck_t column_at(std::uint32_t index, bool write) const {
        return std::max(
            {banks_[index].column[write], column_[write], group_column_[group_of(index)]});
    }
    ck_t activate_at(const bank& b) const {
        return std::max({b.activate, activate_, four_activates_[activate_index_]});
    }
    ck_t row_at(const bank& b) const { return b.row != no_row ? b.precharge : activate_at(b); }

    const gddr5_timing timing_;
    const gddr5_organisation organisation_;
    std::vector<bank> banks_;
    std::uint64_t open_banks_ = 0;  // bit n: bank n has an open row
    std::array<kind, 2> kinds_;     // reads, writes
    base::fifo<arrival> coming_;    // in order
    bool writing_ = false;          // the kind being served
    bool last_write_ = false;       // the last column command was a write
    // The first CK for a column command: per direction, per group.
    std::array<ck_t, 2> column_{};
    std::vector<ck_t> group_column_;
    // The first CK for an activation: after any other or a refresh, and after the last four (tFAW).
    ck_t activate_ = 0;
    std::array<ck_t, 4> four_activates_{};
    std::size_t activate_index_ = 0;
    // The first CK in which all banks accept an activation, and so a refresh.
    ck_t all_activate_ = 0;
    ck_t refresh_due_;
    ck_t next_;  // the first CK with any activity
    gddr5_counts counts_;
};

}  // namespace knc::memory

#endif
