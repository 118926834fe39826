// A rig whose thread 0 runs 32-bit code with a handler behind every vector that notes what it was
// called for.
#ifndef KNC_TESTS_UNIT_CARD_EVENT_LOG_H
#define KNC_TESTS_UNIT_CARD_EVENT_LOG_H

#include "rig.h"

// What a program begins with: tables and stack. LABEL(P, L) is the address of label L of program P.
#define KNC_LOGGED "lgdt 0x80a0\nlidt 0x80a8\nmovl $0x9000, %esp\n"
#define KNC_LABEL(program, label) "(" #label " - " #program "_begin + 0x1000)"

namespace knc::card::test {

// In: vector, error code (0 if it has none) and the event's frame on the stack.
KNC_PROGRAM(note_event,
            "pushal\nmovl 0x4000, %edi\n"
            "movl 32(%esp), %eax\nmovl %eax, (%edi)\n"
            "movl 36(%esp), %eax\nmovl %eax, 4(%edi)\n"
            "movl 40(%esp), %eax\nmovl %eax, 8(%edi)\n"
            "movl 48(%esp), %eax\nmovl %eax, 12(%edi)\n"
            "movl %dr6, %eax\nmovl %eax, 16(%edi)\nxorl %eax, %eax\nmovl %eax, %dr6\n"
            "addl $20, %edi\nmovl %edi, 0x4000\n"
            "cmpl $1, 32(%esp)\njne 1f\nmovl 0x4004, %eax\norl %eax, 48(%esp)\n1:\n"
            "movl 0x4008, %eax\nandl %eax, 48(%esp)\n"
            "popal\naddl $8, %esp\niret");

class event_log : public rig {
  public:
    struct event {
        std::uint32_t vector, error, eip, eflags, dr6;
    };

    explicit event_log(const parameters& p = {}) : event_log("rig", p) {}
    event_log(const char* name, const parameters& p) : rig(name, p) {
        put(0x8008, std::uint64_t{0x00cf'9b00'0000'ffff});  // code
        put(0x8010, std::uint64_t{0x00cf'9300'0000'ffff});  // data
        put(0x8018, std::uint64_t{0x00cf'9300'0000'ffff});  // data, for MOV SS
        put(0x80a0, std::uint64_t{0x8000} << 16 | 0x1f);
        put(0x80a8, std::uint64_t{0x8100} << 16 | 0x3ff);
        for (std::uint32_t v = 0; v < 0x80; ++v) {
            put(0x8100 + 8 * v, std::uint64_t{stub(v)} | 0x8e00'0008'0000);
            put_stub(v);
        }
        load(0x3000, note_event);
        put(0x4000, log_at);
        put(0x4008, ~std::uint32_t{0});
    }

    // Where vector `v`'s handler begins.
    static constexpr std::uint32_t stub(std::uint32_t v) { return 0x2000 + 16 * v; }
    // The handler clears `clear` in the flags it returns to; that of #DB sets `set`.
    void on_return(std::uint32_t set, std::uint32_t clear) {
        put(0x4004, set);
        put(0x4008, ~clear);
    }
    void remove_gate(std::uint32_t v) { put(0x8100 + 8 * v, std::uint64_t{0x0e00'0008'0000}); }
    template <class T>
    void put(std::uint32_t at, T value) {
        std::memcpy(memory.data() + at, &value, sizeof value);
    }
    // An interrupt for thread 0 from outside.
    void interrupt(std::uint8_t vector) {
        ASSERT_TRUE(unit.apic(0).write(0xf0, 0x1ff, unit.cpu().now()));
        apic::interrupt_message m;
        m.vector = vector;
        unit.apic(0).receive(m, unit.cpu().now());
        unit.cpu().notify();
    }

    // Runs `p` until it halts.
    void execute(const program& p) {
        start(0, 0x1000, p);
        run_to_halt();
    }
    void run_to_halt() {
        for (int n = 0; n < 100 && unit.cpu().running(0) == core::run_state::running; ++n)
            run(unit.cpu().now() + 1000);
        EXPECT_EQ(unit.cpu().running(0), core::run_state::halted);
    }
    std::size_t events() { return (read<std::uint32_t>(0x4000) - log_at) / sizeof(event); }
    event at(std::size_t n) {
        return read<event>(static_cast<std::uint32_t>(log_at + n * sizeof(event)));
    }
    // A value the program left at 0x5000 + 4 * n.
    std::uint32_t mark(std::uint32_t n) { return read<std::uint32_t>(0x5000 + 4 * n); }

  private:
    static constexpr std::uint32_t log_at = 0xa000;

    // push 0 (where the processor pushes no error code); push vector; jmp note_event
    void put_stub(std::uint32_t v) {
        const bool error = v == 8 || (v >= 10 && v <= 14) || v == 17;
        put(stub(v), static_cast<std::uint16_t>(error ? 0x9090 : 0x006a));
        put(stub(v) + 2, static_cast<std::uint16_t>(0x6a | v << 8));
        put(stub(v) + 4, std::uint8_t{0xe9});
        put(stub(v) + 5, 0x3000 - (stub(v) + 9));
    }
};

}  // namespace knc::card::test

#endif
