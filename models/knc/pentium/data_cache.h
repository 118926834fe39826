// The data cache of a Pentium, with its write buffers.
//
// Models: lines of 32 bytes in the states M, E, S and I; fills by a burst of which the thread needs
// the first 8 bytes only; no allocation on a write; writes that miss go to the write buffers, and a
// write that hits waits for older ones there (strong write ordering); write-backs, inquiries from
// outside, accesses that may not be cached or lock the bus, WBINVD. Each access raises its events
// here, but those that count with the instruction (isa::access_counts). Leaves out: data. What is
// written is in memory at once: no other processor is there to see the difference. Source: Pentium
// Processor Family Developer's Manual, vol. 1; docs/p55c.md.
#ifndef KNC_PENTIUM_DATA_CACHE_H
#define KNC_PENTIUM_DATA_CACHE_H

#include <cstdint>
#include <utility>
#include <vector>

#include <knc/base/event.h>
#include <knc/cache/l1_if.h>
#include <knc/cache/set_array.h>
#include <knc/pentium/bus.h>
#include <knc/pentium/write_buffers.h>

namespace knc::pentium {

class code_cache;

class data_cache final : public cache::l1d_if {
  public:
    data_cache(const parameters&, bus&, base::ledger&);
    // `memory`: its first byte. Called before the first access.
    void connect(std::uint8_t* memory, cache::l1_client_if&, code_cache&);
    void reset();

    // cache::l1d_if: see there.
    unsigned bytes_of_line() const override { return line_bytes; }
    bool keeps_copies() const override { return true; }
    cache::outcome line_for_load(unsigned thread, cache::line_t, cache::charge,
                                 base::cycle_t now) override;
    cache::outcome line_for_update(unsigned thread, cache::line_t, cache::charge,
                                   base::cycle_t now) override;
    cache::outcome line_for_store(unsigned thread, cache::line_t, unsigned others,
                                  base::cycle_t now) override;
    void buffer_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                      base::cycle_t now) override;
    bool stores_wait(unsigned) const override { return draining_; }
    void forward_stores(unsigned, std::uint64_t, unsigned, std::uint8_t*) const override {}
    bool drained(unsigned) override {
        if (draining_) wanted_ = true;
        return !draining_;
    }
    bool combines() const override { return false; }
    bool room_to_combine(unsigned, cache::line_t, unsigned, base::cycle_t) override { return true; }
    void combine_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                       base::cycle_t now) override {
        buffer_store(thread, paddr, size, data, now);
    }
    void send_combined(unsigned, base::cycle_t) override {}
    cache::outcome streaming_store(unsigned thread, cache::line_t, const coherence::line_data&,
                                   bool ordered, base::cycle_t now) override;
    bool fenced(unsigned, base::cycle_t) override { return true; }
    void uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                  unsigned size, const std::uint8_t* data, base::cycle_t now) override;
    void prefetch(unsigned, cache::line_t, const cache::prefetch_request&, bool,
                  base::cycle_t) override {}
    void evict_from_l1(cache::line_t l, base::cycle_t now) override { remove(l, now); }
    void evict(cache::line_t, base::cycle_t now) override;
    bool flush(unsigned thread, base::cycle_t now) override;
    void completed(unsigned thread, base::cycle_t now) override;
    base::cycle_t next_event() const override;
    void process_due_events(base::cycle_t now) override;
    bool sent() override { return false; }

    // A fetch has missed: a modified line is written back and stays.
    void write_back(cache::line_t, base::cycle_t now);
    // An access from outside to the line: a read leaves it shared, a write invalidates it.
    void inquire(cache::line_t, bool write, base::cycle_t now);

    // For a waveform: write buffers in use.
    std::size_t buffered(base::cycle_t now) const { return buffers_.used(now); }

  private:
    enum class state : std::uint8_t { shared, exclusive, modified };
    struct data_line {
        base::cycle_t used, ready;  // the first clock in which all of it has arrived
        state is;
    };
    // A line that the present instruction has asked for: its first 8 bytes are there in `ready`,
    // whatever becomes of the line.
    struct fetched {
        cache::line_t line;
        base::cycle_t ready;
    };
    // A line that may not be cached, of an instruction that reads and writes it.
    struct borrowed {
        cache::line_t line;
        base::cycle_t ready;
        bool used;
    };
    struct write {
        std::uint64_t paddr;
        unsigned size;
    };
    // The answer to an access that is not cached.
    struct reply {
        bool due = false;
        unsigned thread = 0;
        std::uint32_t ticket = 0;
        cache::uncached_data data{};
        base::cycle_t at = base::never;
    };

    cache::outcome hit(cache::line_t) const;
    cache::outcome miss(unsigned thread, cache::line_t, cache::charge, base::cycle_t now);
    cache::outcome locked_load(unsigned thread, cache::line_t, base::cycle_t now);
    void count_miss(unsigned thread);
    cache::outcome borrow(cache::line_t, base::cycle_t now);
    cache::outcome ready_for_store(unsigned thread, cache::line_t, base::cycle_t now);
    cache::outcome delay(unsigned thread, cache::store_delay, base::cycle_t until);
    void perform(std::uint64_t paddr, unsigned size, const void* data);
    void write_back(data_line&, base::cycle_t now);
    void remove(cache::line_t, base::cycle_t now);

    bus& bus_;
    base::ledger& ledger_;
    std::uint8_t* memory_ = nullptr;
    cache::l1_client_if* client_ = nullptr;
    code_cache* code_ = nullptr;
    cache::set_array<data_line> lines_;
    write_buffers buffers_;
    bool draining_ = false;  // until the bus has nothing to do
    bool wanted_ = false;    // the thread waits for that
    reply reply_;
    std::vector<borrowed> borrowed_;
    // Of the present instruction: what it has fetched and written so far, in this attempt or an
    // earlier one, and whether it has waited for a free write buffer.
    std::vector<fetched> fetched_;
    std::vector<write> written_;
    bool waited_ = false;
};

}  // namespace knc::pentium

#endif
