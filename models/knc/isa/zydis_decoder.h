// The Zydis decoders as Knights Corner needs them, one per code mode.
#ifndef KNC_ISA_ZYDIS_DECODER_H
#define KNC_ISA_ZYDIS_DECODER_H

#include <Zydis/Zydis.h>

#include <knc/isa/state.h>

namespace knc::isa {

// Knights Corner encodings; none of the extensions that took over opcodes of older instructions
// (MPX, CET, LZCNT, TZCNT, CLDEMOTE), which the card executes in their old meaning.
const ZydisDecoder& zydis_decoder(code_mode);

}  // namespace knc::isa

#endif
