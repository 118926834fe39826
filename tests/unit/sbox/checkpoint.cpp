// Devices that are loaded go on as those that were saved.
#include <deque>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <knc/base/memory_archive.h>
#include <knc/sbox/registers.h>
#include <knc/sbox/uart_registers.h>

namespace knc::sbox::test {
namespace {

template <class T>
void move_on(T& from, T& to) {
    base::memory_writer w;
    w(from);
    base::memory_reader r(w.content());
    r(to);
    EXPECT_TRUE(r.left().empty());
}

struct line final : uart_registers::outputs {
    void transmit(char) override {}
    std::optional<char> receive() override {
        if (typed.empty()) return {};
        const char c = typed.front();
        typed.pop_front();
        return c;
    }
    void interrupt(bool level, base::cycle_t) override { interrupts = level; }

    std::deque<char> typed;
    bool interrupts = false;
};

// One character is in the FIFO, the next one arrives in cycle 300; then the interrupt is due.
TEST(checkpoint, uart) {
    constexpr unsigned rbr = 0, ier = 1, fcr = 2, mcr = 4;
    line one, other;
    uart_registers a({100, true}, one), b({100, true}, other);
    one.typed = {'x', 'y'};
    a.write(fcr, 0x41, 150);  // FIFOs on, an interrupt from 4 characters on
    a.write(ier, 1, 150);
    a.write(mcr, 0x0b, 150);
    a.run(200);
    EXPECT_EQ(a.received(), 1u);
    move_on(a, b);
    EXPECT_EQ(b.next_activity(), 300u);
    other.typed = {'y'};
    b.run(300);
    EXPECT_EQ(b.read(rbr, 300), 'x');
    EXPECT_EQ(b.read(rbr, 300), 'y');
    EXPECT_FALSE(other.interrupts);
}

// The interrupt is raised: the other one knows that it is, and raises no second edge.
TEST(checkpoint, uart_interrupt) {
    line one, other;
    uart_registers a({100, true}, one), b({100, true}, other);
    a.write(1, 2, 0);  // the transmitter is empty
    a.write(4, 8, 0);  // OUT2
    EXPECT_TRUE(one.interrupts);
    move_on(a, b);
    EXPECT_TRUE(b.line());
    EXPECT_EQ(b.read(2, 0) & 0x0fu, 2u);
    EXPECT_FALSE(b.line());
}

struct wires final : registers::outputs {
    void send(const interrupt& i, base::cycle_t) override { sent.push_back(i.vector); }
    void request_reset() override {}
    std::string sent;
};

// Pin 8 is level-triggered, active, and waits for its EOI; the elapsed time goes on.
TEST(checkpoint, sbox) {
    constexpr std::uint32_t entry_8 = 0x10000 + 0xa840 + 8 * 8, level_0x55 = 0x8055;
    identity i;
    i.clock_hz = 1'100'000'000;
    wires one, other;
    registers a(i, one), b(i, other);
    ASSERT_TRUE(a.write(entry_8, level_0x55, 100));
    a.set_pin(8, true, 200);
    EXPECT_EQ(one.sent, "\x55");
    move_on(a, b);
    EXPECT_EQ(b.shown(1'000'000).elapsed, a.shown(1'000'000).elapsed);
    EXPECT_EQ(b.shown(300).in_service, 1u << 8);
    b.end_of_interrupt(0x55, 400);
    EXPECT_EQ(other.sent, "\x55");
}

}  // namespace
}  // namespace knc::sbox::test
