// A small machine for exhaustive exploration: the agents of the product, one-line caches, a network
// that may deliver any message next.
//
// Data are versions: each store writes a new one, and of every copy only matters whether it is the
// latest. A line has two words with versions of their own; cores write the first, uncached writes
// replace the second.
#ifndef KNC_TESTS_COHERENCE_WORLD_H
#define KNC_TESTS_COHERENCE_WORLD_H

#include <deque>
#include <string>
#include <vector>

#include <knc/cache/l3_cache.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/memory_agent.h>
#include <knc/coherence/uncached_agent.h>

namespace knc::coherence::test {

struct world_parameters {
    unsigned tiles = 3;         // at most 4
    std::vector<line_t> lines;  // one or two
    bool l1 = false;            // the L1 data cache writes to lines in E and M without asking
    bool uncached = false;      // a node without a cache reads and writes the lines
    bool i_to_m = false;        // stores of whole lines, too
    // Messages whose arrival commutes with everything else that may happen arrive at once.
    bool reduced = false;
    const l2_table* l2 = &standard_l2_table();
    const directory_table* home = &standard_directory_table();
    // Not nullptr: the slices are those of an L3, which may replace any line at any time.
    const l3_table* l3 = nullptr;
};

// Word w of a line is in byte word_byte[w].
inline constexpr unsigned words = 2;
inline constexpr std::size_t word_byte[words] = {0, 32};
inline constexpr byte_mask second_word = all_bytes << 32;
inline constexpr node_t uncached_node = first_agent;
inline constexpr std::uint8_t fresh = 255;  // what an uncached write brings, until it is committed

class world final : port, line_store, uncached_agent::observer {
  public:
    explicit world(const world_parameters&);
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    // What may happen next, apart from loads, which change nothing and are checked in every state.
    enum class step_kind : std::uint8_t {
        deliver,
        read,
        write,
        i_to_m,
        evict,
        l1_write_back,
        replace,  // by the L3
        uncached_read,
        uncached_write
    };
    struct step {
        step_kind kind;
        std::uint8_t tile = 0;    // of read, write, evict, l1_write_back
        std::uint8_t which = 0;   // message of deliver, otherwise line
        std::uint8_t choice = 0;  // which sharer forwards
    };
    // All steps of the present state, or if `reduced` and there is a step that commutes with all
    // others, now and later, only that. Some of them may turn out to have to wait.
    void steps(std::vector<step>&) const;
    // Returns whether anything was done.
    bool take(const step&);
    // Whether the last step could have taken another choice.
    bool had_choice() const;
    std::string describe(const step&) const;

    // Empty, or what is wrong with the present state or was wrong in a step.
    std::string check();
    const std::string& error() const { return error_; }
    bool quiescent() const;

    const world_parameters& parameters() const { return p_; }

    // The state, for the codec.
    class cache final : l2_store {
      public:
        cache(world& w, node_t tile);

        int line = -1;  // index of the line in the slot
        l2_state state = l2_state::i;
        line_data data{};
        bool l1_dirty = false;
        line_data l1{};  // if l1_dirty
        l2_agent agent;

        // What the core would read.
        const line_data& value() const { return l1_dirty ? l1 : data; }
        l2_slot slot() { return {&state, data.data()}; }

      private:
        friend class world;
        l2_slot find(line_t) override;
        bool take_back(line_t, l2_slot, l1_keeps) override;
        void filled(line_t, l2_slot, const message&) override;
        void overwrite(line_t, l2_slot) override;
        void lost(line_t, l2_slot) override;
        void released(line_t) override {}
        void snooped(line_t, l2_state, const message&) override {}
        world& world_;
    };
    std::deque<cache> caches;
    std::deque<directory> slices;
    std::deque<knc::cache::l3_cache> l3;  // instead
    std::vector<line_data> memory;        // per line
    std::vector<message> network;
    uncached_agent uncached;
    std::uint8_t latest[2][words];  // per line and word

    int index_of(line_t) const;
    directory& home_of(unsigned line) { return slices[homes_[line]]; }
    const directory& home_of(unsigned line) const { return slices[homes_[line]]; }
    knc::cache::l3_cache& l3_of(unsigned line) { return l3[homes_[line]]; }
    const knc::cache::l3_cache& l3_of(unsigned line) const { return l3[homes_[line]]; }
    node_t home_node(unsigned line) const { return homes_[line]; }

  private:
    void send(const message&) override;
    void protocol_error(const std::string& text) override { fail(text); }
    void read(line_t line, line_data& d) override { d = memory[index_of(line)]; }
    void write(line_t line, const line_data& d, byte_mask mask) override;
    void read_complete(line_t, const line_data&) override {}
    void write_complete(line_t) override {}

    void check_table();
    bool commutes(const message&) const;
    bool request(cache&, unsigned line, bool write);
    void store(cache&);
    bool current(unsigned line, const line_data& d) const;
    void check_line(unsigned line);
    void check_rest(unsigned line, bool busy);
    void check_l3(unsigned line);
    bool home_is_stable(unsigned line) const;
    void fail(const std::string& text) {
        if (error_.empty()) error_ = text;
    }

    world_parameters p_;
    address_hash hash_;
    std::vector<node_t> homes_;  // per line
    memory_agent controller_;
    std::string error_;
};

}  // namespace knc::coherence::test

#endif
