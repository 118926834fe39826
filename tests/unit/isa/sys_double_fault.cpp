// Faults during delivery: SDM table 6-5, double fault, shutdown.

#include <gtest/gtest.h>

#include <knc/isa/event_delivery.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

constexpr unsigned interrupt_gate = 14;
constexpr std::uint64_t double_fault_handler = 0x2'8000;

// Gate 8 and its handler exist; others as a test makes them.
void prepare(sys_machine& k) {
    k.enter_long_mode();
    k.set_gate(8, gate_of(interrupt_gate, 0, code64, double_fault_handler));
}
// A gate whose use is #NP(vector * 8 + 2).
void absent_gate(sys_machine& k, unsigned vector) {
    k.set_gate(vector, gate_of(interrupt_gate, 0, code64, handler_at) & ~(1ull << 47));
}
// A gate whose frame cannot be written: IST 1 is not mapped, #PF.
void unmapped_stack_gate(sys_machine& k, unsigned vector) {
    k.put<std::uint64_t>(tss_at + 36, 0x100'0000);
    k.set_gate(vector, gate_of(interrupt_gate, 0, code64, handler_at, 1));
}

fault exception(std::uint8_t vector) {
    fault f;
    f.vector = vector;
    f.has_error = vector == vector_gp || vector == vector_pf;
    return f;
}

std::uint64_t top(sys_machine& k) {
    return k.get<std::uint64_t>(k.c.s.r[rsp]);
}

TEST(sys_double_fault, contributory_after_contributory) {
    sys_machine k;
    prepare(k);
    absent_gate(k, vector_gp);
    absent_gate(k, vector_np);
    ASSERT_EQ(deliver(k.c, event_kind::exception, exception(vector_gp), 0x99), delivery::done);
    EXPECT_EQ(k.c.s.r[rip], double_fault_handler);
    EXPECT_EQ(top(k), 0u);  // the error code of #DF
    EXPECT_EQ(k.get<std::uint64_t>(k.c.s.r[rsp] + 8), 0x99u);
}

TEST(sys_double_fault, contributory_after_benign_is_delivered) {
    sys_machine k;
    prepare(k);
    absent_gate(k, vector_ud);
    k.set_gate(vector_np, gate_of(interrupt_gate, 0, code64, handler_at));
    ASSERT_EQ(deliver(k.c, event_kind::exception, exception(vector_ud), 0x99), delivery::done);
    EXPECT_EQ(k.c.s.r[rip], handler_at);
    EXPECT_EQ(top(k), 6u * 8 + 2 + 1);  // gate 6, IDT, EXT
}

TEST(sys_double_fault, an_interrupt_is_benign_whatever_its_vector) {
    sys_machine k;
    prepare(k);
    absent_gate(k, 13);
    k.set_gate(vector_np, gate_of(interrupt_gate, 0, code64, handler_at));
    ASSERT_EQ(deliver(k.c, event_kind::external_interrupt, exception(13), 0), delivery::done);
    EXPECT_EQ(k.c.s.r[rip], handler_at);
}

// The fault's handler is entered as if the interrupted instruction had been about to run, knows of
// the interrupt by EXT alone, and returns to that instruction: the interrupt is lost.
TEST(sys_double_fault, an_interrupt_whose_delivery_faults_is_lost) {
    sys_machine k;
    prepare(k);
    absent_gate(k, 0x40);
    k.set_gate(vector_np, gate_of(interrupt_gate, 0, code64, handler_at));
    k.c.s.eflags = 2 | flag_if;
    fault f;
    f.vector = 0x40;
    ASSERT_EQ(deliver(k.c, event_kind::external_interrupt, f, code_at), delivery::done);
    EXPECT_EQ(k.c.s.r[rip], handler_at);
    EXPECT_EQ(top(k), 0x40u * 8 + 2 + 1);  // gate 0x40, IDT, EXT
    EXPECT_EQ(k.get<std::uint64_t>(k.c.s.r[rsp] + 8), code_at);
    EXPECT_EQ(k.get<std::uint64_t>(k.c.s.r[rsp] + 24), 2u | flag_if | flag_rf);
    k.c.s.r[rsp] += 8;
    ASSERT_EQ(k.run({0x48, 0xcf}), status::ok);  // iretq
    EXPECT_EQ(k.c.s.r[rip], code_at);
    EXPECT_EQ(k.c.s.eflags, 2u | flag_if | flag_rf);
}

TEST(sys_double_fault, page_fault_after_contributory_is_delivered) {
    sys_machine k;
    prepare(k);
    unmapped_stack_gate(k, vector_gp);
    k.set_gate(vector_pf, gate_of(interrupt_gate, 0, code64, handler_at));
    ASSERT_EQ(deliver(k.c, event_kind::exception, exception(vector_gp), 0), delivery::done);
    EXPECT_EQ(k.c.s.r[rip], handler_at);
    EXPECT_EQ(top(k), 2u);  // a supervisor write, not present; no EXT in a #PF
    EXPECT_EQ(k.c.s.cr2, 0x100'0000u - 48);
}

TEST(sys_double_fault, anything_but_benign_after_a_page_fault) {
    for (const bool second_is_page_fault : {false, true}) {
        sys_machine k;
        prepare(k);
        if (second_is_page_fault) {
            unmapped_stack_gate(k, vector_pf);
        } else {
            absent_gate(k, vector_pf);
        }
        fault f = exception(vector_pf);
        f.address = 0x5555;
        ASSERT_EQ(deliver(k.c, event_kind::exception, f, 0), delivery::done);
        EXPECT_EQ(k.c.s.r[rip], double_fault_handler);
        EXPECT_EQ(k.c.s.cr2, second_is_page_fault ? 0x100'0000u - 48 : 0x5555u);
    }
}

TEST(sys_double_fault, third_fault_is_shutdown) {
    sys_machine k;
    prepare(k);
    absent_gate(k, vector_gp);
    absent_gate(k, vector_df);
    EXPECT_EQ(deliver(k.c, event_kind::exception, exception(vector_gp), 0), delivery::shutdown);
    EXPECT_EQ(k.c.s.r[rip], code_at);
    unmapped_stack_gate(k, vector_df);
    EXPECT_EQ(deliver(k.c, event_kind::exception, exception(vector_df), 0), delivery::shutdown);
}

TEST(sys_double_fault, no_table_at_all_is_shutdown_in_every_mode) {
    sys_machine k;
    for (const int mode : {0, 1, 2}) {
        if (mode == 0) k.enter_real_mode();
        if (mode == 1) k.enter_protected_mode();
        if (mode == 2) k.enter_long_mode();
        k.c.s.idtr.limit = 0;
        EXPECT_EQ(deliver(k.c, event_kind::exception, exception(vector_ud), 0), delivery::shutdown);
        EXPECT_EQ(deliver(k.c, event_kind::external_interrupt, exception(0x20), 0),
                  delivery::shutdown);
    }
}

TEST(sys_double_fault, endless_alignment_faults_are_given_up) {
    sys_machine k;
    k.enter_protected_mode(3);  // a handler at level 3 on a stack that is not aligned
    k.c.s.cr0 |= cr0_am;
    k.c.s.eflags |= flag_ac;
    k.c.update_mode();
    k.set_descriptor(scratch, descriptor_of(0, 0xfffff, 0xfe, 0xc));  // conforming, DPL 3
    for (unsigned v = 0; v < 32; ++v) k.set_gate(v, gate_of(14, 3, scratch, handler_at));
    k.c.s.r[rsp] = stack_at - 1;  // every frame is #AC, which is benign: nothing else ends it
    EXPECT_EQ(deliver(k.c, event_kind::exception, exception(vector_ud), 0), delivery::shutdown);
    k.c.s.r[rsp] = stack_at - 4;  // aligned for words of four bytes
    EXPECT_EQ(deliver(k.c, event_kind::exception, exception(vector_ud), 0), delivery::done);
    EXPECT_EQ(k.c.s.cpl, 3);
}

}  // namespace
}  // namespace knc::isa::test
