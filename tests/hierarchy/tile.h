// A tile without a core: four threads that access a few lines at random through real caches, in the
// way a core does, and compare what they find with the truth.
//
// As in the core, a thread may use a granted line on a fast path until the caches withdraw the
// grant, and repeats an access that has to wait until it completes.
#ifndef KNC_TESTS_HIERARCHY_TILE_H
#define KNC_TESTS_HIERARCHY_TILE_H

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include <knc/cache/hierarchy.h>

#include "truth.h"

namespace knc::test {

struct access {
    enum kind_t : std::uint8_t {
        load,
        store,
        add,
        fence,
        code,
        prefetch,
        evict_l1,
        evict,
        flush,
        uncached_load,
        uncached_store,
        combine,  // a store to memory of type WC
        stream,   // a store of a whole line
        masked,   // a store of any bytes of a line at once
        kinds
    };
    kind_t kind = load;
    std::uint64_t paddr = 0;
    unsigned size = 0;  // may reach into the next line
    line_data data{};
    byte_mask bytes = 0;      // of a masked store
    bool ordered = false;     // of a streaming store
    bool keep_place = false;  // for further accesses
    cache::prefetch_request hint;
    bool cacheable = true;  // of a prefetch
};

class tile final : cache::l1_client_if, cache::network {
  public:
    struct outside {
        std::function<void(const coherence::message&, base::cycle_t)> send;
        std::function<void(const std::string&)> fail;
    };

    // `accesses` of each thread.
    tile(std::uint8_t number, const cache::parameters&, const coherence::address_hash&, truth&,
         std::uint64_t seed, std::uint64_t accesses, outside);

    base::cycle_t next_activity() const;
    // Runs all clocks before `end`.
    void run(base::cycle_t end);

    bool finished() const;
    // The first thread makes one more access: a flush.
    void flush(base::cycle_t);
    // Since when the access that has waited longest has been waiting, and what it is.
    base::cycle_t oldest() const;
    std::string describe() const;

    std::uint64_t fingerprint() const { return hash_; }
    const base::ledger& counts() const { return ledger_; }
    std::uint64_t done(access::kind_t k) const { return done_[k]; }
    // What is wrong with the counts, when everything has ended, or "". `streams`: the caches have a
    // stream prefetcher.
    std::string wrong_counts(bool streams) const;
    // A message of the protocol comes.
    void receive(const coherence::message&, base::cycle_t);

    cache::hierarchy& caches() { return caches_; }

  private:
    static constexpr unsigned threads = cache::hierarchy::threads;

    // What the tile has asked of its caches and got from outside, as far as events follow.
    struct tally {
        enum hint_t : std::uint8_t { vprefetch0, vprefetch1, vprefetch2, vprefetchnta, hints };
        std::array<std::array<std::uint64_t, 2>, hints> prefetches{};  // may be cached: [1]
        std::uint64_t read_by_prefetch = 0, by_vprefetch2 = 0;         // requests
        // Lines that came from memory, from another tile; those asked for to be written.
        std::uint64_t from_memory = 0, from_tiles = 0, to_write = 0;
    };

    struct place {
        std::uint8_t* read = nullptr;
        std::uint8_t* write = nullptr;
    };
    struct buffered {
        std::uint64_t paddr;
        unsigned size;
        line_data data;
    };
    struct piece {
        std::uint64_t paddr;
        unsigned offset, size;
        std::uint8_t* line = nullptr;
        bool waits = false;
    };
    struct thread {
        std::uint64_t random = 0;
        std::uint64_t left = 0;  // accesses
        access now;
        bool active = false;                    // `now` has begun
        bool told = false;                      // the caches know of it
        bool answered = false;                  // the uncached access has ended
        std::uint32_t under_way = 0;            // number of the uncached access, 0: none
        base::cycle_t at = 0;                   // next try; base::never: waits
        base::cycle_t since = 0;                // `now` began
        bool waits = false;                     // to be woken
        std::deque<buffered> stores;            // not performed
        std::map<line_t, line_data> unordered;  // streaming stores that are not ordered, likewise
        std::map<line_t, place> places;
    };

    std::uint64_t random(thread&);
    unsigned below(thread& t, unsigned n) { return static_cast<unsigned>(random(t) % n); }
    access choose(unsigned index);
    void attempt(unsigned index);
    bool perform(unsigned index);
    void prefetch(unsigned index);
    bool cached(unsigned index);
    bool fetch_code(unsigned index);
    bool uncached(unsigned index);
    bool combine(unsigned index);
    bool stream(unsigned index);
    bool masked(unsigned index);
    bool fence(unsigned index);
    bool wait(thread&, const cache::outcome&);
    unsigned cut(const access&, std::array<piece, 2>&) const;
    void expected(const thread&, std::uint64_t paddr, unsigned size, std::uint8_t*) const;
    void compare(unsigned index, std::uint64_t paddr, unsigned size, const std::uint8_t* found);
    void touch(std::uint8_t* line) const;
    unsigned key(unsigned index) const { return number_ * threads + index; }
    void note(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3; }
    void fail(unsigned index, const std::string& text) const;

    // cache::l1_client_if
    void data_not_writable(line_t, const std::uint8_t* host, unsigned granted) override;
    void data_lost(line_t, const std::uint8_t* host, unsigned granted) override;
    void code_lost(line_t) override {}
    void wake(unsigned thread, base::cycle_t clock) override;
    void stores_performed(unsigned thread) override;
    void stored(std::uint64_t paddr, unsigned size) override;
    bool holds_code(line_t line) const override { return decoded_.count(line) != 0; }
    void uncached_done(unsigned thread, std::uint32_t ticket, const cache::uncached_data&,
                       base::cycle_t) override;
    // cache::network
    void send(const coherence::message& m, base::cycle_t leaves) override {
        read_requests_ += m.kind == coherence::message_kind::get_s;
        write_requests_ += m.kind == coherence::message_kind::get_m;
        out_.send(m, leaves);
    }
    void protocol_error(const std::string& text) override { out_.fail(text); }

    unsigned number_;
    truth& truth_;
    outside out_;
    base::ledger ledger_;
    cache::hierarchy caches_;
    cache::l1d_if& l1d_ = caches_.l1d();
    cache::l1i_if& l1i_ = caches_.l1i();
    std::array<thread, threads> threads_;
    std::set<line_t> decoded_;
    base::cycle_t now_ = 0;  // first clock not run, or the one at work
    std::uint64_t hash_ = 0xcbf29ce484222325;
    std::array<std::uint64_t, access::kinds> done_{};
    tally tally_;
    std::uint64_t read_requests_ = 0, write_requests_ = 0;  // by whomever
};

}  // namespace knc::test

#endif
