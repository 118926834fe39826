#include <knc/isa/x87_stack_use.h>

namespace knc::isa {
namespace {

// The bit of ST(n), n modulo 8.
constexpr register_set st(unsigned n) {
    return register_set{1} << (x87_registers_shift + (n & 7));
}

bool pushes(ZydisMnemonic m) {
    switch (m) {
        case ZYDIS_MNEMONIC_FLD:
        case ZYDIS_MNEMONIC_FILD:
        case ZYDIS_MNEMONIC_FBLD:
        case ZYDIS_MNEMONIC_FLD1:
        case ZYDIS_MNEMONIC_FLDL2T:
        case ZYDIS_MNEMONIC_FLDL2E:
        case ZYDIS_MNEMONIC_FLDPI:
        case ZYDIS_MNEMONIC_FLDLG2:
        case ZYDIS_MNEMONIC_FLDLN2:
        case ZYDIS_MNEMONIC_FLDZ:
        case ZYDIS_MNEMONIC_FPTAN:
        case ZYDIS_MNEMONIC_FSINCOS:
        case ZYDIS_MNEMONIC_FXTRACT:
            return true;
        default:
            return false;
    }
}

x87_stack_sets use_of_operands(const decoded& d) {
    // Zydis numbers registers by the stack before the instruction, except those that a push writes:
    // these it numbers by the stack after the instruction.
    const unsigned moved = pushes(d.i.mnemonic) ? 7 : 0;
    x87_stack_sets use;
    for (unsigned n = 0; n < d.i.operand_count; ++n) {
        const ZydisDecodedOperand& o = d.ops[n];
        if (o.type != ZYDIS_OPERAND_TYPE_REGISTER || o.reg.value < ZYDIS_REGISTER_ST0 ||
            o.reg.value > ZYDIS_REGISTER_ST7)
            continue;
        const unsigned number = o.reg.value - ZYDIS_REGISTER_ST0;
        if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) use.reads |= st(number);
        if ((o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) use.writes |= st(number + moved);
        if ((o.actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0) use.reads |= st(number);
    }
    return use;
}

}  // namespace

x87_stack_sets x87_stack_use(const decoded& d) {
    switch (d.i.mnemonic) {
        // The tag word that FNSTENV stores depends on the contents.
        case ZYDIS_MNEMONIC_FNSTENV:
        case ZYDIS_MNEMONIC_FXSAVE:
        case ZYDIS_MNEMONIC_FXSAVE64:
            return {x87_registers, 0};
        case ZYDIS_MNEMONIC_FNSAVE:
            return {x87_registers, x87_registers};
        // FNINIT and FLDENV change only the tags of all registers.
        case ZYDIS_MNEMONIC_FNINIT:
        case ZYDIS_MNEMONIC_FLDENV:
        case ZYDIS_MNEMONIC_FRSTOR:
        case ZYDIS_MNEMONIC_FXRSTOR:
        case ZYDIS_MNEMONIC_FXRSTOR64:
            return {0, x87_registers};
        // They change only the tag of the register they name; Zydis says that they read it.
        case ZYDIS_MNEMONIC_FFREE:
        case ZYDIS_MNEMONIC_FFREEP:
            return {};
        // They write only the status word; Zydis says otherwise.
        case ZYDIS_MNEMONIC_FTST:
        case ZYDIS_MNEMONIC_FXAM:
            return {st(0), 0};
        default:
            return use_of_operands(d);
    }
}

}  // namespace knc::isa
