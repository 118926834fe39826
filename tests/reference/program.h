// A random program for the four threads of a core, with the parameters of the core.
#ifndef KNC_TESTS_REFERENCE_PROGRAM_H
#define KNC_TESTS_REFERENCE_PROGRAM_H

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/card/parameters.h>

#include "dice.h"

namespace knc::reference {

// What a program is mostly made of.
enum class theme : std::uint8_t {
    pairs,     // register and memory operations that pair, wait and conflict
    memory,    // many pages, modifications, strings
    branches,  // of all kinds
    system,    // microcode, time, counters
    events,    // faults, traps, interrupts
    changes,   // code that is modified
    x87,       // results that are waited for
    mixture,
    vectors  // results of the vector unit, its memory accesses
};
inline constexpr unsigned themes = 9;
const char* name_of(theme);

struct world {
    bool wide = false;            // 64-bit code with paging
    bool user = false;            // ring 3
    bool limited = false;         // 32-bit: data segments end with the memory
    std::uint32_t code_base = 0;  // 32-bit: base of the code segment
    bool large_low = false;       // 64-bit: one large page maps the code
    bool interrupts = false;      // local APICs are set up, interrupts on
};

struct program {
    std::uint64_t seed = 0;
    theme about = theme::mixture;
    reference::world world;
    card::parameters setting;
    base::cycle_t clocks = 0;  // to run for

    std::vector<std::pair<std::uint32_t, std::vector<std::uint8_t>>> memory;
    struct start {
        base::cycle_t at;
        unsigned thread;
        std::uint32_t ip;
    };
    std::vector<start> starts;  // in order of time
    struct write {
        unsigned thread;
        std::uint32_t address;
        std::uint64_t value;
    };
    std::vector<write> pmu, local_apic;  // before the first clock

    void put(std::uint32_t at, const std::vector<std::uint8_t>& bytes) {
        memory.emplace_back(at, bytes);
    }
    template <class T>
    void put(std::uint32_t at, T v) {
        std::vector<std::uint8_t> bytes(sizeof v);
        std::memcpy(bytes.data(), &v, sizeof v);
        memory.emplace_back(at, std::move(bytes));
    }
};

// The program of a seed, and, before it is made, what its core is like.
card::parameters setting_of(std::uint64_t seed);
program make_program(std::uint64_t seed);

// Descriptor tables, page tables, boot code and handlers.
void put_tables(program&, dice&);
void put_page_tables(program&, dice&);
void put_handlers(program&, dice&, unsigned thread);
void put_boot_code(program&, dice&, unsigned thread, std::uint32_t entry);

}  // namespace knc::reference

#endif
