// A rig for what an interrupt of the PMU takes: thread 0 in a stream of instructions of one clock,
// a counter that overflows where the test wants it.
#ifndef KNC_TESTS_UNIT_CARD_SKID_RIG_H
#define KNC_TESTS_UNIT_CARD_SKID_RIG_H

#include "event_log.h"

namespace knc::card::test {

constexpr std::uint32_t cntr0 = 0x20, evtsel0 = 0x28, overflow_control = 0x2e, global_ctrl = 0x2f;
constexpr std::uint32_t lvt_pmc = 0x340, svr = 0xf0;
constexpr std::uint32_t pmi_vector = 0x40, nmi_entry = 0x400, masked = 1u << 16;
// Event codes; at both privileges, with INT and EN.
constexpr std::uint64_t instructions = 0x53'0016, microcode_cycles = 0x53'002c,
                        fe_stalled = 0x53'002d;
constexpr std::uint64_t without_instruction = instructions | 1u << 23 | 1u << 24;  // INV, CMASK 1

class skid_rig : public event_log {
  public:
    explicit skid_rig(const parameters& p = {}) : skid_rig("rig", p) {}
    explicit skid_rig(const char* name, const parameters& p = {}) : event_log(name, p) {}

    void enable(std::uint32_t lvt = pmi_vector) {
        ASSERT_TRUE(unit.apic(0).write(svr, 0x1ff, unit.cpu().now()));
        ASSERT_TRUE(unit.apic(0).write(lvt_pmc, lvt, unit.cpu().now()));
    }
    // Counter n overflows at the `period`-th event from now.
    void arm(std::uint64_t select, std::uint64_t period, std::uint32_t n = 0) {
        ASSERT_TRUE(unit.pmu().write(0, cntr0 + n, (std::uint64_t{1} << 40) - period));
        ASSERT_TRUE(unit.pmu().write(0, evtsel0 + n, select));
        ASSERT_TRUE(unit.pmu().write(0, global_ctrl, 3));
        unit.cpu().notify();
    }
    // The instruction after `count` others: how many from now on, it included.
    std::uint64_t distance(std::uint64_t count) const {
        return count + 1 - unit.cpu().instructions(0);
    }
    const core::skid_statistics& skid(std::size_t thread = 0) const {
        return unit.cpu().skid(thread);
    }
};

inline void expect_one(const core::skid_statistics& s, std::uint64_t delivery,
                       std::uint64_t boundary, std::uint64_t entry,
                       std::uint64_t instructions_between) {
    EXPECT_EQ(s.count, 1u);
    EXPECT_EQ(s.delivery.sum, delivery);
    EXPECT_EQ(s.boundary.sum, boundary);
    EXPECT_EQ(s.entry.sum, entry);
    EXPECT_EQ(s.total.sum, delivery + boundary + entry);
    EXPECT_EQ(s.instructions.sum, instructions_between);
}

// 400 instructions of one clock each, which do not pair: one in each second clock. 6 before them.
#define KNC_STREAM(name, prefix, text)                                   \
    KNC_PROGRAM(name, KNC_LOGGED prefix                                  \
                "movl $7, %ecx\nxorl %edx, %edx\n.rept 400\nadcl %eax, " \
                "%eax\n.endr\n" text                                     \
                "\n.rept 300\nadcl %eax, %eax\n"                         \
                ".endr\n1: jmp 1b")
KNC_STREAM(singles, "sti\n", "nop");
KNC_STREAM(interrupts_off, "nop\n", "sti\nnop");
constexpr std::uint64_t in_stream = 500;  // a clock at which it is being executed
constexpr std::uint64_t before_text = 6 + 400;

// 64-bit code, which DELAY needs, all memory in one 2 MB page.
class long_rig : public skid_rig {
  public:
    void begin(const program& p, std::uint16_t handler) {
        put(0xc400, handler | std::uint64_t{0x8e00'0008'0000});  // vector 0x40: interrupt gate
        put(0xc408, std::uint64_t{0});
        put(0xe000, std::uint64_t{0xc000} << 16 | 0xfff);  // IDTR
        put(handler, std::uint16_t{0xfeeb});               // jmp to itself
        start64(0, p);
        enable();
        run(in_stream);
        arm(fe_stalled, 100);
        run(5000);
    }
    static constexpr std::uint16_t near = 0x1f00, far = 0x3800;  // in the program's page or not
};
#define KNC_DELAYS(name, flag, text)                                                             \
    KNC_PROGRAM64(name, "lidt 0xe000\nmovl $0xf000, %esp\n" flag                                 \
                        "\nmovl $500, %ecx\n.rept "                                              \
                        "400\nadcl %eax, %eax\n.endr\n.byte 0xC4, 0xE1, 0x7A, 0xAE, 0xF1\n" text \
                        "\n.rept 300\nadcl %eax, %eax\n.endr\n1: jmp 1b")
KNC_DELAYS(delays, "sti", "nop");

}  // namespace knc::card::test

#endif
