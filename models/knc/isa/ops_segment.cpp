// MOV, PUSH and POP of segment registers, LDS to LSS, SWAPGS; LAR, LSL, VERR, VERW, ARPL.

#include <iterator>

#include <knc/isa/context.h>
#include <knc/isa/far_transfer.h>
#include <knc/isa/op_table.h>
#include <knc/isa/segmentation.h>
#include <knc/isa/select.h>
#include <knc/isa/stack.h>

namespace knc::isa {
namespace {

// imm2 is the segment register in all of these.
unsigned target(const insn& i) {
    return static_cast<unsigned>(i.imm2);
}

status load(context& c, const insn& i, std::uint16_t selector) {
    if (!load_data_segment(c, target(i), selector)) return c.failure;
    if (target(i) == ss) c.interrupt_shadow = c.debug_shadow = true;
    return status::ok;
}

status mov_from_register(context& c, const insn& i) {
    return load(c, i, c.get<std::uint16_t>(i.reg));
}
status mov_from_memory(context& c, const insn& i) {
    std::uint16_t selector;
    if (!c.load(i.seg, c.offset(i), selector)) return c.failure;
    return load(c, i, selector);
}
template <class T>
status mov_to_register(context& c, const insn& i) {
    c.set<T>(i.reg, c.s.seg[target(i)].selector);
    return status::ok;
}
status mov_to_memory(context& c, const insn& i) {
    const std::uint16_t selector = c.s.seg[target(i)].selector;
    return c.store(i.seg, c.offset(i), selector) ? status::ok : c.failure;
}

template <class T, bool Long>
status push_segment(context& c, const insn& i) {
    return push<T, Long>(c, c.s.seg[target(i)].selector) ? status::ok : c.failure;
}
template <class T, bool Long>
status pop_segment(context& c, const insn& i) {
    T value;
    if (!peek<T, Long>(c, value)) return c.failure;
    const std::uint64_t mask = stack_mask<Long>(c);
    const status r = load(c, i, static_cast<std::uint16_t>(value));
    if (r == status::ok) c.s.r[rsp] = stack_pointer(c, mask, c.s.r[rsp] + sizeof(T));
    return r;
}

template <class T>
status load_far_pointer(context& c, const insn& i) {
    std::uint8_t bytes[sizeof(T) + 2];
    if (!c.read(i.seg, c.offset(i), sizeof bytes, bytes)) return c.failure;
    T offset;
    std::uint16_t selector;
    std::memcpy(&offset, bytes, sizeof offset);
    std::memcpy(&selector, bytes + sizeof offset, sizeof selector);
    if (!load_data_segment(c, target(i), selector)) return c.failure;
    c.set<T>(i.reg, offset);
    return status::ok;
}

status swapgs(context& c, const insn&) {
    if (c.s.cpl != 0) return c.gp();
    std::swap(c.s.seg[gs].base, c.s.kernel_gs_base);
    return status::ok;
}

// ---- questions about descriptors: the answer is ZF

template <bool Memory>
bool read_selector(context& c, const insn& i, std::uint16_t& selector) {
    if constexpr (Memory) return c.load(i.seg, c.offset(i), selector);
    selector = c.get<std::uint16_t>(i.rm);
    return true;
}

// Reads the descriptor; `visible`: it exists, and the present level may read it.
bool inspect(context& c, std::uint16_t selector, descriptor& d, segment& g, bool& visible) {
    visible = false;
    if (is_null(selector)) return true;
    bool found = false;
    if (!look_up_descriptor(c, selector, d, found)) return false;
    g = d.as_segment(selector);
    const bool level = is_conforming(g) || (g.dpl() >= c.s.cpl && g.dpl() >= (selector & 3u));
    visible = found && level;
    return true;
}

// System types that LAR and LSL accept: outside long mode and in it.
struct accepted_types {
    std::uint32_t legacy, long_mode;
};
constexpr std::uint32_t bit_set(std::initializer_list<system_type> types) {
    std::uint32_t s = 0;
    for (const system_type t : types) s |= 1u << t;
    return s;
}
constexpr accepted_types lar_types{
    bit_set({type_tss16, type_ldt, type_tss16_busy, type_call_gate16, type_task_gate, type_tss,
             type_tss_busy, type_call_gate}),
    bit_set({type_ldt, type_tss, type_tss_busy, type_call_gate})};
constexpr accepted_types lsl_types{
    bit_set({type_tss16, type_ldt, type_tss16_busy, type_tss, type_tss_busy}),
    bit_set({type_ldt, type_tss, type_tss_busy})};

bool accepts(const context& c, const accepted_types& t, const segment& g) {
    return g.code_or_data() || ((c.s.long_mode() ? t.long_mode : t.legacy) >> g.type() & 1) != 0;
}

template <class T, bool Memory, bool Limit>
status inspect_into_register(context& c, const insn& i) {
    if (!selects_descriptors(c)) return c.ud();
    std::uint16_t selector;
    if (!read_selector<Memory>(c, i, selector)) return c.failure;
    descriptor d;
    segment g;
    bool visible = false;
    if (!inspect(c, selector, d, g, visible)) return c.failure;
    visible = visible && accepts(c, Limit ? lsl_types : lar_types, g);
    const std::uint64_t value = Limit ? g.limit : d.low >> 32 & 0x00f0'ff00;
    if (visible) c.set<T>(i.reg, static_cast<T>(value));
    c.s.arithmetic.set_zf(visible);
    return status::ok;
}

template <bool Memory, bool Write>
status verify(context& c, const insn& i) {
    if (!selects_descriptors(c)) return c.ud();
    std::uint16_t selector;
    if (!read_selector<Memory>(c, i, selector)) return c.failure;
    descriptor d;
    segment g;
    bool visible = false;
    if (!inspect(c, selector, d, g, visible)) return c.failure;
    c.s.arithmetic.set_zf(visible && g.code_or_data() && (Write ? is_writable(g) : is_readable(g)));
    return status::ok;
}

// Raises the RPL in `selector` to that in `least`; whether it did.
bool raise_rpl(std::uint16_t& selector, std::uint16_t least) {
    const auto raised = static_cast<std::uint16_t>((selector & ~3u) | (least & 3u));
    const bool lower = (selector & 3) < (least & 3);
    if (lower) selector = raised;
    return lower;
}
status arpl_register(context& c, const insn& i) {
    if (!selects_descriptors(c)) return c.ud();
    auto selector = c.get<std::uint16_t>(i.rm);
    const bool lower = raise_rpl(selector, c.get<std::uint16_t>(i.reg));
    c.set<std::uint16_t>(i.rm, selector);
    c.s.arithmetic.set_zf(lower);
    return status::ok;
}
status arpl_memory(context& c, const insn& i) {
    if (!selects_descriptors(c)) return c.ud();
    std::uint16_t selector;
    const std::uint64_t at = c.offset(i);
    if (!c.load_for_update(i.seg, at, selector)) return c.failure;
    const bool lower = raise_rpl(selector, c.get<std::uint16_t>(i.reg));
    if (!c.store(i.seg, at, selector)) return c.failure;
    c.s.arithmetic.set_zf(lower);
    return status::ok;
}

// ---- selectors

// Flags of instructions that read descriptors. A load of a selector may also set the accessed bit.
constexpr std::uint32_t inspect_flags = insn_microcode | insn_several_accesses;
constexpr std::uint32_t load_flags = insn_segment_load | inspect_flags;

bool is_segment(const ZydisDecodedOperand& o) {
    return o.type == ZYDIS_OPERAND_TYPE_REGISTER && o.reg.value >= ZYDIS_REGISTER_ES &&
           o.reg.value <= ZYDIS_REGISTER_GS;
}

handler select_mov(const decoded& d, insn& out) {
    const ZydisDecodedOperand &to = d.ops[0], &from = d.ops[1];
    if (is_segment(to)) {
        out.imm2 = static_cast<std::uint16_t>(ZydisRegisterGetId(to.reg.value));
        out.flags |= load_flags;
        if (is_memory(from)) return mov_from_memory;
        out.reg = register_offset(from.reg.value);
        return mov_from_register;
    }
    if (!is_segment(from)) return nullptr;
    out.imm2 = static_cast<std::uint16_t>(ZydisRegisterGetId(from.reg.value));
    if (is_memory(to)) return mov_to_memory;
    out.reg = register_offset(to.reg.value);
    return for_word_size(out.size, [](auto t) { return handler{mov_to_register<decltype(t)>}; });
}

template <bool Pop>
handler select_stack(const decoded& d, insn& out) {
    if (!is_segment(d.ops[0])) return nullptr;
    out.imm2 = static_cast<std::uint16_t>(ZydisRegisterGetId(d.ops[0].reg.value));
    if (Pop) out.flags |= load_flags;
    const bool wide = d.mode == code_mode::bits64;
    return for_word_size(d.i.operand_width / 8u, [wide](auto t) -> handler {
        using word = decltype(t);
        if constexpr (Pop) return wide ? pop_segment<word, true> : pop_segment<word, false>;
        return wide ? push_segment<word, true> : push_segment<word, false>;
    });
}

template <segment_register Register>
handler select_far_pointer(const decoded&, insn& out) {
    out.imm2 = static_cast<std::uint16_t>(Register);
    return for_word_size(out.size, [](auto t) { return handler{load_far_pointer<decltype(t)>}; });
}

template <bool Limit>
handler select_inspect(const decoded& d, insn& out) {
    const bool memory = is_memory(d.ops[1]);
    return for_word_size(out.size, [memory](auto t) -> handler {
        using word = decltype(t);
        return memory ? inspect_into_register<word, true, Limit>
                      : inspect_into_register<word, false, Limit>;
    });
}

template <bool Write>
handler select_verify(const decoded& d, insn&) {
    return is_memory(d.ops[0]) ? verify<true, Write> : verify<false, Write>;
}
handler select_arpl(const decoded& d, insn&) {
    return is_memory(d.ops[0]) ? arpl_memory : arpl_register;
}
handler select_swapgs(const decoded&, insn&) {
    return swapgs;
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_MOV, select_mov, 0},
    {ZYDIS_MNEMONIC_PUSH, select_stack<false>, 0},
    {ZYDIS_MNEMONIC_POP, select_stack<true>, 0},
    {ZYDIS_MNEMONIC_LDS, select_far_pointer<ds>, load_flags},
    {ZYDIS_MNEMONIC_LES, select_far_pointer<es>, load_flags},
    {ZYDIS_MNEMONIC_LFS, select_far_pointer<fs>, load_flags},
    {ZYDIS_MNEMONIC_LGS, select_far_pointer<gs>, load_flags},
    {ZYDIS_MNEMONIC_LSS, select_far_pointer<ss>, load_flags},
    {ZYDIS_MNEMONIC_SWAPGS, select_swapgs, insn_microcode},
    {ZYDIS_MNEMONIC_LAR, select_inspect<false>, inspect_flags},
    {ZYDIS_MNEMONIC_LSL, select_inspect<true>, inspect_flags},
    {ZYDIS_MNEMONIC_VERR, select_verify<false>, inspect_flags},
    {ZYDIS_MNEMONIC_VERW, select_verify<true>, inspect_flags},
    {ZYDIS_MNEMONIC_ARPL, select_arpl, insn_microcode},
};

}  // namespace

op_table segment_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
