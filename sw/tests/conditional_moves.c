// The build's replacement of CMOV: every condition under every combination of flags, every operand
// form.
#include "lib/check.h"
#include "lib/types.h"

typedef u64 (*move)(u64 flags, u64 source, u64 dest);

enum { CF = 1 << 0, PF = 1 << 2, ZF = 1 << 6, SF = 1 << 7, OF = 1 << 11 };

u64 move_o(u64 flags, u64 source, u64 dest);
u64 move_no(u64 flags, u64 source, u64 dest);
u64 move_b(u64 flags, u64 source, u64 dest);
u64 move_ae(u64 flags, u64 source, u64 dest);
u64 move_e(u64 flags, u64 source, u64 dest);
u64 move_ne(u64 flags, u64 source, u64 dest);
u64 move_be(u64 flags, u64 source, u64 dest);
u64 move_a(u64 flags, u64 source, u64 dest);
u64 move_s(u64 flags, u64 source, u64 dest);
u64 move_ns(u64 flags, u64 source, u64 dest);
u64 move_p(u64 flags, u64 source, u64 dest);
u64 move_np(u64 flags, u64 source, u64 dest);
u64 move_l(u64 flags, u64 source, u64 dest);
u64 move_ge(u64 flags, u64 source, u64 dest);
u64 move_le(u64 flags, u64 source, u64 dest);
u64 move_g(u64 flags, u64 source, u64 dest);
u64 move_32(u64 flags, u64 source, u64 dest);
u64 move_32_extended(u64 flags, u64 source, u64 dest);
u64 move_32_memory(u64 flags, u64 source, u64 dest);
u64 move_32_through_itself(u64 flags, u64 unused, u64 dest);
u64 move_64_memory(u64 flags, u64 source, u64 dest);
u64 move_16(u64 flags, u64 source, u64 dest);
u64 first_bit(u64 value);

// Conditions come in pairs: the first of a pair holds when its formula does, the second when not.
static bool condition(u32 index, u32 f) {
    const bool less = ((f & SF) != 0) != ((f & OF) != 0);
    const bool even[8] = {(f & OF) != 0, (f & CF) != 0, (f & ZF) != 0, (f & (CF | ZF)) != 0,
                          (f & SF) != 0, (f & PF) != 0, less,          less || (f & ZF) != 0};
    return even[index / 2] != (index % 2 == 1);
}

static const move moves[16] = {move_o, move_no, move_b, move_ae, move_e, move_ne, move_be, move_a,
                               move_s, move_ns, move_p, move_np, move_l, move_ge, move_le, move_g};

static void check_conditions(void) {
    static const u32 flag[5] = {CF, PF, ZF, SF, OF};
    for (u32 set = 0; set < 32; ++set) {
        u32 flags = 2;
        for (u32 i = 0; i < 5; ++i) flags |= (set >> i & 1) != 0 ? flag[i] : 0;
        for (u32 c = 0; c < 16; ++c) {
            const u64 source = 0x1111111122222222, dest = 0x3333333344444444;
            CHECK_EQ(moves[c](flags, source, dest), condition(c, flags) ? source : dest);
        }
    }
}

static void check_forms(void) {
    const u64 a = 0x1111111122222222, b = 0x3333333344444444;
    CHECK_EQ(move_32(2 | ZF, a, b), 0x22222222);
    CHECK_EQ(move_32(2, a, b), 0x44444444);
    CHECK_EQ(move_32_extended(2 | ZF, a, b), 0x22222222);
    CHECK_EQ(move_32_extended(2, a, b), 0x44444444);
    u64 memory[2] = {a, 0x55555555ul};
    CHECK_EQ(move_32_memory(2 | ZF, (u64)memory, b), 0x22222222);
    CHECK_EQ(move_32_memory(2, (u64)memory, b), 0x44444444);
    CHECK_EQ(move_64_memory(2 | ZF, (u64)memory, b), a);
    CHECK_EQ(move_64_memory(2, (u64)memory, b), b);
    CHECK_EQ(move_32_through_itself(2 | ZF, 0, (u64)memory), 0x55555555);
    CHECK_EQ(move_32_through_itself(2, 0, (u64)memory), (u32)(u64)memory);
    CHECK_EQ(move_16(2 | ZF, a, b), 0x3333333344442222);
    CHECK_EQ(move_16(2, a, b), b);
    CHECK_EQ(first_bit(0x50), 4);
}

int main(void) {
    check_conditions();
    check_forms();
    return check_summary();
}
