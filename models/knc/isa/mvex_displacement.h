// The units of 8-bit displacements that Zydis 4.0.0 has wrong: half vectors in memory, and elements
// of the prefetches of gathers and scatters.
//
// An 8-bit displacement of MVEX counts in units of the operand's size in memory, or of an element's
// if the address has a vector. Source: Intel Xeon Phi coprocessor instruction set reference 327364,
// 3; iced-x86 has these units.
#ifndef KNC_ISA_MVEX_DISPLACEMENT_H
#define KNC_ISA_MVEX_DISPLACEMENT_H

#include <cstddef>
#include <cstdint>

#include <Zydis/Zydis.h>

namespace knc::isa {

// In bytes; 0: Zydis is right.
inline unsigned mvex_displacement_unit(ZydisMnemonic m, unsigned sss) {
    constexpr unsigned element_of_32_bits[8] = {4, 0, 0, 2, 1, 1, 2, 2};
    switch (m) {
        case ZYDIS_MNEMONIC_VCVTPS2PD:
        case ZYDIS_MNEMONIC_VCVTDQ2PD:
        case ZYDIS_MNEMONIC_VCVTUDQ2PD:
            return sss == 0 ? 32 : 0;
        case ZYDIS_MNEMONIC_VGATHERPF0DPS:
        case ZYDIS_MNEMONIC_VGATHERPF1DPS:
        case ZYDIS_MNEMONIC_VGATHERPF0HINTDPS:
        case ZYDIS_MNEMONIC_VSCATTERPF0DPS:
        case ZYDIS_MNEMONIC_VSCATTERPF1DPS:
        case ZYDIS_MNEMONIC_VSCATTERPF0HINTDPS:
            return element_of_32_bits[sss & 7];
        case ZYDIS_MNEMONIC_VGATHERPF0HINTDPD:
        case ZYDIS_MNEMONIC_VSCATTERPF0HINTDPD:
            return 8;
        default:
            return 0;
    }
}

// Mends the displacement of what Zydis has decoded. See zydis_decode().
inline void correct_displacement(const ZydisDecodedInstruction& i, ZydisDecodedOperand* operands) {
    if (i.encoding != ZYDIS_INSTRUCTION_ENCODING_MVEX || i.raw.disp.size != 8) return;
    const unsigned unit = mvex_displacement_unit(i.mnemonic, i.raw.mvex.SSS);
    if (unit == 0) return;
    for (unsigned n = 0; n < i.operand_count_visible; ++n)
        if (operands[n].type == ZYDIS_OPERAND_TYPE_MEMORY)
            operands[n].mem.disp.value = i.raw.disp.value * static_cast<std::int64_t>(unit);
}

// ZydisDecoderDecodeFull() with right displacements.
inline ZyanStatus zydis_decode(const ZydisDecoder& decoder, const void* bytes, std::size_t size,
                               ZydisDecodedInstruction& i, ZydisDecodedOperand* operands) {
    const ZyanStatus s = ZydisDecoderDecodeFull(&decoder, bytes, size, &i, operands);
    if (ZYAN_SUCCESS(s)) correct_displacement(i, operands);
    return s;
}

}  // namespace knc::isa

#endif
