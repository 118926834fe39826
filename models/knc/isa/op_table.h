// How a mnemonic becomes a handler: one line per mnemonic.
//
// Each family of instructions (alu, string, control transfer, system, ...) exports a table of rows;
// the decoder builds its index from all of them once. The model does not execute a mnemonic that
// is in no table; it decodes to a handler that says so.
#ifndef KNC_ISA_OP_TABLE_H
#define KNC_ISA_OP_TABLE_H

#include <cstddef>
#include <cstdint>

#include <Zydis/Zydis.h>

#include <knc/isa/insn.h>
#include <knc/isa/state.h>

namespace knc::isa {

// The decoded instruction, as a selector sees it.
struct decoded {
    const ZydisDecodedInstruction& i;
    const ZydisDecodedOperand* ops;  // the i.operand_count_visible explicit ones come first
    code_mode mode;
};

// Completes `out`, whose operands are filled in the standard way (decoder.h), and returns the
// handler, or nullptr for a form of another row. A mnemonic may have rows in several tables (MOV:
// general, segment, control registers; JMP, CALL, RET: near, far); the first selector that does not
// return nullptr wins.
using selector = handler (*)(const decoded&, insn& out);

struct op_row {
    ZydisMnemonic mnemonic;
    selector select;
    std::uint32_t flags;  // insn_flag
};

struct op_table {
    const op_row* rows;
    std::size_t size;
};

// One function per family, defined beside its handlers.
op_table data_transfer_ops();  // MOV MOVZX MOVSX MOVSXD LEA XCHG PUSH POP PUSHA POPA XLAT BSWAP CBW
                               // CWD LAHF SAHF PUSHF POPF CMC CLC ...
op_table alu_ops();  // ADD OR ADC SBB AND SUB XOR CMP TEST INC DEC NEG NOT XADD CMPXCHG CMPXCHG8B
op_table multiply_ops();  // MUL IMUL DIV IDIV, BCD
op_table shift_ops();     // ROL ROR RCL RCR SHL SHR SAR SHLD SHRD
op_table bit_ops();       // BT BTS BTR BTC BSF BSR SETcc, VEX POPCNT TZCNT LZCNT TZCNTI
op_table string_ops();    // MOVS CMPS SCAS LODS STOS
op_table control_ops();   // JMP Jcc CALL RET LOOP JCXZ (near), ENTER LEAVE, BOUND, NOP, SPFLT DELAY
                          // CLEVICT VPREFETCH
op_table port_ops();      // IN OUT INS OUTS (profile compat)
op_table far_ops();       // far JMP CALL RET, INT INT3 INTO IRET, SYSCALL SYSRET
op_table system_ops();    // MOV CR/DR, LGDT .. STR, LMSW CLTS INVLPG HLT WBINVD INVD, RDMSR WRMSR
                          // RDTSC RDPMC CPUID, CLI STI
op_table segment_ops();   // MOV to/from segment registers, PUSH/POP segment, LDS LES LFS LGS LSS,
                          // LAR LSL VERR VERW ARPL, SWAPGS
op_table x87_transfer_ops();    // FLD FST FILD FIST FBLD FBSTP FXCH FCMOVcc, constants
op_table x87_arithmetic_ops();  // FADD .. FDIVRP, FSQRT .. FXTRACT, transcendental functions
op_table x87_compare_ops();     // FCOM .. FUCOMPP, FICOM, FTST, FXAM, FCOMI .. FUCOMIP
op_table x87_control_ops();     // FNINIT .. FWAIT, LDMXCSR STMXCSR
op_table x87_save_ops();        // FLDENV FNSTENV FRSTOR FNSAVE FXSAVE FXRSTOR
op_table mmx_ops();             // MMX (profile p55c)
op_table mask_ops();            // KAND .. KEXTRACT, JKZD JKNZD: mask registers
op_table vector_move_ops();     // VMOVA VMOVDQA VMOVNR, VBROADCAST, VBLENDM, permutes
op_table vector_pack_ops();     // VLOADUNPACK, VPACKSTORE
op_table vector_gather_ops();   // VGATHER VSCATTER and their prefetches
op_table vector_float_ops();    // VADD .. VFMADD, VGMIN VGMAX, VGETEXP .., approximations
op_table vector_integer_ops();  // VPADD VPMULL VPAND VPSLL ..
op_table vector_compare_ops();  // VCMP VPCMP VPTESTM
op_table vector_convert_ops();  // VCVT VCVTFXPNT VRNDFXPNT

}  // namespace knc::isa

#endif
