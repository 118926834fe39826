// Near JMP Jcc CALL RET LOOP JCXZ, and the table of the family: also the frames (ops_frame.cpp) and
// the hints (ops_hint.cpp).
//
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <iterator>

#include <knc/isa/branch.h>
#include <knc/isa/context.h>
#include <knc/isa/ops_frame.h>
#include <knc/isa/ops_hint.h>
#include <knc/isa/select.h>
#include <knc/isa/stack.h>

namespace knc::isa {
namespace {

template <class T>
status jump_relative(context& c, const insn& i) {
    return branch_to<T>(c, relative_target(c, i));
}
template <class T>
status jump_register(context& c, const insn& i) {
    return branch_to<T>(c, c.get<T>(i.reg));
}
template <class T>
status jump_memory(context& c, const insn& i) {
    T target;
    if (!c.load<T>(i.seg, c.offset(i), target)) return c.failure;
    return branch_to<T>(c, target);
}

template <unsigned Code, class T>
status jump_if(context& c, const insn& i) {
    c.branch_taken = c.s.arithmetic.condition(Code);
    return c.branch_taken ? branch_to<T>(c, relative_target(c, i)) : status::ok;
}

template <class T>
status call_to(context& c, std::uint64_t target) {
    if (!branch_target_ok<T>(c, target)) return c.failure;
    const status st = push_value<T, sizeof(T) == 8>(c, static_cast<T>(c.s.r[rip]));
    if (st == status::ok) c.s.r[rip] = target;
    return st;
}
template <class T>
status call_relative(context& c, const insn& i) {
    return call_to<T>(c, relative_target(c, i));
}
template <class T>
status call_register(context& c, const insn& i) {
    return call_to<T>(c, c.get<T>(i.reg));
}
template <class T>
status call_memory(context& c, const insn& i) {
    T target;
    if (!c.load<T>(i.seg, c.offset(i), target)) return c.failure;
    return call_to<T>(c, target);
}

// imm: bytes of parameters to release, 0 without.
template <class T>
status return_to(context& c, const insn& i, T to) {
    std::uint64_t target = to;
    if (!branch_target_ok<T>(c, target)) return c.failure;
    release<sizeof(T) == 8>(c, sizeof(T) + static_cast<std::uint64_t>(i.imm));
    c.s.r[rip] = target;
    return status::ok;
}

// Near branches of 64-bit mode have 64-bit operands whatever their prefixes are, so an operand size
// of 8 bytes means 64-bit mode.
void set_operand_size(const decoded& d, insn& out) {
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
}

handler select_jump(const decoded& d, insn& out) {
    if (is_far(d)) return nullptr;
    const form f = is_immediate(d.ops[0]) ? form::ri : form_of(d, out);
    set_operand_size(d, out);
    return for_word_size(out.size, [f](auto t) -> handler {
        using T = decltype(t);
        return f == form::ri ? jump_relative<T> : f == form::r ? jump_register<T> : jump_memory<T>;
    });
}
handler select_jump_if(const decoded& d, insn& out) {
    set_operand_size(d, out);
    return for_condition(d.i.opcode & 15u, [&out](auto code) {
        return for_word_size(out.size, [](auto t) -> handler {
            return jump_if<decltype(code)::value, decltype(t)>;
        });
    });
}
handler select_call(const decoded& d, insn& out) {
    if (is_far(d)) return nullptr;
    const form f = is_immediate(d.ops[0]) ? form::ri : form_of(d, out);
    set_operand_size(d, out);
    return for_word_size(out.size, [f](auto t) -> handler {
        using T = decltype(t);
        return f == form::ri ? call_relative<T> : f == form::r ? call_register<T> : call_memory<T>;
    });
}
handler select_return(const decoded& d, insn& out) {
    if (is_far(d)) return nullptr;
    set_operand_size(d, out);
    return for_word_size(out.size, [](auto t) -> handler {
        using T = decltype(t);
        return use_top<T, sizeof(T) == 8, return_to<T>>;
    });
}

// The counter of LOOP and JCXZ is as wide as an address.
std::uint64_t counter(const context& c, const insn& i) {
    return i.address_size == 8   ? c.s.r[rcx]
           : i.address_size == 4 ? c.get<std::uint32_t>(8 * rcx)
                                 : c.get<std::uint16_t>(8 * rcx);
}
void set_counter(context& c, const insn& i, std::uint64_t n) {
    if (i.address_size == 2)
        c.set<std::uint16_t>(8 * rcx, static_cast<std::uint16_t>(n));
    else if (i.address_size == 4)
        c.set<std::uint32_t>(8 * rcx, static_cast<std::uint32_t>(n));
    else
        c.s.r[rcx] = n;
}

enum class loop_while : std::uint8_t { count, zero, not_zero };

template <loop_while W, class T>
status loop(context& c, const insn& i) {
    const std::uint64_t before = counter(c, i);
    c.branch_taken =
        before != 1 && (W == loop_while::count || c.s.arithmetic.zf() == (W == loop_while::zero));
    std::uint64_t target = c.s.r[rip];
    if (c.branch_taken) {
        target = relative_target(c, i);
        if (!branch_target_ok<T>(c, target)) return c.failure;
    }
    set_counter(c, i, before - 1);
    c.s.r[rip] = target;
    return status::ok;
}
template <class T>
status jump_if_counter_zero(context& c, const insn& i) {
    c.branch_taken = counter(c, i) == 0;
    return c.branch_taken ? branch_to<T>(c, relative_target(c, i)) : status::ok;
}

template <loop_while W>
handler select_loop(const decoded& d, insn& out) {
    set_operand_size(d, out);
    return for_word_size(out.size, [](auto t) -> handler { return loop<W, decltype(t)>; });
}
handler select_jcxz(const decoded& d, insn& out) {
    set_operand_size(d, out);
    return for_word_size(out.size,
                         [](auto t) -> handler { return jump_if_counter_zero<decltype(t)>; });
}

constexpr std::uint32_t conditional = insn_branch | insn_conditional;

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_JMP, select_jump, insn_branch},
    {ZYDIS_MNEMONIC_CALL, select_call, insn_branch},
    {ZYDIS_MNEMONIC_RET, select_return, insn_branch},
    {ZYDIS_MNEMONIC_JO, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JNO, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JB, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JNB, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JZ, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JNZ, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JBE, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JNBE, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JS, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JNS, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JP, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JNP, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JL, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JNL, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JLE, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_JNLE, select_jump_if, conditional},
    {ZYDIS_MNEMONIC_LOOP, select_loop<loop_while::count>, conditional},
    {ZYDIS_MNEMONIC_LOOPE, select_loop<loop_while::zero>, conditional},
    {ZYDIS_MNEMONIC_LOOPNE, select_loop<loop_while::not_zero>, conditional},
    {ZYDIS_MNEMONIC_JCXZ, select_jcxz, conditional},
    {ZYDIS_MNEMONIC_JECXZ, select_jcxz, conditional},
    {ZYDIS_MNEMONIC_JRCXZ, select_jcxz, conditional},
    {ZYDIS_MNEMONIC_ENTER, select_enter, insn_microcode | insn_several_accesses},
    {ZYDIS_MNEMONIC_LEAVE, select_leave, 0},
    {ZYDIS_MNEMONIC_BOUND, select_bound, insn_microcode | insn_several_accesses},
    {ZYDIS_MNEMONIC_UD0, select_undefined, 0},
    {ZYDIS_MNEMONIC_UD1, select_undefined, 0},
    {ZYDIS_MNEMONIC_UD2, select_undefined, 0},
    {ZYDIS_MNEMONIC_RSM, select_undefined, 0},
    {ZYDIS_MNEMONIC_NOP, select_hint, 0},
    {ZYDIS_MNEMONIC_PAUSE, select_hint, 0},
    {ZYDIS_MNEMONIC_LFENCE, select_hint, 0},
    {ZYDIS_MNEMONIC_MFENCE, select_hint, 0},
    {ZYDIS_MNEMONIC_SFENCE, select_hint, 0},
    {ZYDIS_MNEMONIC_PREFETCH, select_prefetch, 0},
    {ZYDIS_MNEMONIC_PREFETCHW, select_prefetch, 0},
    {ZYDIS_MNEMONIC_PREFETCHWT1, select_prefetch, 0},
    {ZYDIS_MNEMONIC_PREFETCHNTA, select_prefetch, 0},
    {ZYDIS_MNEMONIC_PREFETCHT0, select_prefetch, 0},
    {ZYDIS_MNEMONIC_PREFETCHT1, select_prefetch, 0},
    {ZYDIS_MNEMONIC_PREFETCHT2, select_prefetch, 0},
    {ZYDIS_MNEMONIC_VPREFETCHNTA, select_prefetch, 0},
    {ZYDIS_MNEMONIC_VPREFETCH0, select_prefetch, 0},
    {ZYDIS_MNEMONIC_VPREFETCH1, select_prefetch, 0},
    {ZYDIS_MNEMONIC_VPREFETCH2, select_prefetch, 0},
    {ZYDIS_MNEMONIC_VPREFETCHENTA, select_prefetch, 0},
    {ZYDIS_MNEMONIC_VPREFETCHE0, select_prefetch, 0},
    {ZYDIS_MNEMONIC_VPREFETCHE1, select_prefetch, 0},
    {ZYDIS_MNEMONIC_VPREFETCHE2, select_prefetch, 0},
    {ZYDIS_MNEMONIC_CLEVICT0, select_clevict, 0},
    {ZYDIS_MNEMONIC_CLEVICT1, select_clevict, 0},
    {ZYDIS_MNEMONIC_CLFLUSH, select_clflush, 0},
    {ZYDIS_MNEMONIC_DELAY, select_delay, insn_delay},
    {ZYDIS_MNEMONIC_SPFLT, select_spflt, insn_at_completion | insn_microcode},
};

}  // namespace

op_table control_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
