// The UART alone: register values of the PC16550D data sheet, clock by clock.
#include <knc/sbox/uart_registers.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace knc::sbox::test {
namespace {

using base::cycle_t;

enum : unsigned { rbr, ier, iir, lcr, mcr, lsr, msr, scr };
constexpr unsigned thr = rbr, fcr = iir;
constexpr std::uint8_t listens = 0x0b;  // MCR: DTR, RTS, OUT2
constexpr cycle_t character = 100;

struct bench : uart_registers::outputs {
    explicit bench(bool handshake = true) : uart({character, handshake}, *this) {}
    void transmit(char c) override { printed += c; }
    std::optional<char> receive() override {
        ++asked;
        if (typed.empty()) return {};
        const char c = typed.front();
        typed.pop_front();
        return c;
    }
    void interrupt(bool level, cycle_t now) override { edges.emplace_back(level, now); }

    unsigned read(unsigned r, cycle_t now = 0) { return uart.read(r, now); }
    void write(unsigned r, std::uint8_t value, cycle_t now = 0) { uart.write(r, value, now); }
    void type(const std::string& text, cycle_t now) {
        typed.insert(typed.end(), text.begin(), text.end());
        uart.input_ready(now);
    }
    std::string take(cycle_t now) {
        std::string s;
        while ((read(lsr, now) & 1) != 0) s += static_cast<char>(read(rbr, now));
        return s;
    }

    std::string printed;
    std::deque<char> typed;
    unsigned asked = 0;
    std::vector<std::pair<bool, cycle_t>> edges;
    uart_registers uart;
};
using edges = std::vector<std::pair<bool, cycle_t>>;

TEST(uart_registers, after_reset) {
    bench b;
    b.write(ier, 0x0f);
    b.write(fcr, 0xc1);
    b.write(lcr, 0x1b);
    b.write(mcr, 0x1f);
    b.write(thr, 'x');
    b.uart.reset(7);
    EXPECT_EQ(b.read(ier, 7), 0x00u);
    EXPECT_EQ(b.read(iir, 7), 0x01u);
    EXPECT_EQ(b.read(lcr, 7), 0x00u);
    EXPECT_EQ(b.read(mcr, 7), 0x00u);
    EXPECT_EQ(b.read(lsr, 7), 0x60u);
    EXPECT_EQ(b.read(msr, 7), 0xb0u);
    EXPECT_EQ(b.read(rbr, 7), 0x00u);
    EXPECT_EQ(b.uart.next_activity(), base::never);
}

TEST(uart_registers, reserved_bits_read_zero) {
    bench b;
    b.write(ier, 0xff);
    EXPECT_EQ(b.read(ier), 0x0fu);
    b.write(ier, 0);
    b.write(mcr, 0xef);
    EXPECT_EQ(b.read(mcr), 0x0fu);
    b.write(lsr, 0xff);
    EXPECT_EQ(b.read(lsr), 0x60u);
    b.write(msr, 0xff);
    EXPECT_EQ(b.read(msr), 0xb0u);
    b.write(scr, 0xa5);
    EXPECT_EQ(b.read(scr), 0xa5u);
}

TEST(uart_registers, the_divisor_latch_hides_buffer_and_interrupt_enables) {
    bench b;
    b.write(ier, 0x05);
    b.write(lcr, 0x80);
    b.write(rbr, 0x0c);
    b.write(ier, 0x01);
    EXPECT_EQ(b.read(rbr), 0x0cu);
    EXPECT_EQ(b.read(ier), 0x01u);
    b.write(lcr, 0x03);
    EXPECT_EQ(b.read(ier), 0x05u);
    EXPECT_EQ(b.printed, "");
    b.write(thr, 'p');
    EXPECT_EQ(b.printed, "p");
}

// A character arrives at multiples of its time, from the first one after RTS on.
TEST(uart_registers, characters_arrive_at_their_clocks) {
    bench b;
    b.type("ab", 5);
    EXPECT_EQ(b.uart.next_activity(), base::never);
    b.write(mcr, listens, 150);
    EXPECT_EQ(b.uart.next_activity(), 200u);
    EXPECT_EQ(b.read(lsr, 199), 0x60u);
    EXPECT_EQ(b.read(lsr, 200), 0x61u);  // the access comes after what happens in its clock
    // Without FIFO there is room for one: the next one waits until it has been read.
    EXPECT_EQ(b.uart.next_activity(), base::never);
    EXPECT_EQ(b.read(rbr, 450), 'a');
    EXPECT_EQ(b.read(lsr, 450), 0x60u);
    EXPECT_EQ(b.uart.next_activity(), 500u);
    b.uart.run(500);
    EXPECT_EQ(b.uart.peek(lsr), 0x61u);
    EXPECT_EQ(b.uart.peek(rbr), 'b');
    EXPECT_EQ(b.uart.peek(lsr), 0x61u);  // looking takes nothing
    EXPECT_EQ(b.read(rbr, 501), 'b');
}

TEST(uart_registers, nobody_is_asked_again_before_there_is_more) {
    bench b;
    b.write(mcr, listens, 0);
    EXPECT_EQ(b.asked, 0u);
    b.uart.run(100);
    EXPECT_EQ(b.asked, 1u);
    EXPECT_EQ(b.uart.next_activity(), base::never);
    b.read(lsr, 1000);
    EXPECT_EQ(b.asked, 1u);
    b.type("z", 1000);
    EXPECT_EQ(b.uart.next_activity(), 1100u);
    b.uart.run(1100);
    EXPECT_EQ(b.asked, 2u);
    EXPECT_EQ(b.read(rbr, 1100), 'z');
}

TEST(uart_registers, rts_stops_the_other_end) {
    bench b;
    b.write(fcr, 0x01);
    b.write(mcr, listens, 0);
    b.type("abc", 0);
    b.uart.run(200);
    b.write(mcr, 0x09, 250);  // DTR, OUT2
    EXPECT_EQ(b.take(1000), "ab");
    EXPECT_EQ(b.uart.next_activity(), base::never);
    b.write(mcr, listens, 1000);
    EXPECT_EQ(b.uart.next_activity(), 1100u);
    bench without(false);
    without.type("abc", 0);
    without.uart.run(100);
    EXPECT_EQ(without.read(rbr, 100), 'a');
}

// A driver that waits for interrupts with its FIFO on need not raise RTS.
TEST(uart_registers, a_driver_may_listen_without_rts) {
    bench b;
    b.type("a", 0);
    b.write(mcr, 0x08, 10);
    b.write(ier, 0x01, 20);
    EXPECT_EQ(b.uart.next_activity(), base::never);
    b.write(fcr, 0x01, 30);
    EXPECT_EQ(b.uart.next_activity(), 100u);
    b.write(ier, 0x0e, 40);
    b.uart.run(100);
    EXPECT_EQ(b.asked, 0u);
    b.write(ier, 0x01, 150);
    b.uart.run(200);
    EXPECT_EQ(b.read(rbr, 200), 'a');
}

TEST(uart_registers, the_fifo_holds_16_and_then_the_line_waits) {
    bench b;
    b.write(fcr, 0x01);
    b.write(mcr, listens);
    b.type("0123456789abcdefgh", 0);
    b.uart.run(1600);
    EXPECT_EQ(b.uart.peek(lsr), 0x61u);
    EXPECT_EQ(b.typed.size(), 2u);
    EXPECT_EQ(b.read(rbr, 1650), '0');
    b.uart.run(1700);
    EXPECT_EQ(b.typed.size(), 1u);
    EXPECT_EQ(b.take(1750), "123456789abcdefg");
    EXPECT_EQ(b.read(lsr, 1750), 0x60u);  // no overrun
}

TEST(uart_registers, fifo_control) {
    bench b;
    b.write(fcr, 0xc0);  // without bit 0 the other bits have no effect
    EXPECT_EQ(b.read(iir), 0x01u);
    b.write(fcr, 0x01);
    EXPECT_EQ(b.read(iir), 0xc1u);
    b.write(mcr, 0x10);  // loopback fills it
    for (const char c : std::string("abc")) b.write(thr, static_cast<std::uint8_t>(c));
    b.write(fcr, 0x05);  // bit 2 is the transmitter's
    EXPECT_EQ(b.read(lsr), 0x61u);
    b.write(fcr, 0x03);
    EXPECT_EQ(b.read(lsr), 0x60u);
    b.write(thr, 'd');
    b.write(fcr, 0x00);  // a change of bit 0 clears the FIFO
    EXPECT_EQ(b.read(lsr), 0x60u);
    EXPECT_EQ(b.read(iir), 0x01u);
    b.write(thr, 'e');
    b.write(fcr, 0x01);
    EXPECT_EQ(b.read(lsr), 0x60u);
}

// Level at which the interrupt comes, for both bits of the trigger.
TEST(uart_registers, trigger_levels) {
    const std::pair<std::uint8_t, unsigned> levels[] = {
        {0x01, 1}, {0x41, 4}, {0x81, 8}, {0xc1, 14}};
    for (const auto& [control, level] : levels) {
        bench b;
        b.write(fcr, control);
        b.write(ier, 0x01);
        b.write(mcr, listens);
        b.type("0123456789abcdef", 0);
        b.uart.run(level * character - 1);
        EXPECT_EQ(b.edges, edges{}) << level;
        b.uart.run(level * character);
        EXPECT_EQ(b.edges, (edges{{true, level * character}})) << level;
        EXPECT_EQ(b.read(iir, level * character), 0xc4u) << level;
        EXPECT_EQ(b.read(rbr, level * character + 1), '0') << level;
        EXPECT_EQ(b.read(iir, level * character + 1), 0xc1u) << level;
        EXPECT_EQ(b.edges.back(), (std::pair<bool, cycle_t>{false, level * character + 1}));
    }
}

// Four times of a character after the last one came, or was read.
TEST(uart_registers, character_timeout) {
    bench b;
    b.write(fcr, 0x81);
    b.write(ier, 0x01);
    b.write(mcr, listens);
    b.type("abc", 0);
    b.uart.run(100);
    EXPECT_EQ(b.read(rbr, 100), 'a');  // at 100, then 'b' at 200 and 'c' at 300
    b.uart.run(699);
    EXPECT_EQ(b.uart.peek(iir), 0xc1u);
    b.uart.run(700);
    EXPECT_EQ(b.read(iir, 700), 0xccu);
    EXPECT_EQ(b.read(iir, 700), 0xccu);  // reading IIR does not end it
    EXPECT_EQ(b.edges, (edges{{true, 700}}));
    // A new character does not end it either; reading one does, and starts the time again.
    b.type("d", 700);
    b.uart.run(800);
    EXPECT_EQ(b.read(iir, 820), 0xccu);
    EXPECT_EQ(b.read(rbr, 850), 'b');
    EXPECT_EQ(b.read(iir, 850), 0xc1u);
    EXPECT_EQ(b.uart.next_activity(), 900u);  // the line is asked for more, in vain
    b.uart.run(1249);
    EXPECT_EQ(b.uart.peek(iir), 0xc1u);
    b.uart.run(1250);
    EXPECT_EQ(b.uart.peek(iir), 0xccu);
    EXPECT_EQ(b.take(1300), "cd");
    EXPECT_EQ(b.uart.next_activity(), base::never);  // empty: no time runs
    EXPECT_EQ(b.edges, (edges{{true, 700}, {false, 850}, {true, 1250}, {false, 1300}}));
}

TEST(uart_registers, without_fifo_there_is_no_timeout) {
    bench b;
    b.write(ier, 0x01);
    b.write(mcr, listens);
    b.type("a", 0);
    b.uart.run(10'000);
    EXPECT_EQ(b.read(iir, 10'000), 0x04u);
    EXPECT_EQ(b.uart.next_activity(), base::never);
}

TEST(uart_registers, overrun_of_the_fifo_keeps_the_fifo) {
    bench b;
    b.write(fcr, 0x01);
    b.write(mcr, 0x10);
    for (unsigned n = 0; n < 17; ++n) b.write(thr, static_cast<std::uint8_t>('a' + n));
    EXPECT_EQ(b.printed, "");
    EXPECT_EQ(b.read(lsr), 0x63u);
    EXPECT_EQ(b.read(lsr), 0x61u);  // the read has ended it
    EXPECT_EQ(b.take(0), "abcdefghijklmnop");
}

TEST(uart_registers, overrun_of_the_buffer_replaces_it) {
    bench b;
    b.write(mcr, 0x10);
    b.write(thr, 'a');
    b.write(thr, 'b');
    EXPECT_EQ(b.read(rbr), 'b');
    EXPECT_EQ(b.read(lsr), 0x62u);
    EXPECT_EQ(b.read(lsr), 0x60u);
}

TEST(uart_registers, request_of_the_transmitter) {
    bench b;
    b.write(mcr, 0x08);
    b.write(ier, 0x02, 10);
    EXPECT_EQ(b.edges, (edges{{true, 10}}));
    EXPECT_EQ(b.read(iir, 20), 0x02u);
    EXPECT_EQ(b.read(iir, 21), 0x01u);  // reading the source has ended it
    EXPECT_EQ(b.edges, (edges{{true, 10}, {false, 20}}));
    b.write(ier, 0x02, 22);  // was enabled before: nothing new
    EXPECT_EQ(b.read(iir, 22), 0x01u);
    b.write(thr, 'x', 30);  // the transmitter empties at once
    EXPECT_EQ(b.read(iir, 31), 0x02u);
    b.write(ier, 0x00, 32);
    b.write(ier, 0x02, 33);
    EXPECT_EQ(b.read(iir, 33), 0x02u);
}

// All at once: the highest one is shown until its cause has gone.
TEST(uart_registers, priorities) {
    bench b;
    b.write(fcr, 0x41);
    b.write(ier, 0x0f);
    b.write(mcr, 0x10);
    for (unsigned n = 0; n < 17; ++n) b.write(thr, static_cast<std::uint8_t>('a' + n));
    EXPECT_EQ(b.read(iir), 0xc6u);
    EXPECT_EQ(b.read(lsr), 0x63u);
    EXPECT_EQ(b.read(iir), 0xc4u);
    for (unsigned n = 0; n < 13; ++n) b.read(rbr);
    EXPECT_EQ(b.read(iir), 0xc2u);
    EXPECT_EQ(b.read(iir), 0xc0u);
    // Going into loopback took away CTS, DSR and DCD.
    EXPECT_EQ(b.read(msr), 0x0bu);
    EXPECT_EQ(b.read(iir), 0xc1u);
    // Three characters are below the level; in time they are a time-out.
    b.uart.run(400);
    EXPECT_EQ(b.read(iir, 400), 0xccu);
    b.write(ier, 0x0e, 400);  // it belongs to the same enable as the level
    EXPECT_EQ(b.read(iir, 400), 0xc1u);
}

TEST(uart_registers, loopback_connects_the_modem_lines) {
    // MCR bits to MSR bits: DTR to DSR, RTS to CTS, OUT1 to RI, OUT2 to DCD.
    const std::pair<std::uint8_t, unsigned> lines[] = {{0x10, 0x00}, {0x11, 0x20}, {0x12, 0x10},
                                                       {0x14, 0x40}, {0x18, 0x80}, {0x1a, 0x90}};
    for (const auto& [control, status] : lines) {
        bench b;
        b.write(mcr, control);
        EXPECT_EQ(b.read(msr) & 0xf0u, status);
        EXPECT_EQ(b.read(mcr), control);
    }
    bench b;
    b.write(mcr, 0x10);
    EXPECT_EQ(b.read(msr), 0x0bu);  // DCTS, DDSR, DDCD
    EXPECT_EQ(b.read(msr), 0x00u);
    b.write(mcr, 0x14);
    EXPECT_EQ(b.read(msr), 0x40u);  // RI begins: no change is shown
    b.write(mcr, 0x10);
    EXPECT_EQ(b.read(msr), 0x04u);  // TERI
}

TEST(uart_registers, nothing_arrives_in_loopback) {
    bench b;
    b.type("a", 0);
    b.write(mcr, 0x1a);
    EXPECT_EQ(b.uart.next_activity(), base::never);
    b.write(mcr, listens, 350);
    EXPECT_EQ(b.uart.next_activity(), 400u);
}

// OUT2 is the gate of the interrupt on a PC; loopback makes it inactive.
TEST(uart_registers, out2_gates_the_interrupt) {
    bench b;
    b.write(ier, 0x02, 1);
    EXPECT_EQ(b.read(iir, 1) & 0x0f, 0x02u);
    b.write(thr, 'x', 2);
    EXPECT_EQ(b.edges, edges{});
    b.write(mcr, 0x08, 3);
    b.write(mcr, 0x18, 4);
    b.write(mcr, 0x08, 5);
    b.write(mcr, 0x00, 6);
    EXPECT_EQ(b.edges, (edges{{true, 3}, {false, 4}, {true, 5}, {false, 6}}));
    b.write(mcr, 0x08, 7);
    b.uart.reset(8);
    EXPECT_EQ(b.edges.back(), (std::pair<bool, cycle_t>{false, 8}));
}

TEST(uart_registers, says_whether_a_character_would_interrupt) {
    bench b;
    EXPECT_FALSE(b.uart.receive_interrupt_enabled());
    b.write(ier, 0x01);
    b.write(mcr, 0x08);  // no RTS
    EXPECT_FALSE(b.uart.receive_interrupt_enabled());
    b.write(mcr, 0x02);  // no OUT2
    EXPECT_FALSE(b.uart.receive_interrupt_enabled());
    b.write(mcr, 0x0a);
    EXPECT_TRUE(b.uart.receive_interrupt_enabled());
    b.write(ier, 0x0e);
    EXPECT_FALSE(b.uart.receive_interrupt_enabled());
}

// The answer of the other end to what it is sent arrives at its time, however early it is ready.
struct echo final : uart_registers::outputs {
    void transmit(char c) override {
        typed = c;
        uart.input_ready(42);
    }
    std::optional<char> receive() override { return std::exchange(typed, std::nullopt); }
    void interrupt(bool, cycle_t) override {}
    std::optional<char> typed;
    uart_registers uart{{character, true}, *this};
};

TEST(uart_registers, the_other_end_may_answer_at_once) {
    echo e;
    e.uart.write(mcr, listens, 0);
    e.uart.write(thr, 'q', 42);
    EXPECT_EQ(e.uart.next_activity(), 100u);
    EXPECT_EQ(e.uart.read(rbr, 100), 'q');
}

}  // namespace
}  // namespace knc::sbox::test
