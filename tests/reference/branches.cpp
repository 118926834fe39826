#include "branches.h"

#include <Zydis/Mnemonic.h>

#include <knc/isa/state.h>
#include <knc/isa/vector_insn.h>

namespace knc::reference {
namespace {

// A condition code as the manual's appendix B writes it: bits 3:1 choose, bit 0 inverts.
bool holds(unsigned code, std::uint64_t flags) {
    const auto f = [flags](unsigned bit) { return (flags >> bit & 1) != 0; };
    const bool cf = f(0), pf = f(2), zf = f(6), sf = f(7), of = f(11);
    const bool chosen[] = {of, cf, zf, cf || zf, sf, pf, sf != of, zf || sf != of};
    return chosen[code >> 1] != ((code & 1) != 0);
}

constexpr ZydisMnemonic by_code[16] = {
    ZYDIS_MNEMONIC_JO, ZYDIS_MNEMONIC_JNO, ZYDIS_MNEMONIC_JB,  ZYDIS_MNEMONIC_JNB,
    ZYDIS_MNEMONIC_JZ, ZYDIS_MNEMONIC_JNZ, ZYDIS_MNEMONIC_JBE, ZYDIS_MNEMONIC_JNBE,
    ZYDIS_MNEMONIC_JS, ZYDIS_MNEMONIC_JNS, ZYDIS_MNEMONIC_JP,  ZYDIS_MNEMONIC_JNP,
    ZYDIS_MNEMONIC_JL, ZYDIS_MNEMONIC_JNL, ZYDIS_MNEMONIC_JLE, ZYDIS_MNEMONIC_JNLE};

}  // namespace

bool will_be_taken(const isa::context& c, const isa::insn& i) {
    const std::uint64_t flags = c.s.rflags();
    for (unsigned code = 0; code < 16; ++code)
        if (i.mnemonic == by_code[code]) return holds(code, flags);
    const unsigned width = 8u * i.address_size;
    const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const std::uint64_t count = c.s.r[isa::rcx] & all;
    const bool goes_round = ((count - 1) & all) != 0;
    const bool zero = (flags >> 6 & 1) != 0;
    switch (i.mnemonic) {
        case ZYDIS_MNEMONIC_JCXZ:
        case ZYDIS_MNEMONIC_JECXZ:
        case ZYDIS_MNEMONIC_JRCXZ:
            return count == 0;
        case ZYDIS_MNEMONIC_LOOP:
            return goes_round;
        case ZYDIS_MNEMONIC_LOOPE:
            return goes_round && zero;
        case ZYDIS_MNEMONIC_LOOPNE:
            return goes_round && !zero;
        case ZYDIS_MNEMONIC_INTO:
            return (flags >> 11 & 1) != 0;
        case ZYDIS_MNEMONIC_JKZD:
            return c.s.vector.k[isa::vector_fields::of(i).source2] == 0;
        case ZYDIS_MNEMONIC_JKNZD:
            return c.s.vector.k[isa::vector_fields::of(i).source2] != 0;
        default:
            return true;
    }
}

}  // namespace knc::reference
