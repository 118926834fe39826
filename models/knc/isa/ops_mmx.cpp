// MMX, the instructions of profile p55c beside those of a Pentium: MOVD .. PXOR, EMMS.
//
// Models: 57 instructions of 47 mnemonics, and what they do to the x87 unit, whose registers they
// use: a write fills bits 79:64 of the physical register with ones; every instruction sets TOP to
// 0; EMMS makes all registers empty, every other instruction makes none empty. What an instruction
// faults on comes before any of this. Leaves out: when a result is there (knc/core/scoreboard.h).
// Source: Intel SDM vol. 2; vol. 3, chapter 12.
#include <knc/isa/op_table.h>

#include <iterator>

#include <knc/isa/mmx_arithmetic.h>
#include <knc/isa/select.h>
#include <knc/isa/x87_unit.h>

namespace knc::isa {
namespace {

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// ---- the unit

// CR0.EM makes MMX undefined, where it makes x87 unavailable; the rest is as for x87.
bool ready(context& c) {
    if ((c.s.cr0 & cr0_em) == 0) return x87_ready(c);
    c.ud();
    return false;
}

constexpr std::uint8_t all_used = 0xff, all_empty = 0;
constexpr std::uint16_t sign_exponent_of_mmx = 0xffff;

status done(context& c, std::uint8_t used = all_used) {
    c.s.x87.set_top(0);
    c.s.x87.used = used;
    return status::ok;
}
u64 value(const context& c, unsigned n) {
    return c.s.x87.physical[n].significand;
}
status write(context& c, unsigned n, u64 v) {
    x87_register& r = c.s.x87.physical[n];
    r.significand = v;
    r.sign_exponent = sign_exponent_of_mmx;
    return done(c);
}

// ---- accesses, counted as those of MMX beside all

class marked_access {
  public:
    explicit marked_access(context& c) : c_(c) { *c_.vector_access = true; }
    ~marked_access() { *c_.vector_access = false; }
    marked_access(const marked_access&) = delete;
    marked_access& operator=(const marked_access&) = delete;

  private:
    context& c_;
};

template <class T>
bool load(context& c, const insn& i, T& v) {
    const marked_access mark(c);
    base::event_row& row = c.events();
    const u64 before = row[base::data_read];
    if (!c.load<T>(i.seg, c.offset(i), v)) return false;
    row[base::vpu_data_read] += row[base::data_read] - before;
    return true;
}
template <class T>
bool store_value(context& c, const insn& i, T v) {
    const marked_access mark(c);
    base::event_row& row = c.events();
    const u64 before = row[base::data_write];
    if (!c.store<T>(i.seg, c.offset(i), v)) return false;
    row[base::vpu_data_write] += row[base::data_write] - before;
    return true;
}

// ---- operations on a register and another operand

using operation = u64 (*)(u64, u64);

u64 source_alone(u64, u64 b) {
    return b;
}

template <operation Op>
status with_register(context& c, const insn& i) {
    if (!ready(c)) return c.failure;
    return write(c, i.reg, Op(value(c, i.reg), value(c, i.rm)));
}
// T: what it reads.
template <operation Op, class T>
status with_memory(context& c, const insn& i) {
    T v;
    if (!ready(c) || !load(c, i, v)) return c.failure;
    return write(c, i.reg, Op(value(c, i.reg), v));
}
// An operation that may saturate; `Saturates`: whether a lane of it does, 0 or 1.
template <operation Op, operation Saturates>
status saturate(context& c, const insn& i, u64 a, u64 b) {
    base::event_row& row = c.events();
    ++row[base::p55c_saturating];
    row[base::p55c_saturated] += Saturates(a, b);
    return write(c, i.reg, Op(a, b));
}
template <operation Op, operation Saturates>
status saturating_with_register(context& c, const insn& i) {
    if (!ready(c)) return c.failure;
    return saturate<Op, Saturates>(c, i, value(c, i.reg), value(c, i.rm));
}
template <operation Op, operation Saturates>
status saturating_with_memory(context& c, const insn& i) {
    u64 v;
    if (!ready(c) || !load(c, i, v)) return c.failure;
    return saturate<Op, Saturates>(c, i, value(c, i.reg), v);
}
template <operation Op>
status with_immediate(context& c, const insn& i) {
    if (!ready(c)) return c.failure;
    return write(c, i.reg, Op(value(c, i.reg), static_cast<u8>(i.imm)));
}

// ---- moves

status load_general(context& c, const insn& i) {
    if (!ready(c)) return c.failure;
    return write(c, i.reg, c.get<u32>(i.rm));
}
status store_general(context& c, const insn& i) {
    if (!ready(c)) return c.failure;
    c.set<u32>(i.rm, static_cast<u32>(value(c, i.reg)));
    return done(c);
}
template <class T>
status store(context& c, const insn& i) {
    if (!ready(c) || !store_value(c, i, static_cast<T>(value(c, i.reg)))) return c.failure;
    return done(c);
}

status emms(context& c, const insn&) {
    return ready(c) ? done(c, all_empty) : c.failure;
}

// ---- selectors

bool is_mmx_register(const ZydisDecodedOperand& o) {
    return o.type == ZYDIS_OPERAND_TYPE_REGISTER && o.reg.value >= ZYDIS_REGISTER_MM0 &&
           o.reg.value <= ZYDIS_REGISTER_MM7;
}

// reg is the first MMX register named, rm the second; without a second, rm stays the general
// register that MOVD names.
void take_registers(const decoded& d, insn& out) {
    unsigned found = 0;
    for (unsigned n = 0; n < d.i.operand_count_visible; ++n) {
        const ZydisDecodedOperand& o = d.ops[n];
        if (!is_mmx_register(o)) continue;
        const unsigned number = o.reg.value - ZYDIS_REGISTER_MM0;
        (found++ == 0 ? out.reg : out.rm) = static_cast<u8>(number);
        const register_set bit = register_set{1} << (x87_registers_shift + number);
        if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) out.reads |= bit;
        if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) out.writes |= bit;
    }
}

// `Memory`: what it reads of a memory operand.
template <operation Op, class Memory = u64>
handler select(const decoded& d, insn& out) {
    take_registers(d, out);
    return is_memory(d.ops[1]) ? with_memory<Op, Memory> : with_register<Op>;
}
template <operation Op, operation Saturates>
handler select_saturating(const decoded& d, insn& out) {
    take_registers(d, out);
    return is_memory(d.ops[1]) ? saturating_with_memory<Op, Saturates>
                               : saturating_with_register<Op, Saturates>;
}
template <operation Op>
handler select_shift(const decoded& d, insn& out) {
    if (!is_immediate(d.ops[1])) return select<Op>(d, out);
    take_registers(d, out);
    return with_immediate<Op>;
}
handler select_movd(const decoded& d, insn& out) {
    take_registers(d, out);
    if (is_memory(d.ops[0])) return store<u32>;
    if (is_memory(d.ops[1])) return with_memory<source_alone, u32>;
    return is_mmx_register(d.ops[0]) ? load_general : store_general;
}
handler select_movq(const decoded& d, insn& out) {
    if (!is_memory(d.ops[0])) return select<source_alone>(d, out);
    take_registers(d, out);
    return store<u64>;
}

// clang-format off
constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_MOVD,      select_movd,                                    insn_mmx},
    {ZYDIS_MNEMONIC_MOVQ,      select_movq,                                    insn_mmx},
    {ZYDIS_MNEMONIC_PADDB,     select<mmx_add<u8>>,                            insn_mmx},
    {ZYDIS_MNEMONIC_PADDW,     select<mmx_add<u16>>,                           insn_mmx},
    {ZYDIS_MNEMONIC_PADDD,     select<mmx_add<u32>>,                           insn_mmx},
    {ZYDIS_MNEMONIC_PADDSB,    select_saturating<mmx_add_saturated<i8>, mmx_add_saturates<i8>>, insn_mmx},
    {ZYDIS_MNEMONIC_PADDSW,    select_saturating<mmx_add_saturated<i16>, mmx_add_saturates<i16>>, insn_mmx},
    {ZYDIS_MNEMONIC_PADDUSB,   select_saturating<mmx_add_saturated<u8>, mmx_add_saturates<u8>>, insn_mmx},
    {ZYDIS_MNEMONIC_PADDUSW,   select_saturating<mmx_add_saturated<u16>, mmx_add_saturates<u16>>, insn_mmx},
    {ZYDIS_MNEMONIC_PSUBB,     select<mmx_subtract<u8>>,                       insn_mmx},
    {ZYDIS_MNEMONIC_PSUBW,     select<mmx_subtract<u16>>,                      insn_mmx},
    {ZYDIS_MNEMONIC_PSUBD,     select<mmx_subtract<u32>>,                      insn_mmx},
    {ZYDIS_MNEMONIC_PSUBSB,    select_saturating<mmx_subtract_saturated<i8>, mmx_subtract_saturates<i8>>, insn_mmx},
    {ZYDIS_MNEMONIC_PSUBSW,    select_saturating<mmx_subtract_saturated<i16>, mmx_subtract_saturates<i16>>, insn_mmx},
    {ZYDIS_MNEMONIC_PSUBUSB,   select_saturating<mmx_subtract_saturated<u8>, mmx_subtract_saturates<u8>>, insn_mmx},
    {ZYDIS_MNEMONIC_PSUBUSW,   select_saturating<mmx_subtract_saturated<u16>, mmx_subtract_saturates<u16>>, insn_mmx},
    {ZYDIS_MNEMONIC_PMULLW,    select<mmx_multiply_low>,                       insn_mmx},
    {ZYDIS_MNEMONIC_PMULHW,    select<mmx_multiply_high>,                      insn_mmx},
    {ZYDIS_MNEMONIC_PMADDWD,   select<mmx_multiply_add>,                       insn_mmx},
    {ZYDIS_MNEMONIC_PCMPEQB,   select<mmx_equal<u8>>,                          insn_mmx},
    {ZYDIS_MNEMONIC_PCMPEQW,   select<mmx_equal<u16>>,                         insn_mmx},
    {ZYDIS_MNEMONIC_PCMPEQD,   select<mmx_equal<u32>>,                         insn_mmx},
    {ZYDIS_MNEMONIC_PCMPGTB,   select<mmx_greater<i8>>,                        insn_mmx},
    {ZYDIS_MNEMONIC_PCMPGTW,   select<mmx_greater<i16>>,                       insn_mmx},
    {ZYDIS_MNEMONIC_PCMPGTD,   select<mmx_greater<i32>>,                       insn_mmx},
    {ZYDIS_MNEMONIC_PAND,      select<mmx_and>,                                insn_mmx},
    {ZYDIS_MNEMONIC_PANDN,     select<mmx_and_not>,                            insn_mmx},
    {ZYDIS_MNEMONIC_POR,       select<mmx_or>,                                 insn_mmx},
    {ZYDIS_MNEMONIC_PXOR,      select<mmx_exclusive_or>,                       insn_mmx},
    {ZYDIS_MNEMONIC_PSLLW,     select_shift<mmx_shift_left<u16>>,              insn_mmx},
    {ZYDIS_MNEMONIC_PSLLD,     select_shift<mmx_shift_left<u32>>,              insn_mmx},
    {ZYDIS_MNEMONIC_PSLLQ,     select_shift<mmx_shift_left<u64>>,              insn_mmx},
    {ZYDIS_MNEMONIC_PSRLW,     select_shift<mmx_shift_right<u16>>,             insn_mmx},
    {ZYDIS_MNEMONIC_PSRLD,     select_shift<mmx_shift_right<u32>>,             insn_mmx},
    {ZYDIS_MNEMONIC_PSRLQ,     select_shift<mmx_shift_right<u64>>,             insn_mmx},
    {ZYDIS_MNEMONIC_PSRAW,     select_shift<mmx_shift_right_signed<i16>>,      insn_mmx},
    {ZYDIS_MNEMONIC_PSRAD,     select_shift<mmx_shift_right_signed<i32>>,      insn_mmx},
    {ZYDIS_MNEMONIC_PACKSSWB,  select_saturating<mmx_pack<i16, i8>, mmx_pack_saturates<i16, i8>>, insn_mmx},
    {ZYDIS_MNEMONIC_PACKSSDW,  select_saturating<mmx_pack<i32, i16>, mmx_pack_saturates<i32, i16>>, insn_mmx},
    {ZYDIS_MNEMONIC_PACKUSWB,  select_saturating<mmx_pack<i16, u8>, mmx_pack_saturates<i16, u8>>, insn_mmx},
    {ZYDIS_MNEMONIC_PUNPCKHBW, select<mmx_unpack<u8, true>>,                   insn_mmx},
    {ZYDIS_MNEMONIC_PUNPCKHWD, select<mmx_unpack<u16, true>>,                  insn_mmx},
    {ZYDIS_MNEMONIC_PUNPCKHDQ, select<mmx_unpack<u32, true>>,                  insn_mmx},
    {ZYDIS_MNEMONIC_PUNPCKLBW, select<mmx_unpack<u8, false>, u32>,             insn_mmx},
    {ZYDIS_MNEMONIC_PUNPCKLWD, select<mmx_unpack<u16, false>, u32>,            insn_mmx},
    {ZYDIS_MNEMONIC_PUNPCKLDQ, select<mmx_unpack<u32, false>, u32>,            insn_mmx},
    {ZYDIS_MNEMONIC_EMMS,      always<emms>,                                   insn_mmx},
};
// clang-format on
static_assert(std::size(rows) == 47, "the mnemonics of MMX");

}  // namespace

op_table mmx_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
