// Which instructions a card executes.
//
// Models: profile knc (what the hardware has) and profile compat (knc plus the instructions that
// unmodified bare-metal x86 programs expect).
// Source: Knights Corner ISA reference, appendix B.2, as quoted by owners of real cards.
#ifndef KNC_ISA_PROFILE_H
#define KNC_ISA_PROFILE_H

#include <cstdint>

#include <Zydis/DecoderTypes.h>

namespace knc::isa {

enum class profile : std::uint8_t { knc, compat };

// Whether `p` has no such instruction: it raises #UD. `why` (if given) receives a short build hint
// for the log line, a string literal.
bool refused(profile p, const ZydisDecodedInstruction& i, const char** why = nullptr);

}  // namespace knc::isa

#endif
