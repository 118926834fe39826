// The card and its host: accesses of the card to the window at 0x80'0000'0000, accesses of the host
// to memory whose lines are in the card's caches.
#include <knc/card/card.h>

#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "rig.h"

namespace knc::card {
namespace {

using test::program;

// Linear 2 MB up is the window. Writes 8 bytes there, keeps what it reads there in memory, and what
// is in memory one line up.
KNC_PROGRAM64(visits_its_host,
              "movl $0x200010, %ebx\nmovabs $0x1122334455667788, %rax\nmovq %rax, (%rbx)\n"
              "movl 8(%rbx), %ecx\nmovl %ecx, 0x3000\nmovl $77, 0x3040\n1: hlt\njmp 1b");

struct host final : sc_core::sc_module {
    struct access {
        bool write;
        std::uint64_t address;
        unsigned size;
        std::uint64_t data;
    };

    explicit host(sc_core::sc_module_name name) : sc_module(name) {
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
        const auto put = [this](std::uint64_t at, std::uint64_t v) {
            move(at, &v, sizeof v, true);
        };
        put(0x8008, 0x0020'9b00'0000'ffff);               // 64-bit code
        put(0x8080, std::uint64_t{0x8000} << 16 | 0x0f);  // GDTR
        put(0x9000, 0xa003);
        put(0xa000, 0xb003);
        put(0xb000, 0x83);
        put(0xb008, 0x80'0000'0083);
        load(0x1000, visits_its_host);
        load(0x7000, test::to_long_mode);
    }
    void load(std::uint64_t at, const program& p) {
        move(at, const_cast<unsigned char*>(p.begin), static_cast<unsigned>(p.end - p.begin), true);
    }
    void move(std::uint64_t at, void* data, unsigned size, bool write) {
        tlm::tlm_generic_payload p;
        p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        p.set_address(at);
        p.set_data_ptr(static_cast<unsigned char*>(data));
        p.set_data_length(size);
        p.set_streaming_width(size);
        EXPECT_EQ(card->transport_dbg(p), size);
    }
    std::uint32_t read(std::uint64_t at) {
        std::uint32_t v = 0;
        move(at, &v, sizeof v, false);
        return v;
    }

    tlm_utils::simple_target_socket<host> memory{"memory"};
    tlm_utils::simple_initiator_socket<host> card{"card"};
    tlm_utils::simple_initiator_socket_optional<host> nobody{"nobody"};
    std::vector<access> seen;
};

TEST(host_window, is_reached_over_the_ring) {
    card c("card", parameters{}, run_control{});
    host h("host");
    h.card.bind(c.host);
    c.system.bind(h.memory);
    c.boot(0x7000, 0, 0);
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
    EXPECT_EQ(c[0].caches()->state(0x3040 / 64), coherence::l2_state::m);
    EXPECT_EQ(h.read(0x3000), 0x5a5a'5a5au);
    EXPECT_EQ(h.read(0x3040), 77u);
    // And the other way round, without the line changing its state.
    std::uint32_t v = 78;
    h.move(0x3040, &v, sizeof v, true);
    EXPECT_EQ(h.read(0x3040), 78u);
    EXPECT_EQ(c[0].caches()->state(0x3040 / 64), coherence::l2_state::m);
}

TEST(host_window, reads_as_all_ones_where_nobody_answers) {
    std::vector<std::string> warnings;
    run_control control;
    control.warning = [&](const std::string& text) { warnings.push_back(text); };
    card c("card", parameters{}, control);
    host h("host");
    h.card.bind(c.host);
    h.nobody.bind(h.memory);
    c.boot(0x7000, 0, 0);
    sc_core::sc_start();
    EXPECT_TRUE(h.seen.empty());
    EXPECT_EQ(h.read(0x3000), 0xffff'ffffu);
    EXPECT_EQ(warnings.size(), 2u);
}

}  // namespace
}  // namespace knc::card
