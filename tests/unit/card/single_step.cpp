// Which TF decides about the trap behind an instruction that changes TF: the one before it, or the
// one it loads.

#include "event_log.h"

namespace knc::card::test {
namespace {

constexpr std::uint32_t tf = 1u << 8, nt = 1u << 14;
constexpr std::uint32_t dr6_clear = 0xffff'0ff0, bs = 1u << 14;

// ---- SYSCALL and SYSRET

#define LABEL64(program, label) "(" #label " - " #program "_begin + 0x1000)"
#define WRITE_MSR(number, high, low) \
    "movl $" number ", %ecx\nmovl $" high ", %edx\nmovl $" low ", %eax\nwrmsr\n"
// Tables, and the MSRs of SYSCALL and SYSRET: ring 0 has selectors 8 and 10, ring 3 23 and 1B.
#define SYSTEM(program, entry, mask)                              \
    "lgdt 0x80c0\nlidt 0x80d0\nmovw $0x28, %ax\nltr %ax\n"        \
    "movl $0x9000, %esp\n" WRITE_MSR("0xC0000080", "0", "0x501")  \
        WRITE_MSR("0xC0000081", "0x00100008", "0")                \
            WRITE_MSR("0xC0000082", "0", LABEL64(program, entry)) \
                WRITE_MSR("0xC0000084", "0", mask)
#define RETURN_TO(program, label, flags) \
    "movl $" LABEL64(program, label) ", %ecx\nmovl $" flags ", %r11d\n"
#define MARK64(program, label, n) "movl $" LABEL64(program, label) ", 0x5000 + 4 * " #n "\n"

// Notes RIP, CS and DR6. TF stays in the flags of ring 3 and leaves those of ring 0.
KNC_PROGRAM64(note_step,
              "pushq %rax\npushq %rdi\nmovl 0x4000, %edi\n"
              "movq 16(%rsp), %rax\nmovl %eax, (%rdi)\n"
              "movq 24(%rsp), %rax\nmovl %eax, 4(%rdi)\n"
              "movq %dr6, %rax\nmovl %eax, 8(%rdi)\nxorl %eax, %eax\nmovq %rax, %dr6\n"
              "addl $12, %edi\nmovl %edi, 0x4000\n"
              "testb $3, 24(%rsp)\njnz 1f\nandl $~0x100, 32(%rsp)\n1:\n"
              "popq %rdi\npopq %rax\niretq");

// clang-format off
KNC_PROGRAM64(sysret_sets,
    MARK64(sysret_sets, 1f, 0)
    SYSTEM(sysret_sets, 2f, "0x100")
    RETURN_TO(sysret_sets, 1f, "0x102") "sysretq\n"
    "1: nop\nnop\nsyscall\n2: hlt");
KNC_PROGRAM64(sysret_clears,
    SYSTEM(sysret_clears, 2f, "0")
    RETURN_TO(sysret_clears, 1f, "2")
    "pushfq\norq $0x100, (%rsp)\npopfq\nsysretq\n"
    "1: nop\nsyscall\n2: hlt");
KNC_PROGRAM64(syscall_keeps,
    MARK64(syscall_keeps, 1f, 0)
    MARK64(syscall_keeps, 2f, 1)
    SYSTEM(syscall_keeps, 2f, "0")
    RETURN_TO(syscall_keeps, 1f, "0x102") "sysretq\n"
    "1: syscall\n2: hlt");
// clang-format on

class step_log : public rig {
  public:
    struct event {
        std::uint32_t rip, cs, dr6;
    };

    void execute(const program& p) {
        start64(0, p);
        put(0x8010, 0x0000'9300'0000'0000);  // data, ring 0
        put(0x8018, 0x0000'f300'0000'0000);  // data, ring 3
        put(0x8020, 0x0020'fb00'0000'0000);  // 64-bit code, ring 3
        put(0x8028, 0x0000'8900'6000'0067);  // TSS at 0x6000
        put(0x80c0, std::uint64_t{0x8000} << 16 | 0x3f);
        put(0x80d0, std::uint64_t{0x8100} << 16 | 0x1f);
        put(0x8110, 0x0000'8e00'0008'3000);                            // vector 1: note_step
        put(0x6004, 0x9000);                                           // RSP0
        for (const std::uint32_t table : {0x9000u, 0xa000u, 0xb000u})  // for ring 3 too
            put(table, read<std::uint64_t>(table) | 4);
        put(0x4000, log_at);
        load(0x3000, note_step);
        run(20000);
        EXPECT_EQ(unit.cpu().running(0), core::run_state::halted);
        EXPECT_EQ(unit.cpu().state(0).cpl, 0u);
    }
    std::size_t events() { return (read<std::uint32_t>(0x4000) - log_at) / sizeof(event); }
    void expect(std::size_t n, std::uint32_t rip, std::uint32_t cs) {
        const auto e = read<event>(static_cast<std::uint32_t>(log_at + n * sizeof(event)));
        EXPECT_EQ(e.rip, rip) << n;
        EXPECT_EQ(e.cs, cs) << n;
        EXPECT_EQ(e.dr6, dr6_clear | bs) << n;
    }
    std::uint32_t mark(std::uint32_t n) { return read<std::uint32_t>(0x5000 + 4 * n); }

  private:
    static constexpr std::uint32_t log_at = 0xd000;
    void put(std::uint32_t at, std::uint64_t v) { std::memcpy(memory.data() + at, &v, sizeof v); }
};

constexpr std::uint32_t ring0 = 0x08, ring3 = 0x23;

// The first trap comes at SYSRET's target, as if the SYSCALL before it had been stepped; then one
// behind each NOP. SYSCALL, whose mask clears TF, is not stepped.
TEST(single_step, sysret_that_sets_tf_is_stepped_itself) {
    step_log r;
    r.execute(sysret_sets);
    ASSERT_EQ(r.events(), 3u);
    for (std::uint32_t n = 0; n < 3; ++n) r.expect(n, r.mark(0) + n, ring3);
}

TEST(single_step, sysret_that_clears_tf_is_not_stepped) {
    step_log r;
    r.execute(sysret_clears);
    EXPECT_EQ(r.events(), 0u);
}

// SYSRET, and SYSCALL that leaves TF set: before the first instruction of ring 0, which HLT is.
TEST(single_step, syscall_that_leaves_tf_set_is_stepped) {
    step_log r;
    r.execute(syscall_keeps);
    ASSERT_EQ(r.events(), 2u);
    r.expect(0, r.mark(0), ring3);
    r.expect(1, r.mark(1), ring0);
}

// ---- task switches

#define MARK(program, label, n) "movl $" KNC_LABEL(program, label) ", 0x5000 + 4 * " #n "\n"
#define TASKS "lgdt 0x80b0\nmovw $0x20, %ax\nltr %ax\n"
#define NEW_TASK(program, label) "movl $" KNC_LABEL(program, label) ", 0x6120\n"
#define STEP "pushfl\norl $0x100, (%esp)\npopfl\n"

// clang-format off
KNC_PROGRAM(int_to_task, KNC_LOGGED TASKS
    MARK(int_to_task, 2f, 0) NEW_TASK(int_to_task, 1f) STEP
    "int $0x40\nhlt\n1: nop\n2: hlt");
KNC_PROGRAM(jump_to_task, KNC_LOGGED TASKS
    MARK(jump_to_task, 1f, 0) MARK(jump_to_task, 2f, 1) NEW_TASK(jump_to_task, 1f) STEP
    "ljmp $0x28, $0\nhlt\n1: nop\n2: hlt");
KNC_PROGRAM(jump_unstepped, KNC_LOGGED TASKS
    MARK(jump_unstepped, 2f, 0) NEW_TASK(jump_unstepped, 1f)
    "ljmp $0x28, $0\nhlt\n1: nop\n2: hlt");
// clang-format on

class task_log : public event_log {
  public:
    // The new task begins with `flags`; the trap behind its first instruction ends stepping.
    explicit task_log(std::uint32_t flags) {
        put(0x8020, std::uint64_t{0x0000'8900'6000'0067});  // TSS at 0x6000: the first task
        put(0x8028, std::uint64_t{0x0000'8900'6100'0067});  // at 0x6100: the new one
        put(0x80b0, std::uint64_t{0x8000} << 16 | 0x2f);
        put(0x8100 + 8 * 0x40, std::uint64_t{0x0000'8500'0028'0000});  // a task gate
        put(0x6124, flags | 2);
        put(0x6138, std::uint32_t{0x8800});    // ESP
        for (std::uint32_t n = 0; n < 6; ++n)  // ES CS SS DS FS GS
            put(0x6148 + 4 * n, std::uint32_t{n == 1 ? 8u : 0x10u});
    }
};

// INT n is never stepped itself, whatever TF the task behind a task gate has; the first instruction
// of that task is.
TEST(single_step, int_through_a_task_gate_is_not_stepped) {
    task_log r(tf);
    r.on_return(0, tf);
    r.execute(int_to_task);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).dr6, dr6_clear | bs);
    EXPECT_EQ(r.at(0).eflags & (tf | nt), tf | nt);
}

// The jump was executed with TF set, the NOP was not.
TEST(single_step, a_task_switch_is_stepped_by_the_flags_of_the_task_it_leaves) {
    task_log r(0);
    r.execute(jump_to_task);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).dr6, dr6_clear | bs);
    EXPECT_EQ(r.at(0).eflags & tf, 0u);
}

TEST(single_step, the_flags_of_a_task_begin_with_its_first_instruction) {
    task_log r(tf);
    r.on_return(0, tf);
    r.execute(jump_unstepped);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).eflags & tf, tf);
}

}  // namespace
}  // namespace knc::card::test
