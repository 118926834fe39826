// UART, exit port and sleep control register of profile compat.

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/sbox/pc_ports.h>
#include <knc/sbox/uart.h>

namespace knc::sbox::test {
namespace {

struct bench : sc_core::sc_module, test_if, line_if, pin_if {
    explicit bench(const sc_core::sc_module_name& name = "bench")
        : sc_module(name), serial("uart", base::clock(1'000'000'000), {100, true}), ports("ports") {
        out.bind(ports.target);
        ports.run.bind(*this);
        ports.uart.bind(serial);
        serial.line.bind(*this);
        serial.interrupts.bind(*this);
    }
    void transmit(char c) override { printed += c; }
    std::optional<char> receive() override {
        if (typed.empty()) return {};
        const char c = typed.front();
        typed.erase(0, 1);
        return c;
    }
    void set_pin(unsigned pin, bool level, base::cycle_t now) override {
        EXPECT_EQ(pin, 8u);
        edges.emplace_back(level, now);
    }
    void exit(std::uint32_t code) override { exits.push_back(code); }
    void marker(std::uint32_t) override { ADD_FAILURE() << "there is no marker port"; }
    void fast_forward(bool) override { ADD_FAILURE() << "there is no fast-forward port"; }

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t port, unsigned size,
                                    std::uint32_t& value) {
        if (sc_core::sc_get_status() < sc_core::SC_RUNNING)
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        tlm::tlm_generic_payload p;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        p.set_command(command);
        p.set_address(port);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(size);
        p.set_streaming_width(size);
        out->b_transport(p, delay);
        return p.get_response_status();
    }
    tlm::tlm_response_status write(std::uint64_t port, unsigned size, std::uint32_t value) {
        return access(tlm::TLM_WRITE_COMMAND, port, size, value);
    }
    std::uint32_t read(std::uint64_t port, unsigned size) {
        std::uint32_t value = 0;
        EXPECT_EQ(access(tlm::TLM_READ_COMMAND, port, size, value), tlm::TLM_OK_RESPONSE);
        return value;
    }

    std::string printed, typed;
    std::vector<std::uint32_t> exits;
    std::vector<std::pair<bool, base::cycle_t>> edges;
    uart serial;
    pc_ports ports;
    tlm_utils::simple_initiator_socket<bench> out{"out"};
};

TEST(pc_ports, uart) {
    bench b;
    EXPECT_EQ(b.read(0x3fd, 1), 0x60u);  // LSR: the transmitter is empty
    for (const char c : std::string("ok\n"))
        EXPECT_EQ(b.write(0x3f8, 1, static_cast<std::uint8_t>(c)), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.printed, "ok\n");
    EXPECT_EQ(b.write(0x3ff, 1, 0x5a), tlm::TLM_OK_RESPONSE);  // scratch
    EXPECT_EQ(b.read(0x3ff, 1), 0x5au);
    // A word goes to two ports: divisor latch access, then both halves of the divisor.
    EXPECT_EQ(b.write(0x3fb, 1, 0x83), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.write(0x3f8, 2, 0x1234), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.read(0x3f9, 1), 0x12u);
    EXPECT_EQ(b.read(0x3f8, 2), 0x1234u);
    EXPECT_EQ(b.printed, "ok\n");
}

// 1 GHz: a nanosecond is a clock, a character takes 100.
TEST(pc_ports, a_character_arrives_and_interrupts_at_its_clock) {
    bench b;
    EXPECT_EQ(b.write(0x3f9, 1, 0x01), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.write(0x3fc, 1, 0x0b), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.serial.pending_from(), 100u);
    sc_core::sc_start(150, sc_core::SC_NS);  // asked in vain
    EXPECT_EQ(b.serial.pending_from(), base::never);
    b.typed = "ok";
    b.serial.input_ready();
    EXPECT_EQ(b.serial.pending_from(), 200u);
    sc_core::sc_start(49, sc_core::SC_NS);
    EXPECT_EQ(b.read(0x3fd, 1), 0x60u);
    EXPECT_TRUE(b.edges.empty());
    sc_core::sc_start(2, sc_core::SC_NS);  // to 201
    EXPECT_EQ(b.read(0x3fa, 1), 0x04u);
    EXPECT_EQ(b.read(0x3f8, 1), static_cast<unsigned>('o'));
    EXPECT_EQ(b.edges, (std::vector<std::pair<bool, base::cycle_t>>{{true, 200}, {false, 201}}));
    b.serial.reset();  // MCR is 0: the other end waits
    EXPECT_EQ(b.serial.pending_from(), base::never);
    EXPECT_EQ(b.read(0x3fd, 1), 0x60u);
}

TEST(pc_ports, exit_code_is_twice_the_value_plus_one) {
    bench b;
    EXPECT_EQ(b.write(0xf4, 4, 0), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.write(0xf4, 1, 3), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.write(0xf4, 2, 0x101), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.exits, (std::vector<std::uint32_t>{1, 7, 0x203}));
    std::uint32_t value = 0;
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, 0xf4, 4, value), tlm::TLM_COMMAND_ERROR_RESPONSE);
}

// ACPI 5.0, 4.8.3.7: bit 5 enters the state of sleep in bits 4:2; 5 is S5 in the loader's tables.
TEST(pc_ports, the_sleep_control_register_powers_off) {
    bench b;
    for (const std::uint32_t value : {0x00u, 0x14u, 0x20u, 0x24u, 0x3cu})
        EXPECT_EQ(b.write(0x600, 1, value), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.write(0x601, 1, 0x34), tlm::TLM_OK_RESPONSE);  // the status register
    EXPECT_TRUE(b.exits.empty());
    EXPECT_EQ(b.read(0x600, 2), 0u);
    EXPECT_EQ(b.write(0x600, 1, 0x34), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.exits, std::vector<std::uint32_t>{0});
}

// MC146818A: seconds to year at 0, 2, 4, 6 to 9, in BCD; A and B: 32768 Hz, 24 hours; D: valid.
TEST(pc_ports, the_clock_starts_on_saturday_1_january_2000) {
    bench b;
    struct {
        std::uint8_t index, value;
    } const rows[] = {{0x0, 0}, {0x2, 0},     {0x4, 0},    {0x6, 7},    {0x7, 1},   {0x8, 1},
                      {0x9, 0}, {0x8a, 0x26}, {0xb, 0x02}, {0xd, 0x80}, {0xe, 0x00}};
    for (const auto& x : rows) {
        EXPECT_EQ(b.write(0x70, 1, x.index), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.read(0x71, 1), x.value) << int{x.index};
    }
    EXPECT_EQ(b.read(0x70, 1), 0xffu);
    std::uint32_t value = 0;
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, 0x71, 2, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // 60 days, 23 hours, 59 minutes and 58 seconds later; 2000 has a 29 February.
    cmos_clock c;
    const std::uint64_t later = 60 * 86400 + 86398;
    const std::pair<std::uint8_t, std::uint8_t> then[] = {
        {0x0, 0x58}, {0x2, 0x59}, {0x4, 0x23}, {0x6, 4}, {0x7, 0x01}, {0x8, 3}, {0x9, 0}};
    for (const auto& [index, expected] : then) {
        c.select(index);
        EXPECT_EQ(c.read(later), expected) << int{index};
    }
}

TEST(pc_ports, other_ports_and_sizes_are_refused) {
    bench b;
    for (const std::uint64_t port : {0x80u, 0xf3u, 0xf5u, 0x3f7u, 0x400u, 0x5ffu, 0x602u})
        EXPECT_EQ(b.write(port, 1, 0), tlm::TLM_ADDRESS_ERROR_RESPONSE) << std::hex << port;
    EXPECT_EQ(b.write(0x3ff, 2, 0), tlm::TLM_ADDRESS_ERROR_RESPONSE);  // ends outside
    EXPECT_EQ(b.write(0x3f8, 3, 0), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_TRUE(b.exits.empty());
    EXPECT_TRUE(b.printed.empty());
}

}  // namespace
}  // namespace knc::sbox::test
