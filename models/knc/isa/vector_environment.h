// What the vector unit's floating point takes from MXCSR, and the flags it gives back.
//
// Models: rounding direction, DAZ, FZ, the six sticky flags. The unit never traps.
// Leaves out: suppressed exceptions ({sae}); the caller drops the flags.
// Source: Intel Xeon Phi ISA Reference Manual (327364-001), MXCSR and SIMD exceptions.
#ifndef KNC_ISA_VECTOR_ENVIRONMENT_H
#define KNC_ISA_VECTOR_ENVIRONMENT_H

#include <cstdint>

#include <knc/isa/x87_round.h>

namespace knc::isa {

inline constexpr unsigned mxcsr_ie = 1u << 0, mxcsr_de = 1u << 1, mxcsr_ze = 1u << 2,
                          mxcsr_oe = 1u << 3, mxcsr_ue = 1u << 4, mxcsr_pe = 1u << 5,
                          mxcsr_daz = 1u << 6, mxcsr_fz = 1u << 15;
inline constexpr unsigned mxcsr_flags =
    mxcsr_ie | mxcsr_de | mxcsr_ze | mxcsr_oe | mxcsr_ue | mxcsr_pe;
inline constexpr unsigned mxcsr_rounding_shift = 13;

// The x87 unit's directions have the same numbers as MXCSR.RC and as the immediates of
// VCVTFXPNT* and VRNDFXPNT*.
using vector_rounding = x87_direction;

struct vector_environment {
    vector_rounding rounding = vector_rounding::nearest;
    bool daz = false, fz = false;
    // mxcsr_ie .. mxcsr_pe, accumulated. Start with MXCSR's: once PE is set, operations are faster.
    unsigned flags = 0;

    static vector_environment from_mxcsr(std::uint32_t v) {
        return {static_cast<vector_rounding>(v >> mxcsr_rounding_shift & 3), (v & mxcsr_daz) != 0,
                (v & mxcsr_fz) != 0, v & mxcsr_flags};
    }
    void raise(unsigned f) { flags |= f; }
};

}  // namespace knc::isa

#endif
