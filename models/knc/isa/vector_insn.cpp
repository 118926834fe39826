#include <knc/isa/vector_insn.h>

namespace knc::isa {
namespace {

bool is_mask(const ZydisDecodedOperand& o) {
    return o.type == ZYDIS_OPERAND_TYPE_REGISTER &&
           ZydisRegisterGetClass(o.reg.value) == ZYDIS_REGCLASS_MASK;
}
bool is_zmm(ZydisRegister r) {
    return ZydisRegisterGetClass(r) == ZYDIS_REGCLASS_ZMM;
}
unsigned number(ZydisRegister r) {
    return static_cast<unsigned>(ZydisRegisterGetId(r));
}

register_set bit_of(ZydisRegister r) {
    return is_zmm(r) ? vector_register_bit(number(r)) : mask_register_bit(number(r));
}

void fill_number(const ZydisDecodedOperand& o, insn& out, vector_fields& f) {
    const unsigned n = number(o.reg.value);
    switch (o.encoding) {
        case ZYDIS_OPERAND_ENCODING_MODRM_REG:
            out.reg = static_cast<std::uint8_t>(n);
            break;
        case ZYDIS_OPERAND_ENCODING_MODRM_RM:
            out.rm = static_cast<std::uint8_t>(n);
            break;
        case ZYDIS_OPERAND_ENCODING_MASK:
            f.mask = n;
            break;
        default:
            f.source2 = n;
    }
}

}  // namespace

bool is_vector(const decoded& d) {
    if (d.i.encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX) return true;
    for (unsigned n = 0; n < d.i.operand_count_visible; ++n)
        if (is_mask(d.ops[n])) return true;
    return false;
}

void fill_vector(const decoded& d, insn& out) {
    vector_fields f;
    bool memory = false;
    for (unsigned n = 0; n < d.i.operand_count; ++n) {
        const ZydisDecodedOperand& o = d.ops[n];
        if (o.type == ZYDIS_OPERAND_TYPE_MEMORY) {
            memory = true;
            if (!is_zmm(o.mem.index)) continue;
            out.reads |= bit_of(o.mem.index);
            out.index = no_register;
            f.source2 = number(o.mem.index);
            continue;
        }
        if (o.type != ZYDIS_OPERAND_TYPE_REGISTER || (!is_mask(o) && !is_zmm(o.reg.value)))
            continue;
        fill_number(o, out, f);
        // A writemask that is no register, k0, is nobody's result.
        if (o.encoding == ZYDIS_OPERAND_ENCODING_MASK && f.mask == 0) continue;
        const register_set bit = bit_of(o.reg.value);
        // A conditional write reads nothing by itself.
        const bool conditional = (o.actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0;
        if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0 && !conditional) out.reads |= bit;
        if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) out.writes |= bit;
    }
    // What the mask does not select keeps its value.
    if (f.mask != 0) out.reads |= out.writes & vector_registers;
    if (d.i.encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX) {
        f.function = d.i.raw.mvex.SSS;
        f.eviction_hint = memory && d.i.raw.mvex.E != 0;
        f.static_rounding = !memory && d.i.raw.mvex.E != 0;
        const bool swizzled = !memory && f.function != 0 && !f.static_rounding;
        if (swizzled || (out.flags & insn_writes) != 0) out.flags |= insn_converts;
    }
    out.imm2 = f.pack();
}

}  // namespace knc::isa
