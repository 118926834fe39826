// One GDDR5 interface: its banks, its command and data pins, the queue in front of them and the
// order in which the queue is served. All times in command clocks (CK).
//
// Models: open rows (open-page policy), the distances of commands a data sheet demands, one command
// per CK, bank groups, refresh of all banks, separate queues for reads and writes served first
// ready, first come (FR-FCFS) with writes gathered and drained together. Leaves out: data, ECC.
// The rules of the order, and where each comes from: docs/memory.md.
#ifndef KNC_MEMORY_GDDR5_CHANNEL_H
#define KNC_MEMORY_GDDR5_CHANNEL_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <knc/memory/gddr5_timing.h>

namespace knc::memory {

// How an interface is built and its queues are managed. None of the queue figures is published for
// Knights Corner: unverified.
struct gddr5_organisation {
    // Banks (at most 64) and bank groups, both powers of two: McCalpin 2013; JEDEC.
    std::uint32_t banks = 16;
    std::uint32_t groups = 4;
    // Bursts a line takes: 1 of 64 pins, 2 of 32.
    std::uint32_t bursts_per_line = 1;
    // Requests the interface holds at most, of each kind.
    std::uint32_t read_queue = 32;
    std::uint32_t write_queue = 32;
    // Writes waiting at which reads step back, and at which they take over again.
    std::uint32_t write_high = 24;
    std::uint32_t write_low = 8;
    // CK after which the oldest request goes before everything.
    ck_t age_limit = 625;
};

struct gddr5_request {
    std::uint64_t line = 0;   // names the line, for holds_write()
    std::uint64_t order = 0;  // position among all requests: strictly increasing
    std::uint64_t id = 0;     // handed back
    ck_t arrival = 0;         // when the interface may first act on it: never decreasing
    std::uint64_t row = 0;
    std::uint32_t bank = 0;  // the group is bank % groups
    bool write = false;
};

// The last data of a request were on the pins until CK `end`.
struct gddr5_transfer {
    std::uint64_t order, id;
    ck_t end;
    bool write;
};

struct gddr5_counts {
    std::uint64_t reads = 0, writes = 0;  // lines transferred
    // Of those: row open; bank closed; another row open. For the request that made the row open.
    std::uint64_t row_hits = 0, row_closed = 0, row_conflicts = 0;
    std::uint64_t activates = 0, precharges = 0, refreshes = 0;
    std::uint64_t turnarounds = 0;  // changes between reading and writing
    std::uint64_t data_ck = 0;      // CK the data pins were busy

    gddr5_counts& operator+=(const gddr5_counts&);
};

class gddr5_channel {
  public:
    // Throws std::invalid_argument for an organisation the comments above rule out.
    gddr5_channel(const gddr5_timing&, const gddr5_organisation&);

    bool has_room(bool write) const;
    // Is a write of `line`, which is in bank `in_bank`, waiting?
    bool holds_write(std::uint32_t in_bank, std::uint64_t line) const;
    // Only with has_room(); `arrival` not before the last run().
    void push(const gddr5_request&);

    // Issues every command before CK `until` and appends the transfers they complete. Running to b
    // at once or by way of a < b gives the same commands.
    void run(ck_t until, std::vector<gddr5_transfer>& done);

    // If nothing is pushed: no command for a request before this CK; ck_never if there is none.
    ck_t next_command() const;
    // Shortest time from a command to the end of a transfer it completes.
    ck_t shortest_transfer() const;
    const gddr5_counts& counts() const { return counts_; }

  private:
    enum class preparation : std::uint8_t { none, activate, precharge };
    struct entry {
        gddr5_request request;
        std::uint32_t bursts_left;
        preparation needed;
    };
    static constexpr std::size_t none = ~std::size_t{0};
    // The requests of one kind for one bank that have arrived, oldest first.
    struct bank_queue {
        std::vector<entry> entries;
        std::size_t hit = none, miss = none;  // the oldest for the open row, for another one
    };
    struct bank {
        bool open = false;
        std::uint64_t row = 0;
        // First CK a command may be given to this bank.
        ck_t activate = 0, precharge = 0;
        std::array<ck_t, 2> column{};  // read, write
        std::array<bank_queue, 2> queue;
    };
    // All requests of one kind.
    struct kind {
        std::size_t size = 0;      // those under way included
        std::size_t arrived = 0;   // those in the banks
        std::uint64_t banks = 0;   // bit b: bank b has some
        std::uint32_t oldest = 0;  // bank of the oldest arrived
    };
    // The oldest request has waited too long: its bank may close a row others wait for.
    struct privilege {
        bool granted = false;
        bool write = false;
        std::uint32_t bank = 0;
    };
    // What to do in this CK: the oldest request that can have a command of the kind.
    struct choice {
        std::uint64_t order = ~std::uint64_t{0};
        std::uint32_t bank = 0;
        void offer(std::uint64_t o, std::uint32_t b) {
            if (o < order) *this = {o, b};
        }
        bool made() const { return order != ~std::uint64_t{0}; }
    };

    void visit(ck_t now, std::vector<gddr5_transfer>& done);
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
    void close_row(ck_t now, bank&);
    // True if what is possible from CK `at` on is possible now; if not, it is looked at again then.
    bool may(ck_t at, ck_t now) {
        if (at > now) next_ = std::min(next_, at);
        return at <= now;
    }
    static void classify(bank&);
    void find_oldest(bool write);

    const gddr5_timing timing_;
    const gddr5_organisation organisation_;
    std::vector<bank> banks_;
    std::array<kind, 2> kinds_;         // reads, writes
    std::deque<gddr5_request> coming_;  // under way to the banks
    bool writing_ = false;              // which kind is served
    bool last_write_ = false;           // the last column command
    // First CK of a column command: by direction, by group.
    std::array<ck_t, 2> column_{};
    std::vector<ck_t> group_column_;
    // First CK of an activation: any; by the last four.
    ck_t activate_ = 0;
    std::array<ck_t, 4> four_activates_{};
    std::size_t activate_index_ = 0;
    ck_t refresh_due_;
    ck_t next_;  // first CK at which anything may happen
    gddr5_counts counts_;
};

}  // namespace knc::memory

#endif
