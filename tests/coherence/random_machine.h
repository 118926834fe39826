// Many tiles with tiny caches, random accesses, random delays of every message; each byte loaded is
// compared with the last one stored.
//
// Whoever stores holds the only copy, so stores to a line have an order in time, and a load must
// return exactly what the last store before it wrote: the tester keeps one flat image of all lines
// that each store updates when it is performed. An uncached write counts from when the home slice,
// rid of all copies, sends it to memory.
#ifndef KNC_TESTS_COHERENCE_RANDOM_MACHINE_H
#define KNC_TESTS_COHERENCE_RANDOM_MACHINE_H

#include <deque>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include <knc/coherence/debug_view.h>
#include <knc/coherence/memory_agent.h>

#include "random_tile.h"

namespace knc::coherence::test {

struct machine_parameters {
    unsigned tiles = 61;
    unsigned controllers = 8;
    unsigned lines = 24;
    unsigned sets = 2, ways = 2;  // of each L2
    unsigned l1_lines = 2;        // 0: no L1
    unsigned victim_entries = 2;
    unsigned threads = 2;
    unsigned longest_delay = 60;  // of most messages, in clocks; a few take ten times that
    const l2_table* l2 = &standard_l2_table();
    const directory_table* home = &standard_directory_table();
    // Not nullptr: the slices are those of an L3 with so many sets and ways each.
    const l3_table* l3 = nullptr;
    unsigned l3_sets = 2, l3_ways = 2;
    knc::cache::monitored_hit hit = knc::cache::monitored_hit::keep;
};
// Monitoring IDs in requests; an L3 tells apart all but one.
inline constexpr unsigned rmids = 5;

class random_machine final : port, line_store, uncached_agent::observer {
  public:
    random_machine(const machine_parameters& p, std::uint64_t seed);
    random_machine(const random_machine&) = delete;
    random_machine& operator=(const random_machine&) = delete;

    // Runs until `accesses` are complete and nothing is under way, empties all caches, compares
    // memory. Returns what went wrong first, or "".
    std::string run(std::uint64_t accesses);

    std::uint64_t messages() const { return sequence_; }
    std::uint64_t complete() const { return complete_; }

    // For the tiles.
    const machine_parameters& parameters() const { return p_; }
    const address_hash& hash() const { return hash_; }
    port& out() { return *this; }
    std::uint64_t now() const { return now_; }
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    void wake(node_t tile, unsigned thread, unsigned delay);
    access next_access(bool uncached_only);
    // A load, or the reading half of an atomic addition, found this.
    void check_loaded(node_t tile, const access& a, const line_data& found);
    // A store is performed.
    void commit(line_t line, const line_data& d, byte_mask mask);
    void count_access() { ++complete_; }
    void fail(const std::string& text) {
        if (error_.empty()) error_ = text;
    }

  private:
    static constexpr line_t first_line = 0x4000;
    static constexpr unsigned no_thread = ~0u;

    struct event {
        std::uint64_t clock, order;
        std::uint32_t message;  // in flight_, or none
        node_t tile;
        unsigned thread;
        bool operator>(const event& e) const {
            return clock != e.clock ? clock > e.clock : order > e.order;
        }
    };

    void send(const message&) override;
    void protocol_error(const std::string& text) override { fail(text); }
    void read(line_t line, line_data& d) override { d = memory_[line - first_line]; }
    void write(line_t line, const line_data& d, byte_mask mask) override {
        copy_bytes(memory_[line - first_line].data(), d.data(), mask);
    }
    void read_complete(line_t, const line_data&) override { host_.state = access_thread::idle; }
    void write_complete(line_t) override { host_.state = access_thread::idle; }

    bool drain();
    void deliver(const message&);
    void host_step();
    void debug_step();
    void watch(const access_thread& t, const char* who, unsigned number);
    void check_rest();
    void check_usage();
    bool writing(line_t line, node_t requester, access& a);

    machine_parameters p_;
    address_hash hash_;
    std::mt19937_64 random_;
    std::deque<random_tile> tiles_;
    std::vector<memory_agent> controllers_;
    uncached_agent host_agent_;
    access_thread host_;
    std::vector<line_data> memory_, image_;
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    std::vector<message> flight_;        // by number; kind `count`: free
    std::vector<std::uint32_t> unused_;  // numbers in flight_
    std::uint64_t now_ = 0, sequence_ = 0, complete_ = 0, wanted_ = 0;
    std::string error_;
};

}  // namespace knc::coherence::test

#endif
