// The decoder: makes an insn of instruction bytes.
//
// Models: decoding of 16-, 32- and 64-bit code by Zydis in Knights Corner mode, the profile's
// refusals, the 15-byte limit, LOCK rules.
#ifndef KNC_ISA_DECODER_H
#define KNC_ISA_DECODER_H

#include <cstdint>
#include <string>

#include <knc/isa/insn.h>
#include <knc/isa/profile.h>
#include <knc/isa/state.h>

namespace knc::isa {

enum class decode_result : std::uint8_t {
    ok,    // `out` is ready. An undefined instruction, or one that the profile refuses, decodes to
           // a handler that raises #UD (and for the latter reports a line through
           // environment::refused). An instruction that the model does not execute decodes to a
           // handler that ends with context.unsupported().
    more,  // the bytes end inside the instruction: #PF or #GP of the next byte, or #GP past 15
           // bytes
};

// Standard operand filling, before the selector runs: length, size (operand size in bytes of the
// first visible operand, or of the memory operand where that decides), reg (the ModRM.reg or opcode
// register, else the destination), rm (register form of ModRM.rm),
// base/index/scale/disp/seg/address_size of the memory operand (RIP-relative: base = gpr rip), imm
// (first immediate, sign-extended to 64 bits for operands that are sign-extended; relative branch
// displacement), imm2, rep, flags (row flags + lock/read/write from the operands).
decode_result decode(profile p, code_mode m, const std::uint8_t* bytes, unsigned available,
                     insn& out);

// Text of an instruction, Intel syntax, for logs and dumps; "(bad)" if it is none.
std::string disassemble(code_mode m, const std::uint8_t* bytes, unsigned available,
                        std::uint64_t ip);

}  // namespace knc::isa

#endif
