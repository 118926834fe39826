// KAND KANDN KANDNR KOR KXOR KXNOR KNOT KMOV KORTEST KMERGE2L1H KMERGE2L1L KCONCATH KCONCATL
// KEXTRACT, JKZD JKNZD: instructions on mask registers.
//
// KORTEST clears the arithmetic flags other than ZF and CF. KMOV to a general register clears what
// is above the mask. Source: Intel Xeon Phi coprocessor instruction set reference 327364, 5.
#include <knc/isa/op_table.h>

#include <iterator>

#include <knc/isa/branch.h>
#include <knc/isa/context.h>
#include <knc/isa/vector_insn.h>
#include <knc/isa/vector_operand.h>
#include <knc/isa/vector_state.h>

namespace knc::isa {
namespace {

constexpr unsigned mask_bits = 16;

mask_t low(unsigned v) {
    return static_cast<mask_t>(v);
}

// Results of two masks: the destination as it was, and the source.
mask_t and_of(unsigned a, unsigned b) {
    return low(a & b);
}
mask_t andn_of(unsigned a, unsigned b) {
    return low(~a & b);
}
mask_t andnr_of(unsigned a, unsigned b) {
    return low(a & ~b);
}
mask_t or_of(unsigned a, unsigned b) {
    return low(a | b);
}
mask_t xor_of(unsigned a, unsigned b) {
    return low(a ^ b);
}
mask_t xnor_of(unsigned a, unsigned b) {
    return low(~(a ^ b));
}
mask_t not_of(unsigned, unsigned b) {
    return low(~b);
}
mask_t copy_of(unsigned, unsigned b) {
    return low(b);
}
mask_t merge_high(unsigned a, unsigned b) {
    return low((b & 0xff) << 8 | (a >> 8 & 0xff));
}
mask_t merge_low(unsigned a, unsigned b) {
    return low((b & 0xff) << 8 | (a & 0xff));
}

template <mask_t (*Of)(unsigned, unsigned)>
status combine(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    mask_t& to = c.s.vector.k[i.reg];
    to = Of(to, c.s.vector.k[i.rm]);
    return status::ok;
}

// The same of two masks that are not written.
status kortest(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    const mask_t either = low(c.s.vector.k[i.reg] | c.s.vector.k[i.rm]);
    std::uint32_t flags = 0;
    if (either == 0) flags |= flag_zf;
    if (either == 0xffff) flags |= flag_cf;
    c.s.arithmetic.set(flags);
    return status::ok;
}

status to_general(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    c.set<std::uint64_t>(i.reg, c.s.vector.k[i.rm]);
    return status::ok;
}
status from_general(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    c.s.vector.k[i.reg] = c.get<std::uint16_t>(i.rm);
    return status::ok;
}

// Both masks into one half of a general register, the other half 0.
template <unsigned Shift>
status concatenate(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    const vector_fields f = vector_fields::of(i);
    const std::uint64_t first = c.s.vector.k[f.source2], second = c.s.vector.k[i.rm];
    c.set<std::uint64_t>(i.reg, (first << mask_bits | second) << Shift);
    return status::ok;
}

// One of the four masks in a general register.
status extract(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    const unsigned which = static_cast<unsigned>(i.imm) & 3u;
    c.s.vector.k[i.reg] = static_cast<mask_t>(c.get<std::uint64_t>(i.rm) >> which * mask_bits);
    return status::ok;
}

template <bool Zero>
status jump_if(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    const mask_t k = c.s.vector.k[vector_fields::of(i).source2];
    c.branch_taken = (k == 0) == Zero;
    return c.branch_taken ? branch_to<std::uint64_t>(c, relative_target(c, i)) : status::ok;
}

// ---- selection

// The decoder takes the destination of these for written only.
template <mask_t (*Of)(unsigned, unsigned)>
handler both(const decoded&, insn& out) {
    out.reads |= out.writes & mask_registers;
    return combine<Of>;
}
template <handler H>
handler plain(const decoded&, insn&) {
    return H;
}
// The decoder takes the mask for written.
template <bool Zero>
handler select_jump(const decoded&, insn& out) {
    out.reads |= out.writes;
    out.writes = 0;
    return jump_if<Zero>;
}
handler kmov(const decoded& d, insn&) {
    const bool to_mask = ZydisRegisterGetClass(d.ops[0].reg.value) == ZYDIS_REGCLASS_MASK;
    const bool from_mask = ZydisRegisterGetClass(d.ops[1].reg.value) == ZYDIS_REGCLASS_MASK;
    if (!to_mask) return to_general;
    return from_mask ? combine<copy_of> : from_general;
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_KAND, both<and_of>, insn_vector},
    {ZYDIS_MNEMONIC_KANDN, both<andn_of>, insn_vector},
    {ZYDIS_MNEMONIC_KANDNR, both<andnr_of>, insn_vector},
    {ZYDIS_MNEMONIC_KOR, both<or_of>, insn_vector},
    {ZYDIS_MNEMONIC_KXOR, both<xor_of>, insn_vector},
    {ZYDIS_MNEMONIC_KXNOR, both<xnor_of>, insn_vector},
    {ZYDIS_MNEMONIC_KNOT, plain<combine<not_of>>, insn_vector},
    {ZYDIS_MNEMONIC_KMOV, kmov, insn_vector},
    {ZYDIS_MNEMONIC_KORTEST, plain<kortest>, insn_vector},
    {ZYDIS_MNEMONIC_KMERGE2L1H, both<merge_high>, insn_vector},
    {ZYDIS_MNEMONIC_KMERGE2L1L, both<merge_low>, insn_vector},
    {ZYDIS_MNEMONIC_KCONCATH, plain<concatenate<2 * mask_bits>>, insn_vector},
    {ZYDIS_MNEMONIC_KCONCATL, plain<concatenate<0>>, insn_vector},
    {ZYDIS_MNEMONIC_KEXTRACT, plain<extract>, insn_vector},
    {ZYDIS_MNEMONIC_JKZD, select_jump<true>, insn_vector | insn_branch | insn_conditional},
    {ZYDIS_MNEMONIC_JKNZD, select_jump<false>, insn_vector | insn_branch | insn_conditional},
};

}  // namespace

op_table mask_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
