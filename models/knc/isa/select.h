// The common part of all selectors: they choose the specialisation of a handler for a decoded form.
#ifndef KNC_ISA_SELECT_H
#define KNC_ISA_SELECT_H

#include <cstdint>
#include <utility>

#include <knc/isa/op_table.h>

namespace knc::isa {

inline bool is_memory(const ZydisDecodedOperand& o) {
    return o.type == ZYDIS_OPERAND_TYPE_MEMORY;
}
inline bool is_immediate(const ZydisDecodedOperand& o) {
    return o.type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}
// A general register: AL .. R15.
inline bool is_general(const ZydisDecodedOperand& o) {
    return o.type == ZYDIS_OPERAND_TYPE_REGISTER && o.reg.value >= ZYDIS_REGISTER_AL &&
           o.reg.value <= ZYDIS_REGISTER_R15;
}
inline bool is_far(const decoded& d) {
    return d.i.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
}

// Byte offset of a general register in state::r (AH .. BH: second byte of their register).
std::uint8_t register_offset(ZydisRegister);

// Where the operands are: first letter destination, second letter source.
enum class form : std::uint8_t { other, rr, rm, mr, ri, mi, r, m };

// The form of one- and two-operand instructions on general registers; ignores third operands. For
// rr, out.reg becomes the destination and out.rm the source, whichever way the instruction encodes
// them; for r, out.reg is the operand.
inline form form_of(const decoded& d, insn& out) {
    const unsigned n = d.i.operand_count_visible;
    if (n == 0) return form::other;
    const ZydisDecodedOperand &a = d.ops[0], &b = d.ops[n > 1 ? 1 : 0];
    if (is_memory(a)) {
        if (n == 1) return form::m;
        return is_general(b) ? form::mr : is_immediate(b) ? form::mi : form::other;
    }
    if (!is_general(a)) return form::other;
    out.reg = register_offset(a.reg.value);
    if (n == 1) return form::r;
    if (is_memory(b)) return form::rm;
    if (is_immediate(b)) return form::ri;
    if (!is_general(b)) return form::other;
    out.rm = register_offset(b.reg.value);
    return form::rr;
}

// A selector for an instruction with one form.
template <handler H>
handler always(const decoded&, insn&) {
    return H;
}

// `f` with a value of the unsigned type of `bytes` bytes.
template <class F>
handler for_size(unsigned bytes, F f) {
    switch (bytes) {
        case 1:
            return f(std::uint8_t{});
        case 2:
            return f(std::uint16_t{});
        case 4:
            return f(std::uint32_t{});
        case 8:
            return f(std::uint64_t{});
        default:
            return nullptr;
    }
}
// The same without the 8-bit forms.
template <class F>
handler for_word_size(unsigned bytes, F f) {
    switch (bytes) {
        case 2:
            return f(std::uint16_t{});
        case 4:
            return f(std::uint32_t{});
        case 8:
            return f(std::uint64_t{});
        default:
            return nullptr;
    }
}

// `f` with the condition code (0 .. 15) as an integral constant.
template <class F, unsigned... Code>
handler for_condition_of(unsigned code, F f, std::integer_sequence<unsigned, Code...>) {
    handler h = nullptr;
    ((code == Code ? void(h = f(std::integral_constant<unsigned, Code>{})) : void()), ...);
    return h;
}
template <class F>
handler for_condition(unsigned code, F f) {
    return for_condition_of(code, f, std::make_integer_sequence<unsigned, 16>{});
}

}  // namespace knc::isa

#endif
