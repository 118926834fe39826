// MOV, MOVZX, MOVSX, MOVSXD, LEA, XCHG, BSWAP, XLAT, CMOVcc and the sign extensions of rAX. The
// stack and flag rows of the family are in ops_stack.cpp and ops_flags.cpp.
//
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <iterator>
#include <type_traits>

#include <knc/isa/address_mask.h>
#include <knc/isa/context.h>
#include <knc/isa/memory_operand.h>
#include <knc/isa/ops_flags.h>
#include <knc/isa/ops_stack.h>
#include <knc/isa/select.h>

namespace knc::isa {
namespace {

template <class T>
status mov_rr(context& c, const insn& i) {
    c.set<T>(i.reg, c.get<T>(i.rm));
    return status::ok;
}
template <class T>
status mov_ri(context& c, const insn& i) {
    c.set<T>(i.reg, static_cast<T>(i.imm));
    return status::ok;
}
template <class T>
status mov_value(context& c, const insn& i, T v) {
    c.set<T>(i.reg, v);
    return status::ok;
}

// The absolute offset of the moffs forms is wider than insn::disp.
std::uint64_t absolute_offset(const insn& i) {
    const auto a = static_cast<std::uint64_t>(i.imm);
    return i.address_size == 8 ? a : a & (i.address_size == 4 ? 0xffff'ffffu : 0xffffu);
}
template <class T>
status mov_from_absolute(context& c, const insn& i) {
    T v;
    if (!c.load<T>(i.seg, absolute_offset(i), v)) return c.failure;
    c.set<T>(8 * rax, v);
    return status::ok;
}
template <class T>
status mov_to_absolute(context& c, const insn& i) {
    return c.store<T>(i.seg, absolute_offset(i), c.get<T>(8 * rax)) ? status::ok : c.failure;
}

handler select_mov(const decoded& d, insn& out) {
    const form f = form_of(d, out);
    const bool absolute =
        (f == form::rm || f == form::mr) &&
        d.ops[f == form::rm ? 1 : 0].encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64;
    const addressing how = addressing_of(d, out);
    return for_size(out.size, [f, absolute, how](auto t) -> handler {
        using T = decltype(t);
        switch (f) {
            case form::rr:
                return mov_rr<T>;
            case form::ri:
                return mov_ri<T>;
            case form::rm:
                return absolute ? mov_from_absolute<T> : reader<T, mov_value<T>>(how);
            case form::mr:
                return absolute ? mov_to_absolute<T> : writer<T, register_value<T>>(how);
            case form::mi:
                return writer<T, immediate_value<T>>(how);
            default:
                return nullptr;
        }
    });
}

// T from S, extended by the signedness of S.
template <class T, class S>
T extend(S v) {
    return static_cast<T>(
        static_cast<std::conditional_t<std::is_signed_v<S>, std::int64_t, std::uint64_t>>(v));
}
template <class T, class S>
status extend_register(context& c, const insn& i) {
    c.set<T>(i.reg, extend<T>(c.get<S>(i.rm)));
    return status::ok;
}
// The access is one of S without its sign.
template <class T, class S>
status extend_value(context& c, const insn& i, std::make_unsigned_t<S> v) {
    c.set<T>(i.reg, extend<T>(static_cast<S>(v)));
    return status::ok;
}
template <bool Signed>
handler select_extend(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::rm;
    const unsigned from = d.ops[1].size / 8;
    const addressing how = addressing_of(d, out);
    return for_word_size(out.size, [memory, how, from](auto t) {
        return for_size(from, [memory, how](auto s) -> handler {
            using S = decltype(s);
            using source = std::conditional_t<Signed, std::make_signed_t<S>, S>;
            return memory ? reader<S, extend_value<decltype(t), source>>(how)
                          : extend_register<decltype(t), source>;
        });
    });
}

template <class T>
status lea(context& c, const insn& i) {
    c.set<T>(i.reg, static_cast<T>(c.offset(i)));
    return status::ok;
}
handler select_lea(const decoded&, insn& out) {
    return for_word_size(out.size, [](auto t) -> handler { return lea<decltype(t)>; });
}

template <class T>
status xchg_register(context& c, const insn& i) {
    const T a = c.get<T>(i.reg), b = c.get<T>(i.rm);
    c.set<T>(i.reg, b);
    c.set<T>(i.rm, a);
    return status::ok;
}
template <class T>
status xchg_memory(context& c, const insn& i) {
    const std::uint64_t at = c.offset(i);
    T v;
    if (!c.load_for_update<T>(i.seg, at, v) || !c.store<T>(i.seg, at, c.get<T>(i.reg)))
        return c.failure;
    c.set<T>(i.reg, v);
    return status::ok;
}
handler select_xchg(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::mr;
    if (memory) out.flags |= insn_lock;
    return for_size(out.size, [memory](auto t) -> handler {
        return memory ? xchg_memory<decltype(t)> : xchg_register<decltype(t)>;
    });
}

// A 16-bit BSWAP is undefined: the low word becomes 0, as on current Intel processors.
status bswap16(context& c, const insn& i) {
    c.set<std::uint16_t>(i.reg, 0);
    return status::ok;
}
status bswap32(context& c, const insn& i) {
    c.set<std::uint32_t>(i.reg, __builtin_bswap32(c.get<std::uint32_t>(i.reg)));
    return status::ok;
}
status bswap64(context& c, const insn& i) {
    c.set<std::uint64_t>(i.reg, __builtin_bswap64(c.get<std::uint64_t>(i.reg)));
    return status::ok;
}
handler select_bswap(const decoded&, insn& out) {
    return out.size == 2 ? bswap16 : out.size == 4 ? bswap32 : bswap64;
}

status xlat(context& c, const insn& i) {
    std::uint8_t v;
    if (!c.load<std::uint8_t>(i.seg, (c.s.r[rbx] + c.get<std::uint8_t>(8 * rax)) & address_mask(i),
                              v))
        return c.failure;
    c.set<std::uint8_t>(8 * rax, v);
    return status::ok;
}
handler select_xlat(const decoded& d, insn& out) {
    out.seg = static_cast<std::uint8_t>(ZydisRegisterGetId(d.ops[0].mem.segment));
    return xlat;
}

// CBW, CWDE, CDQE: S to the T twice its size.
template <class T, class S>
status extend_rax(context& c, const insn&) {
    c.set<T>(8 * rax, extend<T>(c.get<S>(8 * rax)));
    return status::ok;
}
// CWD, CDQ, CQO: the sign of rAX through rDX.
template <class T>
status extend_into_rdx(context& c, const insn&) {
    using S = std::make_signed_t<T>;
    c.set<T>(8 * rdx, c.get<S>(8 * rax) < 0 ? static_cast<T>(-1) : T{0});
    return status::ok;
}

template <unsigned Code, class T>
status cmov_register(context& c, const insn& i) {
    const bool move = c.s.arithmetic.condition(Code);
    c.set<T>(i.reg, c.get<T>(move ? i.rm : i.reg));
    return status::ok;
}
// The memory operand is read whether the condition holds or not.
template <unsigned Code, class T>
status cmov_value(context& c, const insn& i, T v) {
    c.set<T>(i.reg, c.s.arithmetic.condition(Code) ? v : c.get<T>(i.reg));
    return status::ok;
}
handler select_cmov(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::rm;
    const addressing how = addressing_of(d, out);
    return for_condition(d.i.opcode & 15u, [memory, how, &out](auto code) {
        return for_word_size(out.size, [memory, how](auto t) -> handler {
            using T = decltype(t);
            constexpr unsigned cc = decltype(code)::value;
            return memory ? reader<T, cmov_value<cc, T>>(how) : cmov_register<cc, T>;
        });
    });
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_MOV, select_mov, 0},
    {ZYDIS_MNEMONIC_MOVZX, select_extend<false>, 0},
    {ZYDIS_MNEMONIC_MOVSX, select_extend<true>, 0},
    {ZYDIS_MNEMONIC_MOVSXD, select_extend<true>, 0},
    {ZYDIS_MNEMONIC_LEA, select_lea, 0},
    {ZYDIS_MNEMONIC_XCHG, select_xchg, 0},
    {ZYDIS_MNEMONIC_BSWAP, select_bswap, 0},
    {ZYDIS_MNEMONIC_XLAT, select_xlat, 0},
    {ZYDIS_MNEMONIC_CBW, always<extend_rax<std::uint16_t, std::int8_t>>, 0},
    {ZYDIS_MNEMONIC_CWDE, always<extend_rax<std::uint32_t, std::int16_t>>, 0},
    {ZYDIS_MNEMONIC_CDQE, always<extend_rax<std::uint64_t, std::int32_t>>, 0},
    {ZYDIS_MNEMONIC_CWD, always<extend_into_rdx<std::uint16_t>>, 0},
    {ZYDIS_MNEMONIC_CDQ, always<extend_into_rdx<std::uint32_t>>, 0},
    {ZYDIS_MNEMONIC_CQO, always<extend_into_rdx<std::uint64_t>>, 0},
    {ZYDIS_MNEMONIC_PUSH, select_push, 0},
    {ZYDIS_MNEMONIC_POP, select_pop, 0},
    {ZYDIS_MNEMONIC_PUSHA, select_pusha, insn_microcode | insn_several_accesses},
    {ZYDIS_MNEMONIC_PUSHAD, select_pusha, insn_microcode | insn_several_accesses},
    {ZYDIS_MNEMONIC_POPA, select_popa, insn_microcode | insn_several_accesses},
    {ZYDIS_MNEMONIC_POPAD, select_popa, insn_microcode | insn_several_accesses},
    {ZYDIS_MNEMONIC_LAHF, always<lahf>, 0},
    {ZYDIS_MNEMONIC_SAHF, always<sahf>, 0},
    {ZYDIS_MNEMONIC_CLC, always<clear_carry>, 0},
    {ZYDIS_MNEMONIC_STC, always<set_carry>, 0},
    {ZYDIS_MNEMONIC_CMC, always<complement_carry>, 0},
    {ZYDIS_MNEMONIC_CLD, always<clear_direction>, 0},
    {ZYDIS_MNEMONIC_STD, always<set_direction>, 0},
    {ZYDIS_MNEMONIC_PUSHF, select_pushf, insn_microcode},
    {ZYDIS_MNEMONIC_PUSHFD, select_pushf, insn_microcode},
    {ZYDIS_MNEMONIC_PUSHFQ, select_pushf, insn_microcode},
    {ZYDIS_MNEMONIC_POPF, select_popf, insn_microcode},
    {ZYDIS_MNEMONIC_POPFD, select_popf, insn_microcode},
    {ZYDIS_MNEMONIC_POPFQ, select_popf, insn_microcode},
    {ZYDIS_MNEMONIC_CMOVO, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVNO, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVB, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVNB, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVZ, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVNZ, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVBE, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVNBE, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVS, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVNS, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVP, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVNP, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVL, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVNL, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVLE, select_cmov, 0},
    {ZYDIS_MNEMONIC_CMOVNLE, select_cmov, 0},
};

}  // namespace

op_table data_transfer_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
