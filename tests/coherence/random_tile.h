// A tile of the random tester: a very small L1 and L2, a few threads with an access each.
#ifndef KNC_TESTS_COHERENCE_RANDOM_TILE_H
#define KNC_TESTS_COHERENCE_RANDOM_TILE_H

#include <optional>
#include <vector>

#include <knc/cache/l3_cache.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/uncached_agent.h>

namespace knc::coherence::test {

class random_machine;

// An access of a thread to some bytes of a line.
struct access {
    enum kind_t : std::uint8_t {
        load,
        store,
        add,
        store_line,
        prefetch,
        prefetch_to_write,
        evict,
        uncached_load,
        uncached_store
    };
    kind_t kind = load;
    line_t line = 0;
    byte_mask mask = 0;
    line_data data{};  // of stores
};
struct access_thread {
    enum state_t : std::uint8_t { idle, waiting, i_to_m, uncached };
    state_t state = idle;
    access now;
    std::uint64_t since = 0;  // the clock it was first tried
};

class random_tile final : l2_store, uncached_agent::observer {
  public:
    random_tile(random_machine& m, node_t number);

    // Tries the access of a thread that is not waiting.
    void try_access(unsigned thread);
    void receive(const message&);

    std::vector<access_thread> threads;
    directory slice;
    std::optional<knc::cache::l3_cache> l3;  // instead
    // Starts the replacement of every line of the L3; returns whether there was any.
    bool empty_l3();

    // Starts the eviction of every line that may be evicted; returns whether any line is left.
    bool evict_all();
    // Offers what the tile has of the line.
    void debug_read(debug_view& view);
    void debug_write(line_t line, const std::uint8_t* data, byte_mask mask);
    // Whether a thread has requested ownership without data and will write just these bytes.
    bool will_write(line_t line, const line_data&) const;
    // The state of the line in the cache, I if it is not there or in the victim buffer.
    l2_state state_of(line_t line) const;
    bool at_rest() const;

  private:
    static constexpr line_t none = ~line_t{0};
    struct way {
        line_t line = none;
        l2_state state = l2_state::i;
        line_data data{};
    };
    struct l1_line {
        line_t line = none;
        bool dirty = false;
        line_data data{};
    };

    l2_slot find(line_t) override;
    bool take_back(line_t, l2_slot, l1_keeps) override;
    void filled(line_t, l2_slot, const message&) override;
    void overwrite(line_t, l2_slot) override;
    void lost(line_t, l2_slot) override;
    void released(line_t) override;
    void snooped(line_t, l2_state, const message&) override {}
    void read_complete(line_t, const line_data&) override;
    void write_complete(line_t) override;

    static l2_slot slot_of(way& w) { return {&w.state, w.data.data()}; }
    way* find_way(line_t);
    l1_line* find_l1(line_t);
    way* allocate(line_t);
    access_thread* streaming_thread(line_t);
    const access_thread* streaming_thread(line_t line) const {
        return const_cast<random_tile*>(this)->streaming_thread(line);
    }
    static bool writes(const access& a) {
        return a.kind == access::store || a.kind == access::add || a.kind == access::store_line ||
               a.kind == access::prefetch_to_write;
    }
    void try_cached(access_thread&, unsigned thread);
    void perform(access_thread&, way&);
    line_data& l1_for(way&, bool write);
    void finish(access_thread&);
    void end_uncached(line_t, access::kind_t);

    random_machine& machine_;
    l2_agent agent_;
    uncached_agent uncached_;
    std::vector<way> ways_;
    std::vector<l1_line> l1_;
};

}  // namespace knc::coherence::test

#endif
