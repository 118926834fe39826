// SBOX registers from the host's side and the card's: the windows, interrupts both ways, EOIs, and
// that their time does not depend on how far tiles run ahead.
#include <knc/card/card.h>

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "elsewhere.h"
#include "host_side.h"

namespace knc::card {
namespace {

using sc_core::SC_NS;
using test::program;

// Linear 4 MB up are the card's registers from physical 0x8'0060'0000 on, 2 MB up the windows to
// its host, 6 MB up the page of the local APIC. The SBOX is at 0x1D'0000 of the former.
#define REGISTER(offset) "0x5d" offset

// Maps window 1 to the host's page 5 and writes 8 bytes there and to window 0.
KNC_PROGRAM64(moves_a_window,
              "movl $(5 << 2), " REGISTER("3104") "\nmovl $77, " REGISTER("ab20")
              "\nmovl $0x200010, %ebx\nmovl $1, (%rbx)\nmovl $0x800010, %ebx\nmovl $2, (%rbx)\n"
              "1: hlt\njmp 1b");

// Enables its local APIC and sleeps; each interrupt of vector 0x50 counts at 0x3000, keeps the time
// at 0x3010 + 8 n and ends with an EOI.
KNC_PROGRAM64(counts_interrupts,
              "xorl %eax, %eax\nmovl %eax, %ss\nmovl $0x6000, %esp\nlidt 0x8090\n"
              "movl $0x1ff, 0x6000f0\nsti\n1: hlt\njmp 1b\n"
              ".skip 0x100-(.-counts_interrupts_begin)\n"
              "rdtsc\nmovl 0x3000, %ecx\nmovl %eax, 0x3010(,%rcx,8)\n"
              "incl 0x3000\nmovl $0, 0x6000b0\niretq");

// Lets the active-low pin 17 interrupt it as before, from its local APIC's start to the twentieth
// time, and works meanwhile.
KNC_PROGRAM64(repeats,
              "xorl %eax, %eax\nmovl %eax, %ss\nmovl $0x6000, %esp\nlidt 0x8090\n"
              "movl $0x1ff, 0x6000f0\nmovl $0xa050, " REGISTER("a8c8") "\nsti\n"
              "1: incl %edx\ncmpl $20, 0x3000\njb 1b\n2: hlt\njmp 2b\n"
              ".skip 0x100-(.-repeats_begin)\n"
              "rdtsc\nmovl 0x3000, %ecx\nmovl %eax, 0x3010(,%rcx,8)\nincl 0x3000\n"
              "cmpl $20, 0x3000\njb 1f\nmovl $0x1a050, " REGISTER("a8c8") "\n"
              "1: movl $0, 0x6000b0\niretq");

// Rings doorbell 2 and sleeps.
KNC_PROGRAM64(rings, "movl $0x80000007, " REGISTER("cc98") "\n1: hlt\njmp 1b");

struct host final : test::host_side {
    struct access {
        std::uint64_t address;
        std::uint32_t data;
    };

    SC_HAS_PROCESS(host);
    host(sc_core::sc_module_name name, const program& p) : host_side(name, p) {
        memory.register_b_transport(this, &host::b_transport);
        SC_THREAD(run);
        SC_METHOD(on_interrupt);
        sensitive << interrupt;
        dont_initialize();
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
        access a{p.get_address(), 0};
        std::memcpy(&a.data, p.get_data_ptr(), sizeof a.data);
        seen.push_back(a);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    void on_interrupt() { edges.push_back(sc_core::sc_time_stamp()); }
    void run() {
        if (script) script();
    }
    void start_of_simulation() override {
        host_side::start_of_simulation();
        put(0x8090, std::uint64_t{0xc000} << 16 | 0xfff);  // IDTR
        put(0x8098, 0);
        put(0xc000 + 16 * 0x50, 0x0000'8e00'0008'1100);  // gate of vector 0x50: code at 0x1100
        put(0xc000 + 16 * 0x50 + 8, 0);
        page_entry(1, 0x80'0000'0000);  // window 0
        page_entry(2, 0x8'0060'0000);
        page_entry(3, 0xfee0'0000);
        page_entry(4, 0x84'0000'0000);  // window 1
    }
    // Through BAR4.
    tlm::tlm_response_status mmio(std::uint64_t offset, std::uint32_t& value, bool write) {
        tlm::tlm_generic_payload p;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        set(p, offset, &value, sizeof value, write);
        registers->b_transport(p, delay);
        return p.get_response_status();
    }
    void write_register(std::uint64_t offset, std::uint32_t value) {
        EXPECT_EQ(mmio(offset, value, true), tlm::TLM_OK_RESPONSE) << std::hex << offset;
    }
    std::uint32_t read_register(std::uint64_t offset) {
        std::uint32_t value = 0;
        EXPECT_EQ(mmio(offset, value, false), tlm::TLM_OK_RESPONSE) << std::hex << offset;
        return value;
    }
    // What the handlers have kept.
    std::vector<std::uint32_t> times() {
        std::vector<std::uint32_t> t(read(0x3000));
        for (std::size_t n = 0; n < t.size(); ++n) t[n] = read(0x3010 + 8 * n);
        return t;
    }

    tlm_utils::simple_target_socket<host> memory{"memory"};
    tlm_utils::simple_initiator_socket_optional<host> registers{"registers"};
    sc_core::sc_in<bool> interrupt{"interrupt"};
    std::function<void()> script;
    std::vector<access> seen;
    std::vector<sc_core::sc_time> edges;
};

struct system {
    system(const program& p, bool attached, const parameters& config = {}, run_control control = {})
        : c("card", config, std::move(control)), h("host", p) {
        h.card.bind(c.host);
        c.system.bind(h.memory);
        if (attached) h.registers.bind(c.mmio);
        c.host_interrupt.bind(line);
        h.interrupt.bind(line);
        c.boot(host::entry, 0, 0);
    }
    sc_core::sc_signal<bool> line{"line"};
    card c;
    host h;
};

TEST(sbox, moves_a_window_of_the_host) {
    system s(moves_a_window, false);
    sc_core::sc_start();
    ASSERT_EQ(s.c.result().reason, stop_reason::deadlock);  // all asleep: the program's end
    ASSERT_EQ(s.h.seen.size(), 2u);
    EXPECT_EQ(s.h.seen[0].address, 0x10u);  // window 0, as after reset
    EXPECT_EQ(s.h.seen[0].data, 1u);
    EXPECT_EQ(s.h.seen[1].address, (std::uint64_t{5} << 34) + 0x10);
    EXPECT_EQ(s.h.seen[1].data, 2u);
    std::uint32_t spad0 = 0;
    s.h.move(0x8'007d'ab20, &spad0, sizeof spad0, false);
    EXPECT_EQ(spad0, 77u);
}

TEST(sbox, rings_its_host) {
    system s(rings, true);
    s.h.script = [&] {
        s.h.write_register(0x1'900c, 0xf);
        sc_core::wait(s.h.interrupt.posedge_event());
        EXPECT_EQ(s.h.read_register(0x1'9004), 4u);
        EXPECT_EQ(s.h.read_register(0x1'cc98), 0x8000'0007u);
        s.h.write_register(0x1'9004, 4);
        sc_core::wait(s.h.interrupt.negedge_event());
        std::uint32_t beyond = 0;
        EXPECT_EQ(s.h.mmio(0x2'0000, beyond, false), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(s.h.mmio(0x1'a000, beyond, false), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(s.h.read_register(0x242c), 0x3231u);
    };
    sc_core::sc_start(20'000, SC_NS);
    EXPECT_EQ(s.h.edges.size(), 2u);
    EXPECT_FALSE(s.line.read());
}

// The host of a card that sleeps: interrupt command to thread 0, then an edge and a level-triggered
// entry of the I/O APIC.
std::vector<std::uint32_t> times_of_interrupts(const parameters& p, base::cycle_t quantum) {
    run_control control;
    control.quantum = quantum;
    system s(counts_interrupts, true, p, control);
    s.h.script = [&] {
        sc_core::wait(20'000, SC_NS);
        EXPECT_EQ(s.h.read(0x3000), 0u);
        s.h.write_register(0x1'a9d4, 0);
        s.h.write_register(0x1'a9d0, 1u << 13 | 0x50);
        sc_core::wait(1'234, SC_NS);
        EXPECT_EQ(s.h.read(0x3000), 1u);
        s.h.write_register(0x1'a8c8, 0x50);  // pin 17
        s.h.write_register(0x1'b180, 0);
        sc_core::wait(2'345, SC_NS);
        EXPECT_EQ(s.h.read(0x3000), 2u);
        // Active low: the idle pin asks again after each EOI, until it is masked.
        s.h.write_register(0x1'a8c8, 1u << 15 | 1u << 13 | 0x50);
        EXPECT_EQ(s.h.read_register(0x1'a8c8), 1u << 15 | 1u << 14 | 1u << 13 | 0x50);
        sc_core::wait(5'000, SC_NS);
        s.h.write_register(0x1'a8c8, 1u << 16 | 1u << 15 | 1u << 13 | 0x50);
        sc_core::wait(5'000, SC_NS);
        EXPECT_EQ(s.h.read_register(0x1'a8c8),
                  1u << 16 | 1u << 15 | 1u << 13 | 0x50);  // EOI was there
        sc_core::sc_stop();
    };
    sc_core::sc_start(100'000, SC_NS);
    EXPECT_EQ(s.c.result().reason, stop_reason::none);
    return s.h.times();
}

// Clocks of 1.1 GHz. The commands come at 20'000 ns, 21'234 ns and 23'579 ns: clocks 22'000, 23'357
// and 25'936. Each takes 50 clocks to leave and 100 to arrive; then the thread wakes, enters the
// handler (core.event_entry_cycles) and executes RDTSC, the same for all of them but for the
// caches' misses of the first.
constexpr std::uint32_t least_way = 150, most_way = 250;

void expect_times(const std::vector<std::uint32_t>& t, bool caches) {
    ASSERT_GT(t.size(), 4u);
    const std::uint32_t way = t[1] - 23'357;
    EXPECT_GE(way, least_way);
    EXPECT_LE(way, most_way);
    EXPECT_EQ(t[2], 25'936 + way);
    if (caches)
        EXPECT_GT(t[0], 22'000 + way);
    else
        EXPECT_EQ(t[0], 22'000 + way);
    // From then on one after each EOI: 100 clocks to the I/O APIC, 150 back, and the handler, which
    // an odd clock may keep waiting for its turn to issue, and a line for its store.
    for (std::size_t n = 3; n < t.size(); ++n) {
        EXPECT_GE(t[n] - t[n - 1], 250 + way - least_way) << n;
        EXPECT_LE(t[n] - t[n - 1], caches ? 1'000u : 250 + way - least_way + 10) << n;
    }
    // They end with the mask, 5'000 ns or 5'500 clocks behind the write that started them; one may
    // be on its way.
    EXPECT_GT(t.back(), t[2] + 4'500);
    EXPECT_LT(t.back(), 25'936 + 5'500 + most_way);
}

TEST(sbox, interrupts_of_the_host) {
    expect_times(times_of_interrupts(parameters{}, 10'000), true);
}
TEST(sbox, interrupts_of_the_host_without_caches) {
    parameters p;
    p.caches = false;
    expect_times(times_of_interrupts(p, 10'000), false);
}

// The same without a host: the card's own entry asks again after each EOI, twenty times.
std::vector<std::uint32_t> times_of_repeats(const parameters& p, base::cycle_t quantum) {
    run_control control;
    control.quantum = quantum;
    system s(repeats, false, p, control);
    sc_core::sc_start();
    EXPECT_EQ(s.c.result().reason, stop_reason::deadlock);
    return s.h.times();
}

void expect_equal_times(test::scenario run) {
    parameters ideal;
    ideal.caches = false;
    for (const parameters& p : {parameters{}, ideal}) {
        const std::vector<std::uint32_t> times = test::times_elsewhere(run, p, 10'000);
        EXPECT_GT(times.size(), 10u);
        for (const base::cycle_t quantum : {1, 7, 50, 333})
            EXPECT_EQ(test::times_elsewhere(run, p, quantum), times) << quantum;
    }
}

TEST(sbox, times_of_interrupts_do_not_depend_on_the_window) {
    expect_equal_times(times_of_interrupts);
}
TEST(sbox, times_of_ends_do_not_depend_on_the_window) {
    expect_equal_times(times_of_repeats);
}

}  // namespace
}  // namespace knc::card
