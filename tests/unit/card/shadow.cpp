// STI and MOV SS let one more instruction execute, also in another page, and also if it has to
// wait.

#include <knc/card/card.h>

#include "host_side.h"

namespace knc::card::test {
namespace {

KNC_PROGRAM64(to_end_of_page,
              "lidt 0x80c0\nmovl $0x7f00, %esp\nxorl %ebx, %ebx\nmovl $600, %ecx\n1: loop 1b\n"
              "movl $0x1fffff, %eax\njmp *%rax");
KNC_PROGRAM64(sti, "sti");
KNC_PROGRAM64(next_page, "incl %ebx\n1: jmp 1b");
KNC_PROGRAM64(handler, "hlt");

TEST(shadow, reaches_into_the_next_page) {
    rig r;
    const auto put = [&r](std::uint32_t at, std::uint64_t v) {
        std::memcpy(r.memory.data() + at, &v, sizeof v);
    };
    put(0x80c0, std::uint64_t{0xd000} << 16 | 0xfff);  // IDTR
    put(0xd000 + 16 * 0x41, 0x8e00'0008'7800);         // an interrupt gate to 0x7800
    put(0xb008, 0x20'0083);                            // the second 2 MB
    r.load(0x7800, handler);
    r.load(0x1f'ffff, sti);
    r.load(0x20'0000, next_page);
    r.start64(0, to_end_of_page);
    r.run(1000);
    ASSERT_TRUE(r.unit.apic(0).write(0xf0, 0x1ff, r.unit.cpu().now()));
    apic::interrupt_message m;
    m.vector = 0x41;
    r.unit.apic(0).receive(m, r.unit.cpu().now());
    r.unit.cpu().notify();
    r.run(4000);
    EXPECT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rip], 0x7801u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx], 1u);
}

// An interrupt waits for IF; `text` sets it. The handler keeps where it has interrupted the
// program; label 2 is where it should.
#define LABEL(program, label) "(" #label " - " #program "_begin + 0x1000)"
#define INTERRUPTED(name, text) \
    KNC_PROGRAM64(name,                                                                      \
                  "movl $0x80000 + " LABEL(name, 3f) ", 0xd410\nmovl $0x8e00, 0xd414\n"      \
                  "movl $0xd0000fff, 0x80c0\nmovl $0, 0x80c4\nlidt 0x80c0\n"                 \
                  "movl $0x7f00, %esp\nxorl %ecx, %ecx\nmovl $" LABEL(name, 2f) ", 0x3000\n" \
                  "movl $0x200000, %ebx\nmovl $0x1ff, 0xf0(%rbx)\nmovl $0x44041, 0x300(%rbx)\n" \
                  text "3: popq %rax\nmovl %eax, 0x3004\nhlt")
INTERRUPTED(sti_and_load, "sti\nmovl 0x5000, %eax\n2: nop\nhlt\n");
INTERRUPTED(mov_ss_and_load, "sti\nmovl %ecx, %ss\nmovl 0x5000, %eax\n2: nop\nhlt\n");
// STI is the last byte of its line.
INTERRUPTED(sti_and_line,
            ".skip (127 - (. - sti_and_line_begin) % 64) % 64, 0x90\n"
            "sti\nincl %ecx\n2: nop\nhlt\n");

struct interrupted_host final : host_side {
    using host_side::host_side;
    void start_of_simulation() override {
        host_side::start_of_simulation();
        page_entry(1, 0xfee0'0000);  // the local APIC at 2 MB
    }
};

// What follows is in no cache: the line of the data, or that of the instruction itself.
class waiting : public testing::TestWithParam<unsigned> {};

TEST_P(waiting, keeps_the_shadow) {
    const program* const programs[] = {&sti_and_load, &mov_ss_and_load, &sti_and_line};
    card c("card", parameters{}, run_control{});
    interrupted_host h("host", *programs[GetParam()]);
    h.card.bind(c.host);
    c.boot(host_side::entry, 0, 0);
    sc_core::sc_start();
    EXPECT_NE(h.read(0x3000), 0u);
    EXPECT_EQ(h.read(0x3004), h.read(0x3000));
}
INSTANTIATE_TEST_SUITE_P(shadow, waiting, testing::Range(0u, 3u));

}  // namespace
}  // namespace knc::card::test
