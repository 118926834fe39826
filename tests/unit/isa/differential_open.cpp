#include "differential_open.h"

#include <knc/isa/flags.h>

namespace knc::isa::test {
namespace {

constexpr std::uint32_t all = arithmetic_flags;

// A row holds for counts from `from` on; instructions without a count have the count 0.
struct open_flags {
    ZydisMnemonic mnemonic;
    unsigned from;
    std::uint32_t flags;
};

constexpr open_flags rows[] = {
    {ZYDIS_MNEMONIC_AND, 0, flag_af},
    {ZYDIS_MNEMONIC_OR, 0, flag_af},
    {ZYDIS_MNEMONIC_XOR, 0, flag_af},
    {ZYDIS_MNEMONIC_TEST, 0, flag_af},
    {ZYDIS_MNEMONIC_MUL, 0, flag_pf | flag_af | flag_zf | flag_sf},
    {ZYDIS_MNEMONIC_IMUL, 0, flag_pf | flag_af | flag_zf | flag_sf},
    {ZYDIS_MNEMONIC_DIV, 0, all},
    {ZYDIS_MNEMONIC_IDIV, 0, all},
    {ZYDIS_MNEMONIC_BSF, 0, all & ~flag_zf},
    {ZYDIS_MNEMONIC_BSR, 0, all & ~flag_zf},
    {ZYDIS_MNEMONIC_BT, 0, all & ~(flag_cf | flag_zf)},
    {ZYDIS_MNEMONIC_BTS, 0, all & ~(flag_cf | flag_zf)},
    {ZYDIS_MNEMONIC_BTR, 0, all & ~(flag_cf | flag_zf)},
    {ZYDIS_MNEMONIC_BTC, 0, all & ~(flag_cf | flag_zf)},
    {ZYDIS_MNEMONIC_AAA, 0, all & ~(flag_af | flag_cf)},
    {ZYDIS_MNEMONIC_AAS, 0, all & ~(flag_af | flag_cf)},
    {ZYDIS_MNEMONIC_AAM, 0, flag_of | flag_af | flag_cf},
    {ZYDIS_MNEMONIC_AAD, 0, flag_of | flag_af | flag_cf},
    {ZYDIS_MNEMONIC_DAA, 0, flag_of},
    {ZYDIS_MNEMONIC_DAS, 0, flag_of},
    {ZYDIS_MNEMONIC_SHL, 1, flag_af},
    {ZYDIS_MNEMONIC_SHR, 1, flag_af},
    {ZYDIS_MNEMONIC_SAR, 1, flag_af},
    {ZYDIS_MNEMONIC_SHLD, 1, flag_af},
    {ZYDIS_MNEMONIC_SHRD, 1, flag_af},
    {ZYDIS_MNEMONIC_SHL, 2, flag_of},
    {ZYDIS_MNEMONIC_SHR, 2, flag_of},
    {ZYDIS_MNEMONIC_SAR, 2, flag_of},
    {ZYDIS_MNEMONIC_SHLD, 2, flag_of},
    {ZYDIS_MNEMONIC_SHRD, 2, flag_of},
    {ZYDIS_MNEMONIC_ROL, 2, flag_of},
    {ZYDIS_MNEMONIC_ROR, 2, flag_of},
    {ZYDIS_MNEMONIC_RCL, 2, flag_of},
    {ZYDIS_MNEMONIC_RCR, 2, flag_of},
};

bool is_double_shift(ZydisMnemonic m) {
    return m == ZYDIS_MNEMONIC_SHLD || m == ZYDIS_MNEMONIC_SHRD;
}

}  // namespace

std::uint32_t undefined_flags(ZydisMnemonic m, unsigned width, unsigned count) {
    if (undefined_result(m, width, count)) return all;
    std::uint32_t flags = 0;
    for (const open_flags& row : rows)
        if (row.mnemonic == m && count >= row.from) flags |= row.flags;
    // CF has been shifted out of nothing.
    const bool shift = m == ZYDIS_MNEMONIC_SHL || m == ZYDIS_MNEMONIC_SHR;
    if (shift && count >= width) flags |= flag_cf;
    return flags;
}

bool undefined_result(ZydisMnemonic m, unsigned width, unsigned count) {
    if (m == ZYDIS_MNEMONIC_BSWAP) return width == 16;
    return is_double_shift(m) && count > width;
}

}  // namespace knc::isa::test
