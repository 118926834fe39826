// The TLM target around the registers: sizes, errors, time, the interrupt line.
#include <knc/sbox/sbox.h>

#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/base/access.h>

namespace knc::sbox::test {
namespace {

using sc_core::SC_NS;

constexpr std::uint64_t spad = 0x1'ab20, icr = 0x1'a9d0, redirection = 0x1'a840, sicr0 = 0x1'9004,
                        sice0 = 0x1'900c, sdbic = 0x1'cc90, etc_low = 0x1'1074;

struct bench : sc_core::sc_module, interrupt_sink_if, reset_request_if {
    explicit bench(const sc_core::sc_module_name& name = "bench")
        : sc_module(name), registers("registers", identity{}) {
        registers.interrupts.bind(*this);
        registers.reset_request.bind(*this);
        out.bind(registers.target);
        registers.host_interrupt.bind(line);
    }

    void send(const interrupt& i, base::cycle_t now) override { sent.emplace_back(i, now); }
    void request_reset() override {}

    template <class T>
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset, T& value,
                                    sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
        if (sc_core::sc_get_status() < sc_core::SC_RUNNING)
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(offset);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(sizeof value);
        p.set_streaming_width(sizeof value);
        p.set_extension(extension);
        out->b_transport(p, delay);
        p.clear_extension(extension);
        return p.get_response_status();
    }
    template <class T = std::uint32_t>
    T read(std::uint64_t offset, sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
        T value = 0;
        EXPECT_EQ(access(tlm::TLM_READ_COMMAND, offset, value, delay), tlm::TLM_OK_RESPONSE);
        return value;
    }
    template <class T = std::uint32_t>
    void write(std::uint64_t offset, T value) {
        EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, offset, value), tlm::TLM_OK_RESPONSE);
    }

    std::vector<std::pair<interrupt, base::cycle_t>> sent;
    base::access* extension = nullptr;
    knc::sbox::sbox registers;
    sc_core::sc_signal<bool> line{"line"};
    tlm_utils::simple_initiator_socket<bench> out{"out"};
};

TEST(sbox_module, takes_four_and_eight_bytes) {
    bench b;
    b.write<std::uint64_t>(spad, 0x2222'2222'1111'1111);
    EXPECT_EQ(b.read(spad), 0x1111'1111u);
    EXPECT_EQ(b.read(spad + 4), 0x2222'2222u);
    EXPECT_EQ(b.read<std::uint64_t>(spad), 0x2222'2222'1111'1111u);
    // The destination is there when the lower half sends.
    b.write<std::uint64_t>(icr, std::uint64_t{9} << 32 | 1u << 13 | 0x44);
    ASSERT_EQ(b.sent.size(), 1u);
    EXPECT_EQ(b.sent[0].first.destination, 9);
}

TEST(sbox_module, refuses_the_rest) {
    bench b;
    std::uint8_t byte = 0;
    std::uint16_t word = 0;
    std::uint32_t dword = 0;
    std::uint64_t qword = 0;
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, spad, byte), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, spad, word), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, spad + 2, dword), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, spad + 4, qword), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, 0x1'a000, dword), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, 0x2'0000, dword), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, std::uint64_t{1} << 32 | spad, dword),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // Half of it has no register: nothing is written.
    qword = ~std::uint64_t{0};
    EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, 0x1'9010, qword), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, 0x1'9000, qword), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, 0x1'9008, qword), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.read(sice0), 0u);
}

// 64 ns a step of 32.
TEST(sbox_module, time_is_systemcs_or_the_extensions) {
    bench b;
    b.read(etc_low);
    sc_core::sc_start(640, SC_NS);
    EXPECT_EQ(b.read(etc_low), 320u);
    // 705 ns are 775.5 clocks, 11 steps 774.4.
    EXPECT_EQ(b.read(etc_low, sc_core::sc_time(65, SC_NS)), 352u);
    base::access who;
    who.cycle = 352;  // 5 steps of 70.4 clocks
    b.extension = &who;
    EXPECT_EQ(b.read(etc_low), 160u);
    b.extension = nullptr;
}

TEST(sbox_module, line_to_the_host_follows_without_time) {
    bench b;
    b.write(sice0, std::uint32_t{0xf});
    b.write(sdbic, std::uint32_t{1} << 31);
    EXPECT_FALSE(b.line.read());  // the signal changes in a later delta cycle
    sc_core::sc_start(1, sc_core::SC_PS);
    EXPECT_TRUE(b.line.read());
    b.write(sicr0, std::uint32_t{1});
    sc_core::sc_start(1, sc_core::SC_PS);
    EXPECT_FALSE(b.line.read());
}

// An idle line that is active low asks again after its EOI: in the EOI's clock, 1'100 at 1 us.
TEST(sbox_module, an_eoi_takes_effect_at_its_clock) {
    bench b;
    b.write(redirection + 8 * 17, entry::level | entry::active_low | 0x50);
    ASSERT_EQ(b.sent.size(), 1u);
    EXPECT_EQ(b.registers.pending_from(), base::never);
    b.registers.end_of_interrupt(0x50, 1'100);
    b.registers.end_of_interrupt(0x51, 550);  // nobody's
    EXPECT_EQ(b.registers.pending_from(), 0u);
    sc_core::sc_start(999, SC_NS);
    EXPECT_EQ(b.sent.size(), 1u);
    EXPECT_EQ(b.registers.pending_from(), 0u);
    sc_core::sc_start(2, SC_NS);
    ASSERT_EQ(b.sent.size(), 2u);
    EXPECT_EQ(b.sent[1].second, 1'100u);
    EXPECT_EQ(b.registers.pending_from(), base::never);
}

// The level of a device's pin, and its request again after the EOI.
TEST(sbox_module, a_pin_from_outside_asks_while_it_is_active) {
    bench b;
    b.write(redirection + 8 * 8, entry::level | 0x50);
    b.registers.set_pin(8, true, 30);
    ASSERT_EQ(b.sent.size(), 1u);
    EXPECT_EQ(b.sent[0].second, 30u);
    b.registers.end_of_interrupt(0x50, 1'100);
    sc_core::sc_start(1001, SC_NS);
    ASSERT_EQ(b.sent.size(), 2u);
    b.registers.set_pin(8, false, 1'200);
    b.registers.end_of_interrupt(0x50, 2'200);
    sc_core::sc_start(1001, SC_NS);
    EXPECT_EQ(b.sent.size(), 2u);
}

// An edge takes effect in its clock, too; those of one clock come after its EOIs.
TEST(sbox_module, an_edge_takes_effect_at_its_clock) {
    bench b;
    b.write(redirection + 8 * 12, std::uint32_t{0x50});
    b.registers.pulse_pin(12, 1'100);
    b.registers.pulse_pin(13, 1'100);  // masked
    EXPECT_EQ(b.registers.pending_from(), 0u);
    sc_core::sc_start(999, SC_NS);
    EXPECT_EQ(b.sent.size(), 0u);
    sc_core::sc_start(2, SC_NS);
    ASSERT_EQ(b.sent.size(), 1u);
    EXPECT_EQ(b.sent[0].first.vector, 0x50);
    EXPECT_EQ(b.sent[0].second, 1'100u);
    EXPECT_EQ(b.registers.pending_from(), base::never);
    // The pin is low again: a level-triggered entry asks once, and not after its EOI.
    b.write(redirection + 8 * 12, entry::level | 0x50);
    b.registers.pulse_pin(12, 2'200);
    b.registers.end_of_interrupt(0x50, 3'300);
    b.registers.pulse_pin(12, 4'400);
    b.registers.end_of_interrupt(0x50, 4'400);
    sc_core::sc_start(4, sc_core::SC_US);
    ASSERT_EQ(b.sent.size(), 3u);
    EXPECT_EQ(b.sent[1].second, 2'200u);
    EXPECT_EQ(b.sent[2].second, 4'400u);
    // What is under way when the card is reset is lost.
    b.registers.pulse_pin(12, 6'600);
    b.registers.reset();
    EXPECT_EQ(b.registers.pending_from(), base::never);
}

TEST(sbox_module, debug_reads_have_no_effect_and_writes_do_nothing) {
    bench b;
    b.write(spad + 4 * 15, std::uint32_t{0x4433'2211});
    unsigned char bytes[4] = {9, 9, 9, 9};
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_READ_COMMAND);
    p.set_address(spad + 4 * 15 + 1);
    p.set_data_ptr(bytes);
    p.set_data_length(4);
    EXPECT_EQ(b.out->transport_dbg(p), 3u);  // then the scratchpads end
    EXPECT_EQ(bytes[0], 0x22);
    EXPECT_EQ(bytes[2], 0x44);
    EXPECT_EQ(bytes[3], 9);
    p.set_command(tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(b.out->transport_dbg(p), 0u);
    EXPECT_EQ(b.read(spad + 4 * 15), 0x4433'2211u);
}

}  // namespace
}  // namespace knc::sbox::test
