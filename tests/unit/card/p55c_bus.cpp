// A Pentium's caches on their bus, in a tile and in a card with a host.
#include <functional>

#include <knc/card/card.h>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "host_side.h"

namespace knc::card {
namespace {

using test::program;
using test::rig;

parameters pentium() {
    parameters p;
    p.tiles = 1;
    p.profile = isa::profile::p55c;
    p.core.threads = 1;
    p.core.issue_interval = 1;
    p.pmu.front_end = pmu::front_end_kind::p55c;
    return p;
}

KNC_PROGRAM(two_reads, "movl 0x3000, %eax\nmovl 0x3020, %ebx\nhlt");

// Lines of 32 bytes: two data lines, and the one of the code.
TEST(p55c_bus, a_tile_on_a_bus) {
    rig r(pentium());
    r.memory.data()[0x3020] = 9;
    r.start(0, 0x1000, two_reads);
    r.unit.cpu().enable_caches();
    r.run(1000);
    EXPECT_EQ(r.count(0, base::data_read_miss), 2u);
    EXPECT_EQ(r.count(0, base::code_cache_miss), 1u);
    EXPECT_EQ(r.unit.cpu().context(0).s.r[isa::rbx], 9u);
    // Three bursts of 6 + 3 * 2 clocks of the bus, which are two of the core.
    EXPECT_EQ(r.count(0, base::p55c_bus), 3u * 24);
    base::signal_list list;
    r.unit.list_signals("tile0", list);
    EXPECT_TRUE(std::any_of(list.begin(), list.end(),
                            [](const base::signal& s) { return s.name == "tile0.bus.busy"; }));
}

// The same without caches: nothing misses, and nothing takes time.
TEST(p55c_bus, ideal_memory) {
    parameters p = pentium();
    p.caches = false;
    rig r(p);
    r.start(0, 0x1000, two_reads);
    r.run(1000);
    EXPECT_EQ(r.count(0, base::data_read_miss), 0u);
    EXPECT_EQ(r.count(0, base::p55c_bus), 0u);
}

// Modifies a line, waits for a word from its host and answers it; then it goes on at 0x2000, where
// it waits for other code.
KNC_PROGRAM(answers,
            "movl 0x3040, %ebx\nmovl $77, 0x3040\n1: movl 0x3080, %eax\ntestl %eax, %eax\njz 1b\n"
            "incl %eax\nmovl %eax, 0x30c0\nmovl $0x2000, %ecx\nmovl $0xfeeb, (%ecx)\njmp *%ecx");

struct host final : test::host_side {
    SC_HAS_PROCESS(host);
    explicit host(sc_core::sc_module_name name) : host_side(name, answers) { SC_THREAD(run); }
    void run() {
        script();
        sc_core::sc_stop();
    }
    std::uint32_t access(std::uint64_t at, std::uint32_t v, unsigned size, bool write) {
        tlm::tlm_generic_payload p;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        set(p, at, &v, size, write);
        memory->b_transport(p, delay);
        EXPECT_TRUE(p.is_response_ok());
        return v;
    }
    tlm_utils::simple_initiator_socket<host> memory{"memory"};
    std::function<void()> script;
};

TEST(p55c_bus, the_host_inquires) {
    card c("card", pentium(), {});
    host h("host");
    h.card.bind(c.host);
    h.memory.bind(c.aperture);
    c.boot(0x1000, 0, 0);
    const auto count = [&](base::event e) { return c[0].cpu().counts().total(0, e); };
    h.script = [&] {
        wait(20, sc_core::SC_US);
        // The cache has the modified line: a read makes it shared, and the host has its data.
        EXPECT_EQ(count(base::data_cache_lines_written_back), 0u);
        EXPECT_EQ(h.access(0x3040, 0, 4, false), 77u);
        EXPECT_EQ(count(base::p55c_snoops), 1u);
        EXPECT_EQ(count(base::p55c_snoop_hits), 1u);
        EXPECT_EQ(count(base::data_cache_lines_written_back), 1u);
        // It waits for this line in its cache, which a write invalidates.
        h.access(0x3080, 5, 4, true);
        wait(20, sc_core::SC_US);
        EXPECT_EQ(count(base::p55c_snoop_hits), 2u);
        // A write has not brought this one.
        EXPECT_EQ(h.access(0x30c0, 0, 4, false), 6u);
        EXPECT_EQ(count(base::p55c_snoops), 3u);
        EXPECT_EQ(count(base::p55c_snoop_hits), 2u);
        // Two lines.
        h.access(0x305e, 0, 4, false);
        EXPECT_EQ(count(base::p55c_snoops), 5u);
        // A jump to itself becomes HLT.
        EXPECT_EQ(c[0].cpu().running(0), core::run_state::running);
        h.access(0x2000, 0xf4, 1, true);
        wait(20, sc_core::SC_US);
        EXPECT_EQ(c[0].cpu().running(0), core::run_state::halted);
        // Debug accesses are none of this.
        h.read(0x3040);
        EXPECT_EQ(count(base::p55c_snoops), 6u);
    };
    sc_core::sc_start();
}

}  // namespace
}  // namespace knc::card
