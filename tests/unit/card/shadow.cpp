// STI lets one more instruction execute, also in another page.

#include "rig.h"

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
    apic::message m;
    m.vector = 0x41;
    r.unit.apic(0).receive(m, r.unit.cpu().now());
    r.unit.cpu().poke();
    r.run(4000);
    EXPECT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rip], 0x7801u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx], 1u);
}

}  // namespace
}  // namespace knc::card::test
