// MSRs, time stamp, CPUID.

#include <array>

#include <gtest/gtest.h>

#include <knc/isa/cpuid.h>
#include <knc/isa/msr.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

status wrmsr(sys_machine& k, std::uint32_t number, std::uint64_t value) {
    k.c.s.r[rcx] = number | 0xffff'ffff'0000'0000;  // only ECX, EDX and EAX count
    k.c.s.r[rax] = (value & 0xffff'ffff) | 0x5555'5555'0000'0000;
    k.c.s.r[rdx] = value >> 32 | 0x5555'5555'0000'0000;
    return k.run({0x0f, 0x30});
}
status rdmsr(sys_machine& k, std::uint32_t number, std::uint64_t& value) {
    k.c.s.r[rcx] = number;
    k.c.s.r[rax] = k.c.s.r[rdx] = ~0ull;
    const status r = k.run({0x0f, 0x32});
    value = k.c.s.r[rdx] << 32 | k.c.s.r[rax];
    return r;
}

TEST(sys_msr, rules) {
    constexpr std::uint64_t high = 0xffff'8000'1234'5678, nc = 0x8000'0000'0000;
    struct row {
        std::uint32_t number;
        std::uint64_t value;
        bool allowed;
    };
    const row rows[] = {
        {0xc000'0080, efer_sce | efer_lme | efer_nxe, true},
        {0xc000'0080, efer_sce | efer_nxe, false},  // LME cannot change under paging
        {0xc000'0080, efer_lme | 1u << 9, false},
        {0xc000'0080, efer_lme | 1u << 12, false},
        {0xc000'0081, ~0ull, true},
        {0xc000'0082, high, true},
        {0xc000'0082, nc, false},
        {0xc000'0083, 0, false},  // no CSTAR
        {0xc000'0084, 0xffff'ffff, true},
        {0xc000'0084, 1ull << 32, false},
        {0xc000'0100, high, true},
        {0xc000'0100, nc, false},
        {0xc000'0101, high, true},
        {0xc000'0101, nc, false},
        {0xc000'0102, high, true},
        {0xc000'0102, nc, false},
        {0xc000'0103, 1, false},         // no TSC_AUX
        {0x28, 0x1234'5678'9abc, true},  // the environment has it
        {0x29, 0, false},                // and not this
    };
    for (const row& x : rows) {
        sys_machine k;
        k.enter_long_mode();
        k.msrs[0x28] = 0;
        const status r = wrmsr(k, x.number, x.value);
        EXPECT_EQ(r == status::ok, x.allowed) << std::hex << x.number << ' ' << x.value;
        if (r != status::ok) {
            EXPECT_EQ(k.c.fault.vector, vector_gp);
            continue;
        }
        std::uint64_t value = 0;
        ASSERT_EQ(rdmsr(k, x.number, value), status::ok);
        const std::uint64_t lma = x.number == 0xc000'0080 ? efer_lma : 0;  // not writable
        EXPECT_EQ(value, x.value | lma) << std::hex << x.number;
    }
}

TEST(sys_msr, bases_are_those_of_the_segments) {
    sys_machine k;
    k.enter_long_mode();
    ASSERT_EQ(wrmsr(k, 0xc000'0101, 0x5000), status::ok);
    ASSERT_EQ(wrmsr(k, 0xc000'0102, 0x6000), status::ok);
    k.put<std::uint32_t>(0x5010, 0x55);
    std::uint32_t v = 0;
    ASSERT_TRUE(k.c.load(gs, 0x10, v));
    EXPECT_EQ(v, 0x55u);
    ASSERT_EQ(k.run({0x0f, 0x01, 0xf8}), status::ok);  // swapgs
    EXPECT_EQ(k.c.s.seg[gs].base, 0x6000u);
    EXPECT_EQ(k.c.s.kernel_gs_base, 0x5000u);
}

TEST(sys_msr, time_stamp_and_counters) {
    sys_machine k;
    k.enter_long_mode(3);
    k.now = 0x11'2233'4455;
    ASSERT_EQ(k.run({0x0f, 0x31}), status::ok);
    EXPECT_EQ(k.c.s.r[rdx], 0x11u);
    EXPECT_EQ(k.c.s.r[rax], 0x2233'4455u);
    k.c.s.cr4 |= cr4_tsd;
    EXPECT_EQ(k.run({0x0f, 0x31}), status::fault);
    k.c.s.r[rcx] = 1;
    EXPECT_EQ(k.run({0x0f, 0x33}), status::fault);  // CR4.PCE is clear
    k.c.s.cr4 |= cr4_pce;
    ASSERT_EQ(k.run({0x0f, 0x33}), status::ok);
    EXPECT_EQ(k.c.s.r[rdx], 0x12u);
    EXPECT_EQ(k.c.s.r[rax], 0x3456'7891u);
    k.c.s.r[rcx] = 2;
    EXPECT_EQ(k.run({0x0f, 0x33}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    k.c.s.cr4 = cr4_pae | cr4_tsd;
    k.set_cpl(0);
    EXPECT_EQ(k.run({0x0f, 0x31}), status::ok);
    k.c.s.r[rcx] = 0;
    EXPECT_EQ(k.run({0x0f, 0x33}), status::ok);
}

TEST(sys_msr, late_instructions) {
    sys_machine k;
    k.enter_long_mode();
    for (const std::uint8_t opcode : std::array<std::uint8_t, 4>{0x30, 0x31, 0x32, 0x33}) {
        const std::uint32_t f = k.flags_of({0x0f, opcode});
        EXPECT_EQ(f & (insn_at_completion | insn_microcode), insn_at_completion | insn_microcode)
            << int{opcode};
    }
    EXPECT_NE(k.flags_of({0xf4}) & insn_halt, 0u);
    EXPECT_NE(k.flags_of({0x8e, 0xd8}) & insn_segment_load, 0u);
    EXPECT_EQ(k.flags_of({0x8c, 0xd8}) & insn_segment_load, 0u);
    EXPECT_NE(k.flags_of({0x0f, 0x22, 0xc0}) & insn_mode, 0u);
}

// ---- CPUID

TEST(sys_cpuid, leaves) {
    struct row {
        std::uint32_t leaf, subleaf, eax, ebx, ecx, edx;
    };
    const row rows[] = {
        {0, 0, 4, 0x756e'6547, 0x6c65'746e, 0x4965'6e69},  // GenuineIntel
        // Family 0x0B, model 1, stepping 2; initial APIC ID 0xE0.
        // FPU 0, DE 2, PSE 3, TSC 4, MSR 5, PAE 6, CX8 8, APIC 9, MTRR 12, PGE 13, PAT 16, FXSR 24,
        // HTT 28; 62 cores of 4 threads: 248 = 0xF8 APIC IDs.
        {1, 0, 0x0000'0b12, 0xe0f8'0000, 0, 0x1101'337d},
        {2, 0, 0x0000'0001, 0, 0, 0x0080'302c},
        {3, 0, 0, 0, 0, 0},
        // EAX: type, level << 5, self initialising 0x100, 3 << 14 (4 threads), 61 << 26;
        // EBX: 63 (64-byte lines), 7 << 22 (8 ways); ECX: sets - 1.
        {4, 0, 0xf400'c121, 0x01c0'003f, 63, 0},  // 32 KB / 64 / 8 = 64 sets
        {4, 1, 0xf400'c122, 0x01c0'003f, 63, 0},
        {4, 2, 0xf400'c143, 0x01c0'003f, 1023, 2},  // 512 KB / 64 / 8 = 1024 sets; inclusive
        {4, 3, 0, 0, 0, 0},
        {5, 0, 0, 0, 0, 0},
        {0xa, 0, 0, 0, 0, 0},  // no architectural performance monitoring
        {0xb, 0, 0, 0, 0, 0},
        {0x2000'0000, 0, 0x2000'0001, 0, 0, 0},
        {0x2000'0001, 0, 0, 0, 0, 0},
        {0x8000'0000, 0, 0x8000'0008, 0, 0, 0},
        {0x8000'0001, 0, 0, 0, 0, 0x2010'0800},  // LM 29, NX 20, SYSCALL 11
        {0x8000'0002, 0, 0, 0, 0, 0},            // no brand string
        {0x8000'0006, 0, 0, 0, 0x0200'6040, 0},  // 512 KB, 8-way, 64 bytes
        {0x8000'0008, 0, 0x3028, 0, 0, 0},       // 48 and 40 bits
        {0x8000'0009, 0, 0, 0, 0, 0},
        {0xffff'ffff, 0, 0, 0, 0, 0},
    };
    sys_machine k;
    k.enter_long_mode(3);
    k.id = 0x1e0;  // nine bits: the leaf has eight
    for (const row& x : rows) {
        k.c.s.r[rax] = x.leaf | 0xffff'ffff'0000'0000;
        k.c.s.r[rcx] = x.subleaf;
        ASSERT_EQ(k.run({0x0f, 0xa2}), status::ok);
        EXPECT_EQ(k.c.s.r[rax], x.eax) << std::hex << x.leaf;
        EXPECT_EQ(k.c.s.r[rbx], x.ebx) << std::hex << x.leaf;
        EXPECT_EQ(k.c.s.r[rcx], x.ecx) << std::hex << x.leaf;
        EXPECT_EQ(k.c.s.r[rdx], x.edx) << std::hex << x.leaf;
    }
}

// IA32_APIC_BASE bit 11.
TEST(sys_cpuid, has_an_apic_while_it_is_enabled) {
    sys_machine k;
    k.enter_long_mode();
    for (const std::uint64_t base : {0xfee0'0900u, 0xfee0'0100u, 0xfee0'0800u}) {
        k.msrs[0x1b] = base;
        k.c.s.r[rax] = 1;
        ASSERT_EQ(k.run({0x0f, 0xa2}), status::ok);
        EXPECT_EQ(k.c.s.r[rdx], (base & 0x800) != 0 ? 0x1101'337du : 0x1101'317du) << base;
    }
}

TEST(sys_cpuid, stepping_and_profile) {
    EXPECT_EQ(cpuid(1, 0, profile::knc, {0xb13}).eax, 0xb13u);
    const cpuid_result knc = cpuid(1, 0, profile::knc, {0xb12});
    const cpuid_result compat = cpuid(1, 0, profile::compat, {0xb12});
    EXPECT_EQ(compat.edx ^ knc.edx, 1u << 15 | 1u << 19);  // CMOV, CLFLUSH
    EXPECT_EQ(compat.ecx, 1u << 13);                       // CMPXCHG16B
    EXPECT_EQ(compat.ebx ^ knc.ebx, 0x800u);               // CLFLUSH line: 8 * 8 bytes
    EXPECT_EQ(cpuid(0x8000'0001, 0, profile::compat, {0xb12}).edx, 0x2810'0800u);  // RDTSCP 27
    const cpuid_thread announces{0xb12, 0, true, true};
    EXPECT_EQ(cpuid(1, 0, profile::compat, announces).edx ^ compat.edx, 1u << 25 | 1u << 26);
    EXPECT_EQ(cpuid(1, 0, profile::knc, announces).edx, knc.edx);
}

// Architectural performance monitoring: leaf 0AH is the last, PDCM is bit 15 of leaf 1 ECX.
TEST(sys_cpuid, performance_monitoring) {
    cpuid_thread t{0x000f'06e2, 0, true, false, 3};
    EXPECT_EQ(cpuid(0, 0, profile::compat, t).eax, 0xau);
    EXPECT_EQ(cpuid(1, 0, profile::compat, t).eax, 0x000f'06e2u);
    EXPECT_EQ(cpuid(1, 0, profile::compat, t).ecx, 1u << 13 | 1u << 15);  // CMPXCHG16B, PDCM
    EXPECT_EQ(cpuid(7, 0, profile::compat, t).ebx, 0u);
    for (const std::uint8_t version : {std::uint8_t{2}, std::uint8_t{3}}) {
        t.perfmon_version = version;
        const cpuid_result r = cpuid(0xa, 0, profile::compat, t);
        // 7 events, 48 bits, 4 general counters; none absent; 48 bits, 3 fixed counters.
        EXPECT_EQ(r.eax, 0x0730'0400u | version);
        EXPECT_EQ(r.ebx, 0u);
        EXPECT_EQ(r.ecx, 0u);
        EXPECT_EQ(r.edx, 48u << 5 | 3u);
    }
}

// PEBS: DS, and fields of 64 bits in its area. Only with performance monitoring.
TEST(sys_cpuid, debug_store) {
    cpuid_thread t{0x000f'06e2, 0, true, false, 3, false};
    const cpuid_result without = cpuid(1, 0, profile::compat, t);
    t.debug_store = true;
    const cpuid_result with = cpuid(1, 0, profile::compat, t);
    EXPECT_EQ(with.edx ^ without.edx, 1u << 21);
    EXPECT_EQ(with.ecx ^ without.ecx, 1u << 2);
    EXPECT_EQ(with.eax, without.eax);
    t.perfmon_version = 0;
    EXPECT_EQ(cpuid(1, 0, profile::compat, t).edx, without.edx);
}

// The PMU has IA32_MISC_ENABLE then.
TEST(sys_msr, misc_enable_is_the_pmus_with_performance_monitoring) {
    sys_machine k;
    k.c.instruction_set = profile::compat;
    k.enter_long_mode();
    k.msrs[0x1a0] = 0x1881;
    std::uint64_t value = 0;
    ASSERT_TRUE(read_msr(k.c, 0x1a0, value));
    EXPECT_EQ(value, 1u);
    k.c.perfmon_version = 3;
    ASSERT_TRUE(read_msr(k.c, 0x1a0, value));
    EXPECT_EQ(value, 0x1881u);
    EXPECT_TRUE(write_msr(k.c, 0x1a0, 0x1881));
}

// What kernels of PCs read at their start.
TEST(sys_msr, registers_of_profile_compat) {
    struct {
        std::uint32_t number;
        std::uint64_t value;
        bool writable;
    } const rows[] = {{0x17, 0, false}, {0x8b, 0, true}, {0x1a0, 1, false}};
    for (const auto& x : rows) {
        for (const profile p : {profile::knc, profile::compat}) {
            sys_machine k(p);
            k.enter_long_mode();
            std::uint64_t v = 77;
            ASSERT_EQ(read_msr(k.c, x.number, v), p == profile::compat) << x.number;
            if (p != profile::compat) continue;
            EXPECT_EQ(v, x.value) << x.number;
            EXPECT_EQ(write_msr(k.c, x.number, 0), x.writable) << x.number;
            EXPECT_FALSE(write_msr(k.c, x.number, 2)) << x.number;
            ASSERT_TRUE(read_msr(k.c, x.number, v));
            EXPECT_EQ(v, x.value) << x.number;
        }
    }
}

// Bit 21 may be 0, and 12:7, the masks, may be 1; FXSAVE says so at its byte 28.
TEST(sys_mxcsr, of_profile_compat) {
    struct {
        std::uint32_t value;
        bool knc, compat;
    } const rows[] = {{0x1f80, false, true},
                      {0x20'0000, true, true},
                      {0x20'1f80, false, true},
                      {0x1'0000, false, false},
                      {0x30'ffff, false, true}};
    for (const auto& x : rows) {
        for (const profile p : {profile::knc, profile::compat}) {
            sys_machine k(p);
            k.enter_long_mode();
            k.put(0x5000, x.value);
            k.c.s.r[rbx] = 0x5000;
            const bool allowed = p == profile::compat ? x.compat : x.knc;
            EXPECT_EQ(k.run({0x0f, 0xae, 0x13}) == status::ok, allowed) << std::hex << x.value;
            EXPECT_EQ(k.c.s.mxcsr, allowed ? x.value : 0x20'0000u);
            ASSERT_EQ(k.run({0x0f, 0xae, 0x03}), status::ok);  // fxsave
            EXPECT_EQ(k.get<std::uint32_t>(0x501c), p == profile::compat ? 0x30'ffffu : 0x30'e07fu);
            k.put(0x5018, x.value);
            EXPECT_EQ(k.run({0x0f, 0xae, 0x0b}) == status::ok, allowed);  // fxrstor
        }
    }
}

}  // namespace
}  // namespace knc::isa::test
