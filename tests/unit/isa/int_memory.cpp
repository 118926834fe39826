// Memory operands: exchange and bit instructions, repeated strings, and what is left behind by
// instructions that fault or wait.
#include <algorithm>

#include <gtest/gtest.h>

#include "int_machine.h"

namespace knc::isa::test {
namespace {

constexpr std::uint64_t buffer = 0x10000, other = 0x11000, no_ram = 0x50000;
constexpr std::uint64_t unmapped = 0x4000'0000;  // beyond the first gigabyte

TEST(int_memory, absolute_offsets) {
    int_machine m(code_mode::bits64);
    m.put<std::uint64_t>(buffer, 0x1122'3344'5566'7788);
    ASSERT_EQ(m.run({0x48, 0xA1, 0x00, 0x00, 0x01, 0, 0, 0, 0, 0}), status::ok);
    EXPECT_EQ(m.c.s.r[rax], 0x1122'3344'5566'7788u);
    ASSERT_EQ(m.run({0x67, 0xA2, 0x10, 0x00, 0x01, 0x00}), status::ok);  // 32-bit offset
    EXPECT_EQ(m.get<std::uint8_t>(buffer + 0x10), 0x88);
    // all 64 bits count: not canonical
    EXPECT_EQ(m.run({0x48, 0xA1, 0, 0, 1, 0, 0, 0, 0, 0x80}), status::fault);
    EXPECT_EQ(m.c.fault.vector, vector_gp);
}

TEST(int_memory, address_size_truncates) {
    int_machine m(code_mode::bits64);
    m.put<std::uint32_t>(buffer, 99);
    m.c.s.r[rbx] = 0xFFFF'FFFF'0000'0000 + buffer;
    ASSERT_EQ(m.run({0x67, 0x8B, 0x03}), status::ok);  // mov eax, [ebx]
    EXPECT_EQ(m.c.s.r[rax], 99u);
    m.c.s.r[rbx] = ~0ull;
    ASSERT_EQ(m.run({0x67, 0x8D, 0x43, 0x02}), status::ok);  // lea eax, [ebx + 2]
    EXPECT_EQ(m.c.s.r[rax], 1u);
    ASSERT_EQ(m.run({0x48, 0x67, 0x8D, 0x43, 0x02}), status::ok);  // REX before 67 has no effect
    EXPECT_EQ(m.c.s.r[rax], 1u);
    ASSERT_EQ(m.run({0x67, 0x48, 0x8D, 0x43, 0x02}), status::ok);  // lea rax, [ebx + 2]
    EXPECT_EQ(m.c.s.r[rax], 1u);
}

TEST(int_memory, extensions) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rcx] = 0x8180;
    m.c.s.r[rax] = ~0ull;
    ASSERT_EQ(m.run({0x0F, 0xB6, 0xC5}), status::ok);  // movzx eax, ch
    EXPECT_EQ(m.c.s.r[rax], 0x81u);
    ASSERT_EQ(m.run({0x48, 0x0F, 0xBF, 0xC1}), status::ok);  // movsx rax, cx
    EXPECT_EQ(m.c.s.r[rax], 0xFFFF'FFFF'FFFF'8180u);
    ASSERT_EQ(m.run({0x66, 0x0F, 0xBE, 0xC1}), status::ok);  // movsx ax, cl
    EXPECT_EQ(m.c.s.r[rax], 0xFFFF'FFFF'FFFF'FF80u);
    m.c.s.r[rcx] = 0x1'8000'0000;
    ASSERT_EQ(m.run({0x48, 0x63, 0xC1}), status::ok);  // movsxd rax, ecx
    EXPECT_EQ(m.c.s.r[rax], 0xFFFF'FFFF'8000'0000u);
    ASSERT_EQ(m.run({0x99}), status::ok);  // cdq: EDX = sign of EAX, upper half cleared
    EXPECT_EQ(m.c.s.r[rdx], 0xFFFF'FFFFu);
}

TEST(int_memory, exchanges) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rbx] = buffer;
    m.put<std::uint32_t>(buffer, 10);
    m.c.s.r[rcx] = 32;
    ASSERT_EQ(m.run({0xF0, 0x0F, 0xC1, 0x0B}), status::ok);  // lock xadd [rbx], ecx
    EXPECT_EQ(m.get<std::uint32_t>(buffer), 42u);
    EXPECT_EQ(m.c.s.r[rcx], 10u);
    m.c.s.r[rax] = 41;
    ASSERT_EQ(m.run({0x0F, 0xB1, 0x0B}), status::ok);  // cmpxchg [rbx], ecx: 41 is not there
    EXPECT_EQ(m.c.s.r[rax], 42u);
    EXPECT_FALSE(m.c.s.arithmetic.zf());
    ASSERT_EQ(m.run({0x0F, 0xB1, 0x0B}), status::ok);
    EXPECT_EQ(m.get<std::uint32_t>(buffer), 10u);
    EXPECT_TRUE(m.c.s.arithmetic.zf());
    m.put<std::uint64_t>(buffer, 0x0000'0002'0000'0001);
    m.c.s.r[rdx] = 2;
    m.c.s.r[rax] = 1;
    m.c.s.r[rcx] = 4;
    const std::uint32_t keep = flag_cf | flag_sf | flag_of | flag_pf;
    m.c.s.arithmetic.set(keep);
    ASSERT_EQ(m.run({0x0F, 0xC7, 0x0B}), status::ok);  // cmpxchg8b [rbx]: EBX is the low word
    EXPECT_EQ(m.get<std::uint64_t>(buffer), 0x0000'0004'0001'0000u);
    EXPECT_EQ(m.c.s.arithmetic.get(), keep | flag_zf);
}

TEST(int_memory, bit_strings_reach_beyond_the_operand) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rbx] = buffer;
    m.c.s.r[rcx] = static_cast<std::uint64_t>(-1);
    ASSERT_EQ(m.run({0x0F, 0xAB, 0x0B}), status::ok);  // bts [rbx], ecx: top bit of the dword below
    EXPECT_EQ(m.get<std::uint32_t>(buffer - 4), 0x8000'0000u);
    EXPECT_FALSE(m.c.s.arithmetic.cf());
    m.c.s.r[rcx] = 65;
    ASSERT_EQ(m.run({0x0F, 0xBB, 0x0B}), status::ok);  // btc: bit 1 of the third dword
    EXPECT_EQ(m.get<std::uint32_t>(buffer + 8), 2u);
    ASSERT_EQ(m.run({0x0F, 0xB3, 0x0B}), status::ok);  // btr
    EXPECT_EQ(m.get<std::uint32_t>(buffer + 8), 0u);
    EXPECT_TRUE(m.c.s.arithmetic.cf());
    ASSERT_EQ(m.run({0x0F, 0xBA, 0x2B, 0x41}), status::ok);  // bts dword [rbx], 65: modulo 32
    EXPECT_EQ(m.get<std::uint32_t>(buffer), 2u);
}

TEST(int_memory, counts) {
    int_machine m(code_mode::bits64);
    const auto run = [&m](std::uint8_t prefix, std::uint8_t opcode, std::uint64_t source) {
        m.c.s.r[rcx] = source;
        EXPECT_EQ(m.run({0xC4, 0xE1, prefix, opcode, 0xC1}), status::ok);
        return m.c.s.r[rax];
    };
    constexpr std::uint8_t f3 = 0x7A, f3w = 0xFA, f2w = 0xFB;
    EXPECT_EQ(run(f3, 0xB8, 0xF'0000'00FF), 8u);  // popcnt eax, ecx
    EXPECT_EQ(run(f3w, 0xB8, ~0ull), 64u);
    EXPECT_EQ(m.c.s.arithmetic.get(), 0u);
    EXPECT_EQ(run(f3w, 0xB8, 0), 0u);
    EXPECT_EQ(m.c.s.arithmetic.get(), flag_zf);
    EXPECT_EQ(run(f3, 0xBC, 0), 32u);  // tzcnt: CF says "no bit"
    EXPECT_EQ(m.c.s.arithmetic.get(), flag_cf);
    EXPECT_EQ(run(f3w, 0xBC, 1), 0u);
    EXPECT_EQ(m.c.s.arithmetic.get(), flag_zf);
    EXPECT_EQ(run(f3w, 0xBD, 1), 63u);  // lzcnt
    EXPECT_EQ(run(f3, 0xBD, 1), 31u);
    // tzcnti walks over the set bits of a mask
    constexpr std::uint64_t mask = std::uint64_t{1} << 63 | 1u << 5 | 1;
    m.c.s.r[rax] = ~0ull;
    EXPECT_EQ(run(f2w, 0xBC, mask), 0u);
    EXPECT_EQ(run(f2w, 0xBC, mask), 5u);
    EXPECT_EQ(run(f2w, 0xBC, mask), 63u);
    EXPECT_EQ(run(f2w, 0xBC, mask), 64u);
    EXPECT_EQ(run(f2w, 0xBC, mask), 64u);
}

TEST(int_memory, rep_movs_counts_down_and_respects_df) {
    int_machine m(code_mode::bits64);
    for (unsigned n = 0; n < 16; ++n)
        m.put<std::uint8_t>(buffer + n, static_cast<std::uint8_t>(n + 1));
    m.c.s.r[rsi] = buffer + 12;
    m.c.s.r[rdi] = other + 12;
    m.c.s.r[rcx] = 3;
    m.c.s.eflags |= flag_df;
    ASSERT_EQ(m.run({0xF3, 0xA5}), status::ok);  // rep movsd, downwards
    EXPECT_EQ(m.c.s.r[rcx], 0u);
    EXPECT_EQ(m.c.s.r[rsi], buffer);
    EXPECT_EQ(m.c.s.r[rdi], other);
    EXPECT_EQ(m.get<std::uint32_t>(other + 12), 0x100F'0E0Du);
    EXPECT_EQ(m.get<std::uint32_t>(other + 4), 0x0807'0605u);
    EXPECT_EQ(m.get<std::uint32_t>(other), 0u);  // only three
}

// One call, one element; the last one is ok, and a count of 0 does nothing at all.
TEST(int_memory, a_repeated_instruction_is_done_element_by_element) {
    int_machine m(code_mode::bits64);
    const std::uint8_t stosb[] = {0xF3, 0xAA};
    m.c.s.r[rdi] = buffer;
    m.c.s.r[rcx] = 2;
    EXPECT_EQ(m.step(stosb, 2), status::repeat);
    EXPECT_EQ(m.c.s.r[rcx], 1u);
    EXPECT_EQ(m.c.s.r[rdi], buffer + 1);
    EXPECT_EQ(m.c.s.r[rip], int_machine::code_at);
    EXPECT_EQ(m.step(stosb, 2), status::ok);
    EXPECT_EQ(m.c.s.r[rip], int_machine::code_at + 2);
    m.c.s.r[rdi] = unmapped;
    EXPECT_EQ(m.step(stosb, 2), status::ok);
    EXPECT_EQ(m.c.s.r[rdi], unmapped);
}

TEST(int_memory, repeated_comparison_stops_at_the_difference) {
    int_machine m(code_mode::bits64);
    std::memcpy(m.at(buffer), "equal, then not", 16);
    std::memcpy(m.at(other), "equal, then bad", 16);
    m.c.s.r[rsi] = buffer;
    m.c.s.r[rdi] = other;
    m.c.s.r[rcx] = 16;
    ASSERT_EQ(m.run({0xF3, 0xA6}), status::ok);  // repe cmpsb: 'n' against 'b' at 12
    EXPECT_EQ(m.c.s.r[rcx], 3u);
    EXPECT_EQ(m.c.s.r[rsi], buffer + 13);
    EXPECT_FALSE(m.c.s.arithmetic.zf());
    EXPECT_FALSE(m.c.s.arithmetic.cf());  // 'n' > 'b'
    m.c.s.r[rdi] = other;
    m.c.s.r[rcx] = ~0ull;
    m.c.s.r[rax] = ',';
    ASSERT_EQ(m.run({0xF2, 0xAE}), status::ok);  // repne scasb finds the comma at 5
    EXPECT_EQ(m.c.s.r[rdi], other + 6);
    EXPECT_TRUE(m.c.s.arithmetic.zf());
}

TEST(int_memory, strings_use_the_address_size_and_the_segment_override) {
    int_machine m(code_mode::bits16);
    m.c.s.seg[fs].base = buffer;
    m.c.s.r[rsi] = 0x7'0004;  // SI is 4
    m.c.s.r[rdi] = 0xFFFF;
    m.put<std::uint8_t>(buffer + 4, 0xCC);
    ASSERT_EQ(m.run({0x64, 0xA4}), status::ok);  // fs movsb
    EXPECT_EQ(m.get<std::uint8_t>(0xFFFF), 0xCC);
    EXPECT_EQ(m.c.s.r[rsi], 0x7'0005u);
    EXPECT_EQ(m.c.s.r[rdi], 0u);  // DI wraps
}

// The elements before a fault stand; the one that faults has not counted.
TEST(int_memory, a_fault_in_the_middle_of_a_repeat) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rdi] = unmapped - 2;
    m.c.s.r[rcx] = 10;
    std::vector<std::uint8_t> last_page(0x1000);
    m.add_ram(unmapped - 0x1000, last_page);
    EXPECT_EQ(m.run({0xF3, 0xAA}), status::fault);
    EXPECT_EQ(m.c.fault.vector, vector_pf);
    EXPECT_EQ(m.c.fault.address, unmapped);
    EXPECT_EQ(m.c.s.r[rcx], 8u);
    EXPECT_EQ(m.c.s.r[rdi], unmapped);
}

struct attempt {
    const char* text;
    std::vector<std::uint8_t> bytes;
};

// Each names [rbx] and changes registers, flags or memory when it works.
const attempt memory_instructions[] = {
    {"add [rbx], ecx", {0x01, 0x0B}},
    {"add ecx, [rbx]", {0x03, 0x0B}},
    {"inc byte [rbx]", {0xFE, 0x03}},
    {"neg qword [rbx]", {0x48, 0xF7, 0x1B}},
    {"xchg [rbx], ecx", {0x87, 0x0B}},
    {"xadd [rbx], ecx", {0x0F, 0xC1, 0x0B}},
    {"cmpxchg [rbx], ecx", {0x0F, 0xB1, 0x0B}},
    {"cmpxchg8b [rbx]", {0x0F, 0xC7, 0x0B}},
    {"shl dword [rbx], 4", {0xC1, 0x23, 0x04}},
    {"rcl dword [rbx], cl", {0xD3, 0x13}},
    {"shld [rbx], ecx, 3", {0x0F, 0xA4, 0x0B, 0x03}},
    {"bts [rbx], ecx", {0x0F, 0xAB, 0x0B}},
    {"sete [rbx]", {0x0F, 0x94, 0x03}},
    {"mov [rbx], ecx", {0x89, 0x0B}},
    {"mov ecx, [rbx]", {0x8B, 0x0B}},
    {"movsx ecx, byte [rbx]", {0x0F, 0xBE, 0x0B}},
    {"imul ecx, [rbx]", {0x0F, 0xAF, 0x0B}},
    {"mul dword [rbx]", {0xF7, 0x23}},
    {"div dword [rbx]", {0xF7, 0x33}},
    {"bsf ecx, [rbx]", {0x0F, 0xBC, 0x0B}},
    {"cmova ecx, [rbx]", {0x0F, 0x47, 0x0B}},
    {"push [rbx]", {0xFF, 0x33}},
    {"pop [rbx]", {0x8F, 0x03}},
    {"call [rbx]", {0xFF, 0x13}},
    {"jmp [rbx]", {0xFF, 0x23}},
};

void expect_unchanged(const int_machine& m, const state& before, const char* text) {
    EXPECT_EQ(m.c.s.r, before.r) << text;
    EXPECT_EQ(m.c.s.rflags(), before.rflags()) << text;
}

TEST(int_memory, a_page_fault_leaves_nothing_changed) {
    for (const attempt& a : memory_instructions) {
        int_machine m(code_mode::bits64, profile::compat);
        m.c.s.r[rbx] = unmapped;
        m.c.s.r[rcx] = 0x1234'5678'0000'0003;  // 3: within the operand as a bit number
        m.c.s.r[rax] = 7;
        m.c.s.set_rflags(flag_cf | flag_sf | 2);
        const state before = m.c.s;
        EXPECT_EQ(m.run(a.bytes.data(), a.bytes.size()), status::fault) << a.text;
        EXPECT_EQ(m.c.fault.vector, vector_pf) << a.text;
        EXPECT_EQ(m.c.fault.address, unmapped) << a.text;
        expect_unchanged(m, before, a.text);
    }
}

TEST(int_memory, a_device_access_under_way_leaves_nothing_changed) {
    for (const attempt& a : memory_instructions) {
        int_machine m(code_mode::bits64, profile::compat);
        m.c.s.r[rbx] = no_ram;
        m.c.s.r[rcx] = 3;
        m.c.s.set_rflags(flag_cf | flag_sf | 2);
        m.device_answers = 0;
        const state before = m.c.s;
        for (unsigned n = 0; n < 3; ++n) {
            EXPECT_EQ(m.run(a.bytes.data(), a.bytes.size()), status::blocked) << a.text;
            expect_unchanged(m, before, a.text);
        }
        m.device_answers = ~0u;
        EXPECT_NE(m.run(a.bytes.data(), a.bytes.size()), status::blocked) << a.text;
    }
}

TEST(int_memory, data_events) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rbx] = buffer;
    ASSERT_EQ(m.run({0x01, 0x0B}), status::ok);  // add [rbx], ecx: one read, one write
    ASSERT_EQ(m.run({0x01, 0x0B}), status::ok);  // once more, on the fast path
    EXPECT_EQ(m.events[base::data_read], 2u);
    EXPECT_EQ(m.events[base::data_write], 2u);
    m.c.s.r[rbx] = buffer + 62;
    ASSERT_EQ(m.run({0x8B, 0x0B}), status::ok);  // across a line: one per line
    EXPECT_EQ(m.events[base::data_read], 4u);
}

TEST(int_memory, ports_of_profile_compat) {
    int_machine m(code_mode::bits64, profile::compat);
    m.c.s.r[rax] = 0;
    ASSERT_EQ(m.run({0xEC}), status::ok);  // in al, dx: nobody answers
    EXPECT_EQ(m.c.s.r[rax], 0xFFu);
    ASSERT_EQ(m.run({0xE5, 0x60}), status::ok);
    EXPECT_EQ(m.c.s.r[rax], 0xFFFF'FFFFu);

    // At CPL 3 with IOPL 0 the permission map decides: at 104 in the TSS, port 80h is bit 0 of byte
    // 16.
    constexpr std::uint64_t tss = 0x18000;
    m.user(3);
    m.c.s.r[rdx] = 0x80;
    m.c.s.tr.base = tss;
    m.put<std::uint16_t>(tss + 102, 104);
    m.c.s.tr.limit = 103;  // ends before the map
    EXPECT_EQ(m.run({0xEE}), status::fault);
    EXPECT_EQ(m.c.fault.vector, vector_gp);
    m.c.s.tr.limit = 0x1000;
    EXPECT_EQ(m.run({0xEE}), status::ok);
    m.put<std::uint8_t>(tss + 104 + 16, 0x02);      // port 81h only
    EXPECT_EQ(m.run({0xEE}), status::ok);           // out dx, al
    EXPECT_EQ(m.run({0x66, 0xEF}), status::fault);  // out dx, ax: 80h and 81h
    m.c.s.eflags |= flag_iopl;
    EXPECT_EQ(m.run({0x66, 0xEF}), status::ok);
}

}  // namespace
}  // namespace knc::isa::test
