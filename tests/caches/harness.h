// Micro-kernels of the caches: small programs on the threads of a card, and every event of the
// caches they raise.
//
// A kernel is one program per thread: 64-bit code, memory below 8 MB mapped one to one by pages of
// 2 MB that the TLBs know (two pages of 4 KB behind it, which they do not know, and the second of
// which was never accessed), interrupts off, EAX and EDX 0. All start in the same clock, give or
// take those of a short loop, and each is ended by HLT, so that the run ends when nothing can
// happen any more. What is expected of it are counts by thread, from the start on; an event of the
// caches (watched()) that is not listed for a thread is expected to stay at zero on it. Programs
// that must come one after the other wait for a clock their predecessors are sure to be done by.
//
// The code itself goes through the caches. Programs run every line of their text, whose sets no
// data of a kernel falls into; so each thread raises, beside what its kernel lists, for each line
//
//     CODE_CACHE_MISS, L2_READ_MISS, L2_CODE_READ_MISS_MEM_FILL
//
// These are left out of the lists, and of what a kernel is said to raise (events.cpp).
//
// Unless a kernel tunes it, the stream prefetcher is off.
#ifndef KNC_TESTS_CACHES_HARNESS_H
#define KNC_TESTS_CACHES_HARNESS_H

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/base/event.h>
#include <knc/card/card.h>

#include "assembly.h"
#include "counters.h"

namespace knc::caches {

using card::test::program;

// Events, with how often each is raised.
class counts {
  public:
    counts() = default;
    counts(base::event e, std::uint64_t n = 1) { n_[e] = n; }
    std::uint64_t operator[](base::event e) const { return n_[e]; }
    friend counts operator+(counts a, const counts& b) {
        for (std::size_t e = 0; e < a.n_.size(); ++e) a.n_[e] += b.n_[e];
        return a;
    }
    friend counts operator*(std::uint64_t n, counts c) {
        for (std::uint64_t& each : c.n_) each *= n;
        return c;
    }

  private:
    base::event_row n_{};
};

// Loads and stores, one for each line they touch. What follows contains its own.
counts loads(std::uint64_t n);
counts stores(std::uint64_t n);
// A demand load or store that finds no valid line in the L1D.
counts read_miss();
counts write_miss();
// Such a load that misses the L2, too, and is filled by memory or by another tile's L2; such a
// store; a code fetch that finds its line in neither cache.
counts read_from_memory();
counts read_from_tile();
counts written_from_memory();
counts written_from_tile();
counts code_from_memory();
counts code_from_tile();

// The events kernels of the caches are compared by.
bool watched(base::event);

struct guest {
    unsigned tile, thread;
    program text;
};
// Code or data at an address of their own.
struct placed {
    std::uint32_t address;
    program text;
};
// What a thread of a tile raises. Events that belong to no thread: what its tile raises.
struct share {
    unsigned tile, thread;
    counts raised;
    // Of a program that looks at a word until another thread has written it: where it leaves the
    // number of its loads, which takes the place of those in `raised`.
    std::uint32_t loads_at = 0;
};

class machine : public sc_core::sc_module {
  public:
    // `armed`: from the start of the programs on.
    machine(sc_core::sc_module_name, const card::parameters&, std::vector<guest>,
            std::vector<placed>, armed_counters armed = {});
    // To the end, which is a failure unless every thread has halted.
    void run() { run({this}); }
    // Machines that differ in what is armed at most: they come to their ends at one time.
    static void run(const std::vector<machine*>&);
    // Since the start of the programs.
    std::uint64_t count(unsigned tile, unsigned thread, base::event e) const {
        return total(tile, thread, e) - before_[tile][thread][e];
    }
    // Sum over the threads of a tile.
    std::uint64_t count(unsigned tile, base::event) const;
    // The armed counters have counted the same.
    void expect_counters_agree();
    std::uint32_t read(std::uint32_t address);
    card::card& whole() { return card_; }
    // Lines of code all threads have run.
    static std::uint64_t code_lines(const guest&);

  private:
    void start_of_simulation() override;
    void start();
    void settle();
    void expect_halted();
    void put(std::uint32_t address, const void* data, std::size_t size);
    void put(std::uint32_t address, const program& p) {
        put(address, p.begin, static_cast<std::size_t>(p.end - p.begin));
    }
    std::uint64_t total(unsigned tile, unsigned thread, base::event e) const {
        return card_[tile].cpu().counts().total(thread, e);
    }

    std::vector<guest> guests_;
    std::vector<placed> placed_;
    armed_counters armed_;
    std::vector<std::array<base::event_row, base::threads_per_core>> before_;  // by tile
    card::card card_;
    tlm_utils::simple_initiator_socket<machine> host_{"host"};
};

// A card of `tiles` tiles with 16 MB of memory, its prefetcher off.
card::parameters standard_parameters(unsigned tiles);

// Under which a kernel runs, beyond its programs.
struct conditions {
    void (*tune)(card::parameters&) = nullptr;
    std::vector<placed> more;
    void (*check)(machine&) = nullptr;  // after the run
};
conditions tuned(void (*tune)(card::parameters&));
conditions with(const placed&);
conditions checked(void (*check)(machine&));

class kernel {
  public:
    kernel(const char* suite, const char* name, std::vector<guest>, std::vector<share>,
           conditions = {});
    kernel(const char* suite, const char* name, const program&, const counts&, conditions = {});

    // SUITE.NAME
    const std::string& name() const { return name_; }
    // The sum over threads; of events that belong to no thread, over tiles.
    std::uint64_t expected(base::event) const;
    // Of one thread, code included; not the loads of a share with loads_at.
    std::uint64_t expected(unsigned tile, unsigned thread, base::event) const;
    card::parameters parameters() const;
    // The runs it takes, with the counters of each.
    std::vector<armed_counters> runs() const;
    void run() const;

    // All kernels of the program, in the order of each file.
    static const std::vector<const kernel*>& all();

  private:
    static std::vector<const kernel*>& registry();
    void compare(machine&) const;
    std::uint64_t expected(machine&, unsigned tile, unsigned thread, base::event) const;

    std::string name_;
    std::vector<guest> guests_;
    std::vector<share> shares_;
    conditions conditions_;
};

// A kernel of one program, on thread 0 of tile 0; after TEXT what it raises, then conditions.
#define KNC_CACHE_KERNEL(suite, name, text, ...) \
    KNC_PROGRAM64(suite##_##name##_text, text);  \
    static const kernel suite##_##name(#suite, #name, suite##_##name##_text, __VA_ARGS__)

}  // namespace knc::caches

#endif
