// Warm reset of the card, by its host (RGCR) and by the pin.
#include <knc/card/card.h>

#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "elsewhere.h"
#include "host_side.h"

namespace knc::card {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using test::program;

// Notes that it has started and when, arms counter 0 of its PMU with clocks, and goes on loading
// and storing. Each start is at 0x3000 + 8 n, n at 0x2ff8, written back.
KNC_PROGRAM64(starts,
              "movl 0x2ff8, %ebx\nincl 0x2ff8\nrdtsc\nmovl %eax, 0x3000(,%rbx,8)\nwbinvd\n"
              "movl $0x28, %ecx\nmovl $0x42002a, %eax\nxorl %edx, %edx\nwrmsr\n"
              "movl $0x2f, %ecx\nmovl $1, %eax\nwrmsr\n"
              "movl $0x3400, %edi\n1: incl (%rdi)\nincl 0x40(%rdi)\njmp 1b");

struct host final : test::host_side {
    SC_HAS_PROCESS(host);
    explicit host(sc_core::sc_module_name name) : host_side(name, starts) {
        SC_THREAD(run);
        SC_THREAD(run_beside);
    }
    void run() {
        script();
        sc_core::sc_stop();
    }
    void run_beside() {
        if (beside) beside();
    }
    tlm::tlm_response_status access(tlm_utils::simple_initiator_socket<host>& to, std::uint64_t at,
                                    void* data, unsigned size, bool write) {
        tlm::tlm_generic_payload p;
        sc_time delay = sc_core::SC_ZERO_TIME;
        set(p, at, data, size, write);
        to->b_transport(p, delay);
        return p.get_response_status();
    }
    void write_register(std::uint64_t offset, std::uint32_t value) {
        EXPECT_EQ(access(registers, offset, &value, sizeof value, true), tlm::TLM_OK_RESPONSE);
    }
    std::uint32_t read_register(std::uint64_t offset) {
        std::uint32_t value = 0;
        EXPECT_EQ(access(registers, offset, &value, sizeof value, false), tlm::TLM_OK_RESPONSE);
        return value;
    }
    tlm_utils::simple_initiator_socket<host> registers{"registers"}, memory{"memory"};
    std::function<void()> script, beside;
};

constexpr std::uint64_t rgcr = 0x1'4010, spad = 0x1'ab34, post_code = 0x242c;

struct system {
    explicit system(const parameters& p = {}, const run_control& control = {})
        : c("card", p, control), h("host") {
        h.card.bind(c.host);
        h.registers.bind(c.mmio);
        h.memory.bind(c.aperture);
        c.reset.bind(pin);
        c.boot(host::entry, 0, 0);
    }
    pmu::thread_state pmu() {
        c[0].cpu().settle();
        return c[0].pmu().state(0);
    }
    std::uint32_t starts() { return h.read(0x2ff8); }

    sc_core::sc_signal<bool> pin{"pin"};
    card c;
    host h;
};

// 1.1 GHz: 10'000 ns are 11'000 clocks. The reset comes 50 clocks, a device's answer, later.
TEST(reset, by_the_host) {
    system s;
    s.h.script = [&] {
        sc_core::wait(10'000, SC_NS);
        EXPECT_EQ(s.starts(), 1u);
        const base::cycle_t clocks = s.pmu().counter[0];
        EXPECT_GT(clocks, 5'000u);
        s.h.write_register(spad, 77);
        s.h.write_register(post_code, 0x4141);
        s.h.write_register(rgcr, 1);
        EXPECT_EQ(s.c.resets(), 0u);
        sc_core::wait(46, SC_NS);  // 50.6 clocks
        EXPECT_EQ(s.c.resets(), 1u);
        EXPECT_EQ(s.pmu().counter[0], 0u);
        EXPECT_EQ(s.pmu().evtsel[0], 0u);
        EXPECT_EQ(s.pmu().global_ctrl, 0u);
        EXPECT_EQ(s.c[0].pmu().tsc(s.c[0].cpu().now()), s.c[0].cpu().now() - 11'050);
        EXPECT_EQ(s.h.read_register(rgcr), 0u);
        EXPECT_EQ(s.h.read_register(spad), 0u);
        EXPECT_EQ(s.h.read_register(post_code), 0x3231u);
        sc_core::wait(10'000, SC_NS);
        EXPECT_EQ(s.starts(), 2u);
        // About the same way from reset to RDTSC, as the caches are empty again; memory refreshes
        // at other times.
        EXPECT_NEAR(s.h.read(0x3008), s.h.read(0x3000), 100);
        EXPECT_GT(s.pmu().counter[0], 5'000u);
    };
    sc_core::sc_start();
    EXPECT_EQ(s.c.result().reason, stop_reason::none);
}

TEST(reset, by_the_pin_which_holds_the_card) {
    system s;
    s.h.script = [&] {
        sc_core::wait(10'000, SC_NS);
        s.pin.write(true);
        sc_core::wait(10'000, SC_NS);
        EXPECT_EQ(s.c.resets(), 1u);
        EXPECT_EQ(s.c[0].cpu().running(0), core::run_state::wait_for_sipi);
        EXPECT_EQ(s.pmu().counter[0], 0u);
        const std::uint64_t instructions = s.c.instructions();
        sc_core::wait(10'000, SC_NS);
        EXPECT_EQ(s.c.instructions(), instructions);
        EXPECT_EQ(s.starts(), 1u);
        // RGCR does not let it go.
        s.h.write_register(rgcr, 1);
        sc_core::wait(10'000, SC_NS);
        EXPECT_EQ(s.c.resets(), 2u);
        EXPECT_EQ(s.c.instructions(), instructions);
        s.pin.write(false);
        sc_core::wait(10'000, SC_NS);
        EXPECT_EQ(s.starts(), 2u);
        // A pulse shorter than the reset takes.
        s.pin.write(true);
        sc_core::wait(10, SC_NS);
        s.pin.write(false);
        sc_core::wait(10'000, SC_NS);
        EXPECT_EQ(s.starts(), 3u);
        EXPECT_EQ(s.c.resets(), 4u);
    };
    sc_core::sc_start();
}

TEST(reset, held_from_the_start) {
    system s;
    s.pin.write(true);
    s.h.script = [&] {
        sc_core::wait(5'000, SC_NS);
        EXPECT_EQ(s.c.instructions(), 0u);
        s.pin.write(false);
        sc_core::wait(10'000, SC_NS);
        EXPECT_EQ(s.starts(), 1u);
    };
    sc_core::sc_start();
}

// An access of the host that is under way ends with an error; the next one is carried out. So does
// one that waits for the line.
TEST(reset, ends_accesses_of_the_host) {
    system s;
    std::vector<std::uint8_t> all(0x1000);
    unsigned lost = 0;
    const auto read_page = [&] {
        if (s.h.access(s.h.memory, 0x3000, all.data(), 0x1000, false) ==
            tlm::TLM_GENERIC_ERROR_RESPONSE)
            ++lost;
    };
    s.h.beside = [&] {
        sc_core::wait(10'010, SC_NS);
        read_page();
    };
    s.h.script = [&] {
        sc_core::wait(10'000, SC_NS);
        s.h.write_register(rgcr, 1);
        read_page();
        EXPECT_EQ(s.c.resets(), 1u);
        sc_core::wait(10'000, SC_NS);
        EXPECT_EQ(lost, 2u);
        std::uint32_t n = 0;
        EXPECT_EQ(s.h.access(s.h.memory, 0x2ff8, &n, sizeof n, false), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(n, 2u);
    };
    sc_core::sc_start();
}

// When the program started, each time.
std::vector<std::uint32_t> times(const parameters& p, base::cycle_t quantum) {
    run_control control;
    control.quantum = quantum;
    system s(p, control);
    std::vector<std::uint32_t> t;
    s.h.script = [&] {
        for (const int ns : {10'000, 7'777, 3'333, 12'345}) {
            sc_core::wait(ns, SC_NS);
            s.h.write_register(rgcr, 1);
        }
        sc_core::wait(10'000, SC_NS);
        for (unsigned n = 0; n < s.starts(); ++n) t.push_back(s.h.read(0x3000 + 8 * n));
    };
    sc_core::sc_start();
    return t;
}

TEST(reset, does_not_depend_on_the_window) {
    parameters ideal;
    ideal.caches = false;
    for (const parameters& p : {parameters{}, ideal}) {
        const std::vector<std::uint32_t> expected = test::times_elsewhere(times, p, 10'000);
        EXPECT_EQ(expected.size(), 5u);
        for (const base::cycle_t quantum : {1, 7, 50, 333})
            EXPECT_EQ(test::times_elsewhere(times, p, quantum), expected) << quantum;
    }
}

}  // namespace
}  // namespace knc::card
