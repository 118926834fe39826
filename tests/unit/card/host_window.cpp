// The card and its host: accesses of the card to the window at 0x80'0000'0000, accesses of the host
// to memory whose lines are in the card's caches.
#include <knc/card/card.h>

#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "host_side.h"

namespace knc::card {
namespace {

using test::program;

// Linear 2 MB up is the window. Writes 8 bytes there, keeps what it reads there in memory, and what
// is in memory one line up.
KNC_PROGRAM64(visits_its_host,
              "movl $0x200010, %ebx\nmovabs $0x1122334455667788, %rax\nmovq %rax, (%rbx)\n"
              "movl 8(%rbx), %ecx\nmovl %ecx, 0x3000\nmovl $77, 0x3040\n1: hlt\njmp 1b");

struct host final : test::host_side {
    struct access {
        bool write;
        std::uint64_t address;
        unsigned size;
        std::uint64_t data;
    };

    explicit host(sc_core::sc_module_name name) : host_side(name, visits_its_host) {
        memory.register_b_transport(this, &host::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
        access a{p.is_write(), p.get_address(), p.get_data_length(), 0};
        if (p.is_write())
            std::memcpy(&a.data, p.get_data_ptr(), a.size);
        else
            std::memset(p.get_data_ptr(), 0x5a, a.size);
        seen.push_back(a);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    void start_of_simulation() override {
        host_side::start_of_simulation();
        page_entry(1, 0x80'0000'0000);
    }

    tlm_utils::simple_target_socket<host> memory{"memory"};
    tlm_utils::simple_initiator_socket_optional<host> nobody{"nobody"};
    std::vector<access> seen;
};

TEST(host_window, is_reached_over_the_ring) {
    card c("card", parameters{}, run_control{});
    host h("host");
    h.card.bind(c.host);
    c.system.bind(h.memory);
    c.boot(host::entry, 0, 0);
    sc_core::sc_start();

    ASSERT_EQ(c.result().reason, stop_reason::deadlock);  // all asleep: the program's end
    ASSERT_EQ(h.seen.size(), 2u);
    EXPECT_TRUE(h.seen[0].write);
    EXPECT_EQ(h.seen[0].address, 0x10u);  // relative to the window
    EXPECT_EQ(h.seen[0].size, 8u);
    EXPECT_EQ(h.seen[0].data, 0x1122'3344'5566'7788u);
    EXPECT_FALSE(h.seen[1].write);
    EXPECT_EQ(h.seen[1].address, 0x18u);
    EXPECT_EQ(h.seen[1].size, 4u);
    // What the card has stored is in its L1, modified, and the host sees it.
    EXPECT_EQ(test::state_of(c[0], 0x3040 / 64), coherence::l2_state::m);
    EXPECT_EQ(h.read(0x3000), 0x5a5a'5a5au);
    EXPECT_EQ(h.read(0x3040), 77u);
    // And the other way round, without the line changing its state.
    std::uint32_t v = 78;
    h.move(0x3040, &v, sizeof v, true);
    EXPECT_EQ(h.read(0x3040), 78u);
    EXPECT_EQ(test::state_of(c[0], 0x3040 / 64), coherence::l2_state::m);
}

TEST(host_window, reads_as_all_ones_where_nobody_answers) {
    std::vector<std::string> warnings;
    run_control control;
    control.warning = [&](const std::string& text) { warnings.push_back(text); };
    card c("card", parameters{}, control);
    host h("host");
    h.card.bind(c.host);
    h.nobody.bind(h.memory);
    c.boot(host::entry, 0, 0);
    sc_core::sc_start();
    EXPECT_TRUE(h.seen.empty());
    EXPECT_EQ(h.read(0x3000), 0xffff'ffffu);
    EXPECT_EQ(warnings.size(), 2u);
}

}  // namespace
}  // namespace knc::card
