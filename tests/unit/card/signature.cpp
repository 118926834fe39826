// One stepping in CPUID and in EDX after reset and INIT.

#include "rig.h"

namespace knc::card::test {
namespace {

KNC_PROGRAM(identify, "movl %edx, %esi\nmovl $1, %eax\ncpuid\nhlt");

TEST(signature, is_the_same_in_cpuid_and_after_reset_and_init) {
    parameters p;
    p.stepping = 5;
    rig r(p);
    r.start(0, 0x1000, identify);
    r.run(200);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rsi], 0xb15u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rax], 0xb15u);
    EXPECT_EQ(r.unit.cpu().state(2).r[isa::rdx], 0xb15u);  // since reset
    r.start(2, 0x1000, identify);
    r.run(400);
    EXPECT_NE(r.unit.cpu().state(2).r[isa::rdx], 0xb15u);  // CPUID's EDX
    apic::interrupt_message m;
    m.mode = apic::delivery_mode::init;
    r.unit.apic(2).receive(m, r.unit.cpu().now());
    r.unit.cpu().notify();
    r.run(500);
    EXPECT_EQ(r.unit.cpu().running(2), core::run_state::wait_for_sipi);
    EXPECT_EQ(r.unit.cpu().state(2).r[isa::rdx], 0xb15u);
}

}  // namespace
}  // namespace knc::card::test
