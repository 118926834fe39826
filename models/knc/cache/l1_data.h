// The L1 data cache of a tile, with the buffers between it and the threads: store buffers,
// write-combining buffers, streaming stores, uncached accesses.
//
// Models: lookups with their events, write-back, pins, stores performed in program order (x86-TSO),
// weakly ordered stores, uncached accesses, prefetch instructions. State changes in the cycle of
// its cause. Time appears as the cycle in which a thread may repeat an access. Leaves out: the
// number of lookups that one port can serve in a cycle, ECC. Source: knc fact sheet 4; decisions:
// docs/hierarchy.md.
#ifndef KNC_CACHE_L1_DATA_H
#define KNC_CACHE_L1_DATA_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <knc/base/event.h>
#include <knc/cache/l1_if.h>
#include <knc/cache/levels_if.h>
#include <knc/cache/line_pins.h>
#include <knc/cache/lines.h>
#include <knc/cache/parameters.h>
#include <knc/cache/set_array.h>
#include <knc/cache/store_buffer.h>
#include <knc/cache/write_combining_buffers.h>
#include <knc/coherence/debug_view.h>

namespace knc::cache {

class l1_data final : public l1d_if, public l1d_snoop_if, public l1d_stores_if {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    // The parameters must be possible; see impossible(). `pins` are those of the tile.
    l1_data(const parameters&, base::ledger&, line_pins& pins);
    // Called before the first access.
    void connect(l1_client_if&, l2_if&, l1i_copies_if&);

    // l1d_if: see there.
    bool keeps_copies() const override { return true; }
    outcome line_for_load(unsigned thread, line_t, charge, base::cycle_t now) override;
    outcome line_for_update(unsigned thread, line_t, charge, base::cycle_t now) override;
    outcome line_for_store(unsigned thread, line_t, unsigned others, base::cycle_t now) override;
    void buffer_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                      base::cycle_t now) override;
    void forward_stores(unsigned thread, std::uint64_t paddr, unsigned size,
                        std::uint8_t* data) const override {
        stores_[thread].forward(paddr, size, data);
    }
    bool drained(unsigned thread) override;
    bool stores_wait(unsigned thread) const override { return !stores_[thread].empty(); }
    bool combines() const override { return p_.write_combining_buffers != 0; }
    bool room_to_combine(unsigned thread, line_t, unsigned others, base::cycle_t now) override;
    void combine_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                       base::cycle_t now) override;
    void send_combined(unsigned thread, base::cycle_t now) override;
    outcome streaming_store(unsigned thread, line_t, const coherence::line_data&, bool ordered,
                            base::cycle_t now) override;
    bool fenced(unsigned thread, base::cycle_t now) override;
    void uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                  unsigned size, const std::uint8_t* data, base::cycle_t now) override;
    void prefetch(unsigned thread, line_t, const prefetch_request&, bool cacheable,
                  base::cycle_t now) override;
    void evict_from_l1(line_t, base::cycle_t now) override;
    void evict(line_t line, base::cycle_t now) override { l2_->evict(line, now); }
    bool flush(unsigned thread, base::cycle_t now) override;
    void completed(unsigned thread, base::cycle_t now) override;
    base::cycle_t next_event() const override { return std::min(next_ready_, l2_->next_event()); }
    void process_due_events(base::cycle_t now) override;
    bool sent() override { return l2_->sent(); }

    // l1_fill_if, l1d_snoop_if
    void fill(const line_fill&, base::cycle_t now) override;
    void retry(base::cycle_t now) override;
    bool take_back(line_t, std::uint8_t* bytes, coherence::l1_keeps, base::cycle_t now) override;
    bool write_owned(line_t, std::uint8_t* bytes) const override;
    void filled(base::cycle_t now) override;
    void read_complete(line_t, const coherence::line_data&, base::cycle_t now) override;
    void write_complete(line_t, base::cycle_t now) override;

    // l1d_stores_if
    const store_buffer& stores(unsigned thread) const override { return stores_[thread]; }
    void clean(line_t, base::cycle_t now) override;

    // For a waveform: the state of a line in cycle `now`.
    enum class line_state : std::uint8_t { invalid, shared, exclusive, modified, arriving };
    line_state state(line_t, base::cycle_t now) const;

    // Debug accesses: the copy of a line, nullptr if there is none; streaming stores to it; a write
    // to every copy of it.
    const std::uint8_t* copy_of(line_t) const;
    void view_i_to_m_stores(coherence::debug_view&) const;
    void debug_write(line_t, const std::uint8_t* data, coherence::byte_mask);

  private:
    // When the first store of a thread's buffer may be performed, and whether the thread waits.
    struct store_wait {
        base::cycle_t ready =
            base::never;      // base::never: the line or the L2's room is still missing
        bool wanted = false;  // the thread waits for a free or an empty buffer
    };
    // A streaming store that has requested ownership of its line without the data (ItoM).
    struct i_to_m_store {
        line_t line;
        coherence::line_data data;
        std::uint8_t thread;
        bool ordered;  // it is the first store of the store buffer
    };
    struct uncached_access {
        line_t line = 0;
        std::uint32_t ticket = 0;
        uncached_data data{};
        std::uint8_t thread = 0, offset = 0, size = 0;
        bool write = false;
        bool started = false;
    };
    // An outstanding prefetch to the L1.
    struct l1_prefetch {
        line_t line;
        bool counted;
        bool non_temporal;
    };

    // What the L1 has of a line. Usable: it is ready.
    struct found {
        l1_line* line;
        bool usable;
    };
    found find(line_t line, base::cycle_t now) {
        l1_line* const l = array_.find(line);
        return {l, l != nullptr && l->ready <= now};
    }
    static outcome grant(l1_line& l, unsigned thread, base::cycle_t now) {
        l.used = now;
        l.users |= static_cast<std::uint8_t>(1u << thread);
        return outcome::hit(l.bytes.data());
    }
    outcome miss(unsigned thread, line_t, const found&, access_type, charge, base::cycle_t now);
    l1_line& install(const line_fill&, base::cycle_t now);
    void write_back(line_t, l1_line&, bool evicted, base::cycle_t now);
    void replace(l1_line&, base::cycle_t now);
    // A store changes the line.
    void own(line_t line, l1_line& l) {
        l.dirty = true;
        if (std::exchange(l.in_code, false)) code_->drop(line);
    }
    void count_miss(unsigned thread, line_t, bool write);
    // The thread's load has its data of the line from there, unless that was known before.
    void note_source(unsigned thread, line_t, base::data_source, base::cycle_t now);
    void served_by_l3(unsigned thread, line_t);

    // stores.cpp
    void enter_buffer(unsigned thread, line_t, base::cycle_t now);
    void drain(unsigned thread, bool as_filled, base::cycle_t now);
    void set_ready(unsigned thread, base::cycle_t);
    base::cycle_t ask_for_store(unsigned thread, line_t, base::cycle_t now);
    base::cycle_t ask_for_first(unsigned thread, const store_buffer::entry&, base::cycle_t now);
    // weakly_ordered_stores.cpp
    void start_combined(base::cycle_t now);
    bool combined(line_t, base::cycle_t now);
    std::vector<i_to_m_store>::iterator find_i_to_m_store(line_t);
    void end_i_to_m_store(line_t, base::cycle_t now);
    void wake_if_wanted(unsigned thread, base::cycle_t cycle);
    // uncached.cpp
    void start_uncached(base::cycle_t now);
    std::vector<uncached_access>::iterator find_started(line_t);
    void end_uncached(std::vector<uncached_access>::iterator, base::cycle_t now);

    const parameters p_;
    base::ledger& ledger_;
    line_pins& pins_;
    l1_client_if* client_ = nullptr;
    l2_if* l2_ = nullptr;
    l1i_copies_if* code_ = nullptr;
    set_array<l1_line> array_;
    std::array<store_buffer, threads> stores_;
    std::array<store_wait, threads> waits_;
    base::cycle_t next_ready_ = base::never;  // the earliest `ready` of waits_
    std::array<write_combining_buffers, threads> combining_;
    std::vector<i_to_m_store> i_to_m_stores_;
    std::vector<uncached_access> uncached_;
    std::vector<l1_prefetch> prefetches_;
    // Bit n: thread n, or the first store of its buffer, waits until the L2 has room.
    std::uint8_t refused_ = 0, refused_stores_ = 0;
    // Per thread: the lines whose miss its present instruction has counted, and where they come
    // from, as far as they are loaded (l1: not known).
    struct missed_line {
        line_t line;
        base::data_source from = base::data_source::l1;
    };
    std::array<std::vector<missed_line>, threads> counted_;
};

}  // namespace knc::cache

#endif
