// Which instructions a card executes.
//
// Models: profile knc (what the hardware has), profile compat (knc plus the instructions that
// unmodified bare-metal x86 programs expect) and profile p55c (a Pentium with MMX).
// Source: Knights Corner ISA reference, appendix B.2, as quoted by owners of real cards; Intel SDM
// vol. 2.
#ifndef KNC_ISA_PROFILE_H
#define KNC_ISA_PROFILE_H

#include <cstdint>

#include <Zydis/DecoderTypes.h>

namespace knc::isa {

enum class profile : std::uint8_t { knc, compat, p55c };

// Whether `p` has no such instruction: it raises #UD. `why` (if given) receives a short build hint
// for the log line, a string literal. Profile p55c has no 64-bit code; what this says of
// instructions that only such code has is that it refuses them.
bool refused(profile p, const ZydisDecodedInstruction& i, const char** why = nullptr);

}  // namespace knc::isa

#endif
