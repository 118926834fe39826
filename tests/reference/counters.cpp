#include "counters.h"

#include <algorithm>
#include <utility>

#include <knc/pmu/event_table.h>

namespace knc::reference {
namespace {

constexpr std::uint32_t msr_tsc = 0x10, msr_counter0 = 0x20, msr_select0 = 0x28, msr_spflt = 0x2c,
                        msr_status = 0x2d, msr_clear = 0x2e, msr_global = 0x2f;
constexpr std::uint64_t usr = 1u << 16, os = 1u << 17, edge = 1u << 18, interrupt = 1u << 20,
                        any_thread = 1u << 21, enable = 1u << 22, invert = 1u << 23;
constexpr std::uint64_t wrap = std::uint64_t{1} << 40;
constexpr std::array<std::size_t, 4> own{0, 1, 2, 3};

base::event event_of(std::uint64_t select) {
    return pmu::find_event(static_cast<std::uint8_t>(select), select >> 8 & 0xff);
}
bool takes(std::uint64_t select, unsigned privilege) {
    return (select & (privilege == base::user ? usr : os)) != 0;
}
bool of_core(base::event e) {
    return pmu::info(e).scope == pmu::event_scope::core;
}
// Nobody's: clocks are each thread's own.
bool without_thread(base::event e) {
    return of_core(e) && e != base::cpu_clk_unhalted;
}

// Bits that exist; none: no such register, or not to be written.
std::uint64_t bits_of(std::uint32_t msr) {
    switch (msr) {
        case msr_tsc:
            return ~std::uint64_t{0};
        case msr_counter0:
        case msr_counter0 + 1:
            return wrap - 1;
        case msr_select0:
        case msr_select0 + 1:
            return 0xfff7'ffff;
        case msr_spflt:
            return std::uint64_t{1} << 63 | 3;
        case msr_clear:
        case msr_global:
            return 3;
        default:
            return 0;
    }
}

}  // namespace

bool counters::readable(std::uint32_t msr) {
    return msr == msr_status || (bits_of(msr) != 0 && msr != msr_clear);
}
bool counters::writable(std::uint32_t msr, std::uint64_t value) {
    return bits_of(msr) != 0 && (value & ~bits_of(msr)) == 0;
}

std::uint64_t counters::read(std::size_t thread, std::uint32_t msr) const {
    const bank& b = banks_[thread];
    switch (msr) {
        case msr_tsc:
            return tsc;
        case msr_counter0:
        case msr_counter0 + 1:
            return b.value[msr & 1];
        case msr_select0:
        case msr_select0 + 1:
            return b.select[msr & 1];
        case msr_spflt:
            return b.spflt;
        case msr_status:
            return b.status;
        default:
            return b.global;
    }
}

void counters::write(std::size_t thread, std::uint32_t msr, std::uint64_t value) {
    bank& b = banks_[thread];
    switch (msr) {
        case msr_tsc:
            tsc = value;
            break;
        case msr_counter0:
        case msr_counter0 + 1:
            b.value[msr & 1] = value;
            break;
        case msr_select0:
        case msr_select0 + 1:
            // Another condition has not been met before; INT is no part of it.
            if (((b.select[msr & 1] ^ value) & ~interrupt) != 0) b.met_before[msr & 1] = false;
            b.select[msr & 1] = value;
            break;
        case msr_spflt:
            b.spflt = value;
            break;
        case msr_clear:
            b.status &= ~value;
            break;
        default:
            b.global = value;
    }
    drive_lines(own);
}

void counters::spflt(std::size_t thread, bool on) {
    bank& b = banks_[thread];
    b.spflt = (b.spflt & 3) | std::uint64_t{on} << 63;
}

bool counters::enabled(const bank& b, unsigned n) const {
    const std::uint64_t s = b.select[n];
    const bool prefers = (b.spflt >> n & 1) == 0 || b.spflt >> 63 != 0;
    return (s & enable) != 0 && (b.global >> n & 1) != 0 && prefers && (s & (usr | os)) != 0 &&
           event_of(s) != base::event_count;
}

// In the clock that is over.
std::uint64_t counters::events(std::size_t thread, std::uint64_t select,
                               const event_counts& all) const {
    const base::event e = event_of(select);
    std::uint64_t n = 0;
    for (std::size_t t = 0; t < all.size(); ++t) {
        if (t != thread && ((select & any_thread) == 0 || of_core(e))) continue;
        for (unsigned p = 0; p < 2; ++p)
            if (takes(select, p)) n += all[t][p][e] - before_[t][p][e];
    }
    return n;
}

void counters::clock(const event_counts& all, const std::array<base::privilege, 4>& at,
                     std::size_t execution_stage) {
    ++tsc;
    std::array<bool, 4> by_core{}, by_thread{};  // overflows with INT
    for (std::size_t t = 0; t < banks_.size(); ++t) {
        bank& b = banks_[t];
        for (unsigned n = 0; n < 2; ++n) {
            if (!enabled(b, n)) {
                b.met_before[n] = false;
                continue;
            }
            const std::uint64_t s = b.select[n], threshold = s >> 24;
            std::uint64_t add = events(t, s, all);
            if (threshold != 0 || (s & edge) != 0) {
                bool met = add >= std::max<std::uint64_t>(threshold, 1);
                if (threshold != 0 && (s & invert) != 0) met = !met && takes(s, at[t]);
                add = met && !((s & edge) != 0 && b.met_before[n]) ? 1 : 0;
                b.met_before[n] = met;
            }
            b.value[n] += add;
            if (b.value[n] < wrap) continue;
            b.value[n] -= wrap;
            b.status |= 1u << n;
            ++b.overflows[n];
            if ((s & interrupt) != 0) (without_thread(event_of(s)) ? by_core : by_thread)[t] = true;
        }
    }
    before_ = all;
    auto target = own;
    for (std::size_t t = 0; t < banks_.size(); ++t)
        if (by_core[t] && !by_thread[t]) target[t] = execution_stage;
    drive_lines(target);
}

// A level that rises is an edge on the line of `target`; the line stands with the level only if
// that is the bank's own thread.
void counters::drive_lines(const std::array<std::size_t, 4>& target) {
    std::array<bool, 4> stood{}, edge_on{};
    for (std::size_t t = 0; t < banks_.size(); ++t) stood[t] = banks_[t].line;
    for (std::size_t t = 0; t < banks_.size(); ++t) {
        bank& b = banks_[t];
        bool level = false;
        for (unsigned n = 0; n < 2; ++n)
            level |= (b.status >> n & 1) != 0 && (b.select[n] & interrupt) != 0;
        if (level && !b.level) {
            edge_on[target[t]] = true;
            b.line = target[t] == t;
        }
        if (!level) b.line = false;
        b.level = level;
    }
    for (std::size_t t = 0; t < banks_.size(); ++t)
        if (edge_on[t] && !stood[t]) pmis_.push_back(t);
}

std::vector<std::size_t> counters::pmis() {
    return std::exchange(pmis_, {});
}

}  // namespace knc::reference
