// Arithmetic, logic and shifts of vector integers: VPADD VPSUB VPSUBR VPADC VPSBB .., VPMULL VPMULH
// VPMADD, VPAND VPANDN VPOR VPXOR, VPMIN VPMAX, VPSLL VPSRL VPSRA and their variable forms.
//
// Source: Intel Xeon Phi coprocessor instruction set reference 327364, 6.
#include <knc/isa/op_table.h>

#include <algorithm>
#include <iterator>

#include <knc/isa/vector_operand.h>

namespace knc::isa {
namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;

s32 as_signed(u32 v) {
    return static_cast<s32>(v);
}

// ---- results of a lane of the second and one of the third source
u32 add(u32 a, u32 b) {
    return a + b;
}
u32 subtract(u32 a, u32 b) {
    return a - b;
}
u32 subtract_reversed(u32 a, u32 b) {
    return b - a;
}
u32 multiply_low(u32 a, u32 b) {
    return a * b;
}
u32 multiply_high(u32 a, u32 b) {
    return static_cast<u32>((std::int64_t{as_signed(a)} * as_signed(b)) >> 32);
}
u32 multiply_high_unsigned(u32 a, u32 b) {
    return static_cast<u32>(u64{a} * b >> 32);
}
u32 minimum(u32 a, u32 b) {
    return static_cast<u32>(std::min(as_signed(a), as_signed(b)));
}
u32 maximum(u32 a, u32 b) {
    return static_cast<u32>(std::max(as_signed(a), as_signed(b)));
}
u32 minimum_unsigned(u32 a, u32 b) {
    return std::min(a, b);
}
u32 maximum_unsigned(u32 a, u32 b) {
    return std::max(a, b);
}
template <class T>
T and_of(T a, T b) {
    return a & b;
}
template <class T>
T andn_of(T a, T b) {
    return ~a & b;
}
template <class T>
T or_of(T a, T b) {
    return a | b;
}
template <class T>
T xor_of(T a, T b) {
    return a ^ b;
}
// A count beyond the lane shifts everything out.
u32 shift_left(u32 v, u32 count) {
    return count > 31 ? 0 : v << count;
}
u32 shift_right(u32 v, u32 count) {
    return count > 31 ? 0 : v >> count;
}
u32 shift_right_arithmetic(u32 v, u32 count) {
    return static_cast<u32>(as_signed(v) >> std::min<u32>(count, 31));
}

template <class T>
using vector_execution_int =
    std::conditional_t<sizeof(T) == 4, vector_execution_i32, vector_execution_64>;

template <class T, T (*Of)(T, T)>
status two_sources(context& c, const insn& i) {
    vector_execution_int<T> x(c, i);
    if (!x.begin()) return c.failure;
    return x.write([&](unsigned n) { return Of(x.second(n), x.third(n)); });
}
template <u32 (*Of)(u32, u32)>
status shift_by_immediate(context& c, const insn& i) {
    vector_execution_i32 x(c, i);
    if (!x.begin()) return c.failure;
    const u32 count = static_cast<u32>(i.imm) & 0xff;
    return x.write([&](unsigned n) { return Of(x.third(n), count); });
}
// The destination is the operand of MVEX.vvvv.
template <u32 (*Of)(u32, u32)>
handler select_shift_by_immediate(const decoded&, insn& out) {
    out.reg = static_cast<std::uint8_t>(vector_fields::of(out).source2);
    return shift_by_immediate<Of>;
}

status multiply_add_231(context& c, const insn& i) {
    vector_execution_i32 x(c, i);
    if (!x.begin()) return c.failure;
    return x.write([&](unsigned n) { return x.destination(n) + x.second(n) * x.third(n); });
}
// Lanes 0 and 1 of each four of the third source are the addend and the factor of all four.
status multiply_add_233(context& c, const insn& i) {
    if (vector_swizzled(i)) return c.ud();
    vector_execution_i32 x(c, i);
    if (!x.begin()) return c.failure;
    const vector_register third = x.third();
    return x.write([&](unsigned n) {
        const unsigned group = n & ~3u;
        return x.second(n) * third.get<u32>(group + 1) + third.get<u32>(group);
    });
}

// ---- with a carry or sign for each lane in a mask register

// Sums and differences of the destination and the third source: 64 bits, of which bit 32 is the
// carry or borrow.
u64 sum_of(u32 a, u32 b, u32 carry) {
    return u64{a} + b + carry;
}
u64 difference_of(u32 a, u32 b, u32 borrow) {
    return u64{a} - b - borrow;
}
u64 reversed_difference_of(u32 a, u32 b, u32 borrow) {
    return u64{b} - a - borrow;
}
// The mask register of MVEX.vvvv receives the carries, and `WithCarry` adds those it had.
template <u64 (*Of)(u32, u32, u32), bool WithCarry>
status with_carries(context& c, const insn& i) {
    vector_execution_i32 x(c, i);
    if (!x.begin()) return c.failure;
    mask_t& carries = c.s.vector.k[x.fields().source2];
    return x.write([&](unsigned n) {
        const u32 carry = WithCarry ? carries >> n & 1u : 0;
        const u64 r = Of(x.destination(n), x.third(n), carry);
        set_lane(carries, n, (r >> 32 & 1) != 0);
        return static_cast<u32>(r);
    });
}
// The signs of the sums replace the active bits of the writemask.
status add_and_set_signs(context& c, const insn& i) {
    if (vector_fields::of(i).mask == 0) return c.ud();
    vector_execution_i32 x(c, i);
    if (!x.begin()) return c.failure;
    mask_t& signs = c.s.vector.k[x.fields().mask];
    return x.write([&](unsigned n) {
        const u32 sum = x.second(n) + x.third(n);
        set_lane(signs, n, sum >> 31 != 0);
        return sum;
    });
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_VPADDD, vector_selected<two_sources<u32, add>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSUBD, vector_selected<two_sources<u32, subtract>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSUBRD, vector_selected<two_sources<u32, subtract_reversed>>, insn_vector},
    {ZYDIS_MNEMONIC_VPMULLD, vector_selected<two_sources<u32, multiply_low>>, insn_vector},
    {ZYDIS_MNEMONIC_VPMULHD, vector_selected<two_sources<u32, multiply_high>>, insn_vector},
    {ZYDIS_MNEMONIC_VPMULHUD, vector_selected<two_sources<u32, multiply_high_unsigned>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPMINSD, vector_selected<two_sources<u32, minimum>>, insn_vector},
    {ZYDIS_MNEMONIC_VPMAXSD, vector_selected<two_sources<u32, maximum>>, insn_vector},
    {ZYDIS_MNEMONIC_VPMINUD, vector_selected<two_sources<u32, minimum_unsigned>>, insn_vector},
    {ZYDIS_MNEMONIC_VPMAXUD, vector_selected<two_sources<u32, maximum_unsigned>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSLLVD, vector_selected<two_sources<u32, shift_left>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSRLVD, vector_selected<two_sources<u32, shift_right>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSRAVD, vector_selected<two_sources<u32, shift_right_arithmetic>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPANDD, vector_selected<two_sources<u32, and_of>>, insn_vector},
    {ZYDIS_MNEMONIC_VPANDQ, vector_selected<two_sources<u64, and_of>>, insn_vector},
    {ZYDIS_MNEMONIC_VPANDND, vector_selected<two_sources<u32, andn_of>>, insn_vector},
    {ZYDIS_MNEMONIC_VPANDNQ, vector_selected<two_sources<u64, andn_of>>, insn_vector},
    {ZYDIS_MNEMONIC_VPORD, vector_selected<two_sources<u32, or_of>>, insn_vector},
    {ZYDIS_MNEMONIC_VPORQ, vector_selected<two_sources<u64, or_of>>, insn_vector},
    {ZYDIS_MNEMONIC_VPXORD, vector_selected<two_sources<u32, xor_of>>, insn_vector},
    {ZYDIS_MNEMONIC_VPXORQ, vector_selected<two_sources<u64, xor_of>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSLLD, select_shift_by_immediate<shift_left>, insn_vector},
    {ZYDIS_MNEMONIC_VPSRLD, select_shift_by_immediate<shift_right>, insn_vector},
    {ZYDIS_MNEMONIC_VPSRAD, select_shift_by_immediate<shift_right_arithmetic>, insn_vector},
    {ZYDIS_MNEMONIC_VPMADD231D, vector_updating<multiply_add_231>, insn_vector},
    {ZYDIS_MNEMONIC_VPMADD233D, vector_selected<multiply_add_233>, insn_vector},
    {ZYDIS_MNEMONIC_VPADCD, vector_updating_masks<with_carries<sum_of, true>>, insn_vector},
    {ZYDIS_MNEMONIC_VPADDSETCD, vector_updating_masks<with_carries<sum_of, false>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSBBD, vector_updating_masks<with_carries<difference_of, true>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSUBSETBD, vector_updating_masks<with_carries<difference_of, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPSBBRD, vector_updating_masks<with_carries<reversed_difference_of, true>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPSUBRSETBD, vector_updating_masks<with_carries<reversed_difference_of, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPADDSETSD, vector_updating_masks<add_and_set_signs>, insn_vector},
};

}  // namespace

op_table vector_integer_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
