// The host: it loads a program into both cards, starts them, gives them work in turns, and reads
// the results.
//
// Everything goes through what PCI Express gives a host: the card's memory (BAR0), its registers
// (BAR4), its interrupt and its reset. Leaves out: the link itself.
#ifndef SOC_HOST_H
#define SOC_HOST_H

#include <cstdint>
#include <string>

#include <systemc>

#include "card_program.h"
#include "host_memory.h"
#include "link.h"
#include "transcript.h"

// The host's side of one card.
struct slot {
    slot(const std::string& card, const std::string& prefix)
        : name(card),
          memory((prefix + "memory").c_str()),
          registers((prefix + "registers").c_str()),
          debugger((prefix + "debugger").c_str()),
          interrupt((prefix + "interrupt").c_str()),
          reset((prefix + "reset").c_str()) {}
    const std::string name;
    link memory, registers;  // BAR0 and BAR4
    link debugger;           // not used: loaders and debuggers access the card here
    sc_core::sc_in<bool> interrupt;
    sc_core::sc_out<bool> reset;
};

class host : public sc_core::sc_module {
  public:
    slot slot0{"card0", "slot0_"}, slot1{"card1", "slot1_"};
    bool done = false;

    SC_HAS_PROCESS(host);
    host(sc_core::sc_module_name name, const host_memory& memory) : sc_module(name), own_(memory) {
        SC_THREAD(run);
    }

    static constexpr std::uint32_t words = 64;

  private:
    // Each edge of the reset clears the card's registers and loses accesses in flight, some 50
    // clocks later.
    const sc_core::sc_time reset_time{1, sc_core::SC_US};
    // A card that has not answered by then never will.
    const sc_core::sc_time patience{100, sc_core::SC_US};
    // Offsets in BAR4.
    static constexpr std::uint64_t cause = 0x19004, enable = 0x1900C, command0 = 0x1A9D0;

    void run() {
        using namespace card_program;
        for (slot* const s : {&slot0, &slot1}) s->reset.write(true);
        sc_core::wait(reset_time);
        for (slot* const s : {&slot0, &slot1}) load(*s);
        for (slot* const s : {&slot0, &slot1}) start(*s);

        // The squares of 0 to 63, their sum, and the sum of all partial sums.
        std::uint32_t total = 0, total_of_partial = 0;
        for (std::uint32_t n = 0; n < words; ++n) {
            total += n * n;
            total_of_partial += total;
        }
        work(slot0, {produce, 0, words});
        for (std::uint32_t n = 0; n < words; ++n)
            expect_equal(own_.word(4 * n), n * n, "a word that card0 wrote");
        expect_equal(work(slot1, {sum, 0, words}), total, "card1's sum of what card0 wrote");
        expect_equal(work(slot0, {sum, 0x1000, words}), total_of_partial,
                     "card0's sum of what card1 wrote");

        send(slot0, {finish, 40, 0});
        say(name(), "has told card0 to finish");
        sc_core::wait(patience);
        expect(!slot0.memory.read_block(result_at, &total, sizeof total),
               "card0's memory still answers");
        say(name(), "finds card0's memory closed");
        // The other card does not depend on it.
        work(slot1, {produce, 0x2000, words});
        expect_equal(own_.word(0x2000 + 4 * (words - 1)), (words - 1) * (words - 1),
                     "the last word that card1 wrote");
        send(slot1, {finish, 41, 0});
        say(name(), "has told card1 to finish");
        done = true;
    }

    void load(slot& s) {
        using namespace card_program;
        const auto code = program(), around = tables();
        const mailbox none{};
        expect(s.memory.write_block(program_at, code.data(), code.size()) &&
                   s.memory.write_block(tables_at, around.data(), around.size()) &&
                   s.memory.write_block(command_at, &none, sizeof none),
               "the host writes the card's memory");
        say(name(), "has copied a program to " + s.name);
    }
    void start(slot& s) {
        s.reset.write(false);
        sc_core::wait(reset_time);
        expect(s.registers.write(enable, 1, 4), "the host enables doorbell 0");
        wait_for(s);
        say(name(), s.name + " is ready");
    }
    // Gives a card a command and waits for its end. Returns the result.
    std::uint32_t work(slot& s, const card_program::mailbox& m) {
        send(s, m);
        wait_for(s);
        std::uint32_t result = 0;
        expect(s.memory.read_block(card_program::result_at, &result, sizeof result),
               "the host reads the card's memory");
        say(name(), s.name + (m.what == card_program::produce
                                  ? " has written " + std::to_string(m.words) + " squares"
                                  : "'s sum of " + std::to_string(m.words) + " words is " +
                                        std::to_string(result)));
        return result;
    }
    // The command, and an interrupt to thread 0 of core 0.
    void send(slot& s, const card_program::mailbox& m) {
        expect(s.memory.write_block(card_program::command_at, &m, sizeof m) &&
                   s.registers.write(command0 + 4, 0, 4) &&
                   s.registers.write(command0, card_program::interrupt_vector | 1 << 13, 4),
               "the host interrupts the card");
    }
    // Until the card's doorbell rings, and acknowledges it.
    void wait_for(slot& s) {
        if (!s.interrupt.read()) sc_core::wait(patience, s.interrupt.posedge_event());
        if (!s.interrupt.read()) {
            expect(false, s.name + " does not answer");
            sc_core::sc_stop();
            sc_core::wait();
        }
        std::uint64_t causes = 0;
        expect(s.registers.read(cause, causes, 4) && s.registers.write(cause, causes, 4),
               "the host acknowledges");
        expect_equal(causes, 1, "the cause is doorbell 0");
        if (s.interrupt.read()) sc_core::wait(s.interrupt.negedge_event());
    }

    const host_memory& own_;
};

#endif
