// The caches of a Pentium on their bus, without a kernel, and a client that logs what it learns.
#ifndef TESTS_UNIT_PENTIUM_RIG_H
#define TESTS_UNIT_PENTIUM_RIG_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/pentium/code_cache.h>
#include <knc/pentium/data_cache.h>

namespace knc::pentium::test {

using base::cycle_t;
using cache::charge;
using cache::line_t;
using cache::outcome;

// A bus clock is a clock, a fill of a line takes 6 + 3 * 2, a write 3.
inline parameters quick() {
    parameters p;
    p.bus_ratio = 1;
    return p;
}

struct rig : cache::l1_client_if {
    explicit rig(const parameters& q = quick())
        : p(q), memory(1 << 20), line(p), data(p, line, ledger), code(p, line, ledger) {
        line.connect(*this);
        data.connect(memory.data(), *this, code);
        code.connect(memory.data(), *this, data);
    }

    // cache::l1_client_if
    void data_not_writable(line_t, const std::uint8_t*, unsigned) override {}
    void data_lost(line_t, const std::uint8_t*, unsigned) override {}
    void code_lost(line_t l) override { log += fmt::format("code {} lost; ", l); }
    void wake(unsigned t, cycle_t c) override { log += fmt::format("wake {} at {}; ", t, c); }
    void stores_performed(unsigned) override { log += "performed; "; }
    void stored(std::uint64_t a, unsigned n) override { log += fmt::format("{} at {}; ", n, a); }
    bool holds_code(line_t) const override { return false; }
    void uncached_done(unsigned t, std::uint32_t ticket, const cache::uncached_data& d,
                       cycle_t c) override {
        log += fmt::format("thread {} ticket {}: {} at {}; ", t, ticket, d[0], c);
    }
    void store_delayed(unsigned, cache::store_delay d) override {
        log += d == cache::store_delay::buffers_full ? "full; " : "order; ";
    }
    void bus_busy(cycle_t from, cycle_t until) override {
        EXPECT_GE(from, busy_until) << "two cycles of the bus at once";
        busy_until = until;
        busy += until - from;
    }

    std::string heard() { return std::exchange(log, ""); }
    std::uint64_t count(base::event e) const { return ledger.total(0, e); }
    // Has the line in the data cache in clock `now`, whole.
    void fetch(line_t l) {
        const outcome o = data.line_for_load(0, l, charge::load, now);
        if (!o.is_hit()) now = o.retry_at();
        EXPECT_TRUE(data.line_for_load(0, l, charge::load, now).is_hit());
        data.completed(0, now);
        now = std::max(now, line.free_from());
    }
    // Stores a byte; the clocks that it waits.
    cycle_t store(std::uint64_t paddr, unsigned size = 1) {
        const cycle_t from = now;
        const std::uint64_t value = 0x0807060504030201;
        for (;;) {
            const outcome o = data.line_for_store(0, paddr / line_bytes, 0, now);
            if (o.is_taken()) data.buffer_store(0, paddr, size, &value, now);
            if (o.is_taken() || o.is_hit()) break;
            now = o.retry_at();
        }
        data.completed(0, now);
        return now++ - from;
    }

    const parameters p;
    base::ledger ledger;
    std::vector<std::uint8_t> memory;
    bus line;
    data_cache data;
    code_cache code;
    cycle_t now = 100;
    cycle_t busy = 0, busy_until = 0;
    std::string log;
};

}  // namespace knc::pentium::test

#endif
