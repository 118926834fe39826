// The host reads and writes the card's memory over the ring, past the caches and in time.
#include <knc/card/card.h>

#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "elsewhere.h"
#include "host_side.h"

namespace knc::card {
namespace {

using sc_core::sc_time;
using test::program;

// Has a line of its own, modified; waits for a word from its host and answers it a line further.
KNC_PROGRAM64(answers,
              "movl $77, 0x3040\n1: movl 0x3080, %eax\ntestl %eax, %eax\njz 1b\n"
              "incl %eax\nmovl %eax, 0x30c0\n2: hlt\njmp 2b");

struct host final : test::host_side {
    SC_HAS_PROCESS(host);
    explicit host(sc_core::sc_module_name name) : host_side(name, answers) { SC_THREAD(run); }
    void run() {
        script();
        sc_core::sc_stop();
    }
    tlm::tlm_response_status access(std::uint64_t at, void* data, unsigned size, bool write) {
        tlm::tlm_generic_payload p;
        sc_time delay = sc_core::SC_ZERO_TIME;
        set(p, at, data, size, write);
        memory->b_transport(p, delay);
        EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
        return p.get_response_status();
    }
    std::uint32_t load(std::uint64_t at) {
        std::uint32_t v = 0;
        EXPECT_EQ(access(at, &v, sizeof v, false), tlm::TLM_OK_RESPONSE);
        return v;
    }
    void store(std::uint64_t at, std::uint32_t v) {
        EXPECT_EQ(access(at, &v, sizeof v, true), tlm::TLM_OK_RESPONSE);
    }
    tlm_utils::simple_initiator_socket<host> memory{"memory"};
    std::function<void()> script;
};

struct system {
    explicit system(const parameters& p = {}, const run_control& control = {})
        : c("card", p, control), h("host") {
        h.card.bind(c.host);
        h.memory.bind(c.aperture);
        c.boot(host::entry, 0, 0);
    }
    base::cycle_t clocks() const {
        return base::clock(c.config().clock_hz).cycle(sc_core::sc_time_stamp());
    }
    card c;
    host h;
};

TEST(host_aperture, finds_what_is_in_a_cache) {
    system s;
    s.h.script = [&] {
        wait(20, sc_core::SC_US);
        ASSERT_EQ(test::state_of(s.c[0], 0x3040 / 64), coherence::l2_state::m);
        EXPECT_EQ(s.h.load(0x3040), 77u);
        // It keeps its copy.
        EXPECT_EQ(test::state_of(s.c[0], 0x3040 / 64), coherence::l2_state::m);
        // A word of the line is written: the rest goes home, and the cache has it no more.
        s.h.store(0x3044, 78);
        EXPECT_EQ(test::state_of(s.c[0], 0x3040 / 64), coherence::l2_state::i);
        EXPECT_EQ(s.h.load(0x3040), 77u);
        EXPECT_EQ(s.h.load(0x3044), 78u);
    };
    sc_core::sc_start();
}

TEST(host_aperture, talks_to_a_program) {
    system s;
    s.h.script = [&] {
        wait(20, sc_core::SC_US);
        s.h.store(0x3080, 5);
        wait(5, sc_core::SC_US);
        EXPECT_EQ(s.h.load(0x30c0), 6u);
    };
    sc_core::sc_start();
}

// The run ends while an access is on its way; the simulation goes on.
TEST(host_aperture, ends_with_the_run_of_its_card) {
    run_control control;
    control.max_cycles = 20'000;
    unsigned ends = 0;
    control.ended = [&ends] { ++ends; };
    system s({}, control);
    s.h.script = [&] {
        std::uint32_t v = 0;
        const base::clock clock(s.c.config().clock_hz);
        wait(clock.at(19'900));
        EXPECT_EQ(ends, 0u);
        EXPECT_EQ(s.h.access(0x3040, &v, sizeof v, false), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(s.clocks(), 20'000u);
        EXPECT_EQ(ends, 1u);
        EXPECT_EQ(s.c.result().reason, stop_reason::limit);
        EXPECT_EQ(s.c.result().cycle, 20'000u);
        wait(10, sc_core::SC_US);
        const base::cycle_t later = s.clocks();
        EXPECT_EQ(s.h.access(0x3040, &v, sizeof v, false), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(s.clocks(), later);
        EXPECT_EQ(s.h.read(0x3040), 77u);  // what the cache has, by a debug access
        EXPECT_EQ(ends, 1u);
        EXPECT_EQ(s.c.now(), 20'000u);
    };
    sc_core::sc_start();
    EXPECT_GT(s.clocks(), 30'000u);
}

// 16 lines leave 10 clocks apart. The latency of the SBOX, of the way to the home slices and
// memory, and back, counts once: far less than twice what one line takes.
TEST(host_aperture, moves_blocks_at_the_rate_of_its_link) {
    system s;
    s.h.script = [&] {
        const auto taken = [&](auto access) {
            const base::cycle_t start = s.clocks();
            access();
            return s.clocks() - start;
        };
        const auto latency = base::cycle_t{s.c.config().core.device_cycles};
        const base::cycle_t one = taken([&] { s.h.load(0x10000); });
        EXPECT_GT(one, 2 * latency + 150);  // the slice alone takes 150
        EXPECT_LT(one, 2 * latency + 600);
        std::vector<std::uint8_t> block(1024), back(1024);
        for (std::size_t n = 0; n < block.size(); ++n) block[n] = static_cast<std::uint8_t>(n * 7);
        const base::cycle_t many = taken([&] {
            EXPECT_EQ(s.h.access(0x20020, block.data(), 1024, true), tlm::TLM_OK_RESPONSE);
        });
        EXPECT_GT(many, one + 100);
        EXPECT_LT(many, 2 * one);
        EXPECT_EQ(s.h.access(0x20020, back.data(), 1024, false), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(back, block);
        EXPECT_EQ(s.h.read(0x20020 + 512), 0x150e'0700u);  // bytes 512 on, by a debug access
    };
    sc_core::sc_start();
}

TEST(host_aperture, refuses_what_is_not_memory) {
    system s;
    s.h.script = [&] {
        std::uint64_t v = 0;
        const std::uint64_t size = s.c.config().memory_size;
        EXPECT_EQ(s.h.access(size - 4, &v, 8, false), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(s.h.access(0x8'007d'0000, &v, 4, false), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(s.h.access(size - 8, &v, 8, false), tlm::TLM_OK_RESPONSE);
    };
    sc_core::sc_start();
}

// Several processes of the host want the same line: one after the other, as they come.
TEST(host_aperture, serves_several_processes) {
    system s;
    unsigned ended = 0;
    s.h.script = [&] {
        for (unsigned n = 0; n < 4; ++n)
            sc_core::sc_spawn([&, n] {
                wait(10 + n, sc_core::SC_NS);
                s.h.store(0x40000 + 4 * (n / 2), n + 1);
                ++ended;
            });
        wait(20, sc_core::SC_US);
        EXPECT_EQ(ended, 4u);
        EXPECT_EQ(s.h.load(0x40000), 2u);
        EXPECT_EQ(s.h.load(0x40004), 4u);
    };
    sc_core::sc_start();
}

// The host writes a line the program reads all the time, and reads it back: when each access ends.
std::vector<std::uint32_t> times_of_accesses(const parameters& p, base::cycle_t quantum) {
    run_control control;
    control.quantum = quantum;
    system s(p, control);
    std::vector<std::uint32_t> times;
    s.h.script = [&] {
        for (std::uint32_t n = 0; n < 10; ++n) {
            s.h.store(0x3084, n);
            times.push_back(static_cast<std::uint32_t>(s.clocks()));
            EXPECT_EQ(s.h.load(0x3084), n);
            times.push_back(static_cast<std::uint32_t>(s.clocks()));
        }
    };
    sc_core::sc_start();
    return times;
}

TEST(host_aperture, times_do_not_depend_on_the_window) {
    const std::vector<std::uint32_t> times = test::times_elsewhere(times_of_accesses, {}, 10'000);
    EXPECT_EQ(times.size(), 20u);
    for (const base::cycle_t quantum : {1, 7, 50, 333})
        EXPECT_EQ(test::times_elsewhere(times_of_accesses, {}, quantum), times) << quantum;
}

TEST(host_aperture, is_immediate_without_caches) {
    parameters p;
    p.caches = false;
    system s(p);
    s.h.script = [&] {
        wait(20, sc_core::SC_US);
        EXPECT_EQ(s.h.load(0x3040), 77u);
        s.h.store(0x3080, 5);
        wait(20, sc_core::SC_US);
        EXPECT_EQ(s.h.load(0x30c0), 6u);
    };
    sc_core::sc_start();
}

}  // namespace
}  // namespace knc::card
