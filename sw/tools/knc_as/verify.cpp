#include "verify.h"

#include <knc/isa/mvex_displacement.h>

#include "modifiers.h"

namespace knc_as {
namespace {

struct decoded {
    ZydisDecodedInstruction insn{};
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]{};
};

bool decode(const std::vector<std::uint8_t>& bytes, decoded& d) {
    static const ZydisDecoder decoder = [] {
        ZydisDecoder x;
        ZydisDecoderInit(&x, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        ZydisDecoderEnableMode(&x, ZYDIS_DECODER_MODE_KNC, ZYAN_TRUE);
        return x;
    }();
    return ZYAN_SUCCESS(
               knc::isa::zydis_decode(decoder, bytes.data(), bytes.size(), d.insn, d.operands)) &&
           d.insn.length == bytes.size();
}

void check_place(const operand& o, bool first) {
    const modifiers& m = o.mods;
    const bool memory = m.broadcast != ZYDIS_BROADCAST_MODE_INVALID ||
                        m.conversion != ZYDIS_CONVERSION_MODE_INVALID || m.evict;
    const bool reg = m.swizzle != ZYDIS_SWIZZLE_MODE_INVALID ||
                     m.rounding != ZYDIS_ROUNDING_MODE_INVALID || m.suppress_exceptions;
    if (memory && o.kind != operand_kind::memory)
        throw statement_error("broadcast, conversion and {eh} belong to a memory operand");
    if (reg && o.kind != operand_kind::reg)
        throw statement_error("swizzle, rounding and {sae} belong to a register");
    if (m.mask != ZYDIS_REGISTER_NONE && !first)
        throw statement_error("the mask belongs to the destination");
}

bool same_address(const operand& o, const ZydisDecodedOperand& z) {
    const bool same_segment = o.segment == ZYDIS_REGISTER_NONE || z.mem.segment == o.segment;
    const bool same_scale = o.index == ZYDIS_REGISTER_NONE || z.mem.scale == o.scale;
    return z.mem.base == o.base && z.mem.index == o.index && same_scale && same_segment &&
           (!o.number.symbolic.empty() || z.mem.disp.value == o.number.value);
}

bool same_operand(const operand& o, const ZydisDecodedOperand& z) {
    switch (o.kind) {
        case operand_kind::reg:
            // A swizzle works on the operand that memory could stand for.
            if (o.mods.swizzle != ZYDIS_SWIZZLE_MODE_INVALID &&
                z.encoding != ZYDIS_OPERAND_ENCODING_MODRM_RM)
                return false;
            return z.type == ZYDIS_OPERAND_TYPE_REGISTER && z.reg.value == o.reg;
        case operand_kind::memory:
            return z.type == ZYDIS_OPERAND_TYPE_MEMORY && same_address(o, z);
        case operand_kind::immediate:
            return z.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && z.imm.is_relative == ZYAN_FALSE &&
                   (z.imm.value.u & 0xFF) == (static_cast<std::uint64_t>(o.number.value) & 0xFF);
        case operand_kind::target:
            return z.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && z.imm.is_relative == ZYAN_TRUE;
    }
    return false;
}

// DCBA is the order without a swizzle.
ZydisSwizzleMode plain(ZydisSwizzleMode m) {
    return m == ZYDIS_SWIZZLE_MODE_DCBA ? ZYDIS_SWIZZLE_MODE_INVALID : m;
}

bool same_modifiers(const modifiers& all, const ZydisDecodedInstruction& d) {
    const auto& avx = d.avx;
    const ZydisRegister mask =
        avx.mask.reg == ZYDIS_REGISTER_K0 ? ZYDIS_REGISTER_NONE : avx.mask.reg;
    const bool broadcast = avx.broadcast.is_static == ZYAN_TRUE
                               ? all.broadcast == ZYDIS_BROADCAST_MODE_INVALID
                               : avx.broadcast.mode == all.broadcast;
    const bool rounding = avx.rounding.mode == all.rounding;
    const bool suppress = (avx.has_sae == ZYAN_TRUE) == all.suppress_exceptions;
    const bool evict = (avx.has_eviction_hint == ZYAN_TRUE) == all.evict ||
                       d.mnemonic == ZYDIS_MNEMONIC_VMOVNRNGOAPD ||
                       d.mnemonic == ZYDIS_MNEMONIC_VMOVNRNGOAPS;
    return mask == all.mask && plain(avx.swizzle.mode) == plain(all.swizzle) && broadcast &&
           avx.conversion.mode == all.conversion && rounding && suppress && evict;
}

}  // namespace

modifiers gathered(const instruction& i) {
    modifiers all = i.mods;
    for (std::size_t n = 0; n < i.operands.size(); ++n) {
        check_place(i.operands[n], n == 0);
        merge(all, i.operands[n].mods);
    }
    return all;
}

bool verified(const std::vector<std::uint8_t>& bytes, const instruction& i, const modifiers& all) {
    decoded d;
    if (!decode(bytes, d) || d.insn.mnemonic != i.mnemonic || !same_modifiers(all, d.insn))
        return false;
    std::size_t n = 0;
    for (unsigned z = 0; z < d.insn.operand_count_visible; ++z) {
        if (d.operands[z].encoding == ZYDIS_OPERAND_ENCODING_MASK) continue;
        if (n == i.operands.size() || !same_operand(i.operands[n], d.operands[z])) return false;
        ++n;
    }
    return n == i.operands.size();
}

unsigned displacement_unit(const std::vector<std::uint8_t>& bytes) {
    decoded d;
    if (!decode(bytes, d) || d.insn.encoding != ZYDIS_INSTRUCTION_ENCODING_MVEX) return 0;
    return knc::isa::mvex_displacement_unit(d.insn.mnemonic, d.insn.raw.mvex.SSS);
}

std::size_t displacement_offset(const std::vector<std::uint8_t>& bytes) {
    decoded d;
    decode(bytes, d);
    return d.insn.raw.disp.offset;
}

}  // namespace knc_as
