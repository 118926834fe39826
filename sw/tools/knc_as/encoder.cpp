#include "encoder.h"

#include <algorithm>
#include <limits>

#include "verify.h"

namespace knc_as {
namespace {

using bytes = std::vector<std::uint8_t>;

// Stands for a displacement that the assembler knows: no form with 8 bits holds it.
constexpr std::int64_t unknown_displacement = 0x1357'9BDF;

bool needs_eviction_hint(ZydisMnemonic m) {
    return m == ZYDIS_MNEMONIC_VMOVNRNGOAPD || m == ZYDIS_MNEMONIC_VMOVNRNGOAPS;
}

void set_modifiers(const instruction& i, const modifiers& all, ZydisEncoderRequest& r) {
    r.mvex.swizzle = all.swizzle;
    r.mvex.broadcast = all.broadcast;
    r.mvex.conversion = all.conversion;
    r.mvex.rounding = all.rounding;
    r.mvex.sae = all.suppress_exceptions ? ZYAN_TRUE : ZYAN_FALSE;
    r.mvex.eviction_hint = all.evict || needs_eviction_hint(i.mnemonic) ? ZYAN_TRUE : ZYAN_FALSE;
}

void set_segment(ZydisRegister segment, ZydisEncoderRequest& r) {
    if (segment == ZYDIS_REGISTER_NONE) return;
    if (segment == ZYDIS_REGISTER_FS)
        r.prefixes |= ZYDIS_ATTRIB_HAS_SEGMENT_FS;
    else if (segment == ZYDIS_REGISTER_GS)
        r.prefixes |= ZYDIS_ATTRIB_HAS_SEGMENT_GS;
    else
        throw statement_error("64-bit code has the segments fs and gs only");
}

ZydisEncoderOperand to_zydis(const operand& o, std::uint16_t size, ZydisEncoderRequest& r) {
    ZydisEncoderOperand z{};
    switch (o.kind) {
        case operand_kind::reg:
            z.type = ZYDIS_OPERAND_TYPE_REGISTER;
            z.reg.value = o.reg;
            break;
        case operand_kind::memory:
            z.type = ZYDIS_OPERAND_TYPE_MEMORY;
            z.mem.base = o.base;
            z.mem.index = o.index;
            z.mem.scale = o.index == ZYDIS_REGISTER_NONE ? 0 : o.scale;
            z.mem.displacement = o.number.symbolic.empty() ? o.number.value : unknown_displacement;
            z.mem.size = size;
            set_segment(o.segment, r);
            break;
        case operand_kind::immediate:
            z.type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
            z.imm.u = static_cast<std::uint8_t>(o.number.value);
            break;
        case operand_kind::target:
            z.type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
            z.imm.s = unknown_displacement;
            r.branch_type = ZYDIS_BRANCH_TYPE_NEAR;
            r.branch_width = ZYDIS_BRANCH_WIDTH_32;
            break;
    }
    return z;
}

// Replaces the displacement where Zydis counts an 8-bit one in the wrong unit. `encoded` is what
// Zydis makes of the request.
bytes with_displacement(bytes encoded, ZydisEncoderRequest& r) {
    const std::size_t at = displacement_offset(encoded);
    const unsigned unit = displacement_unit(encoded);
    ZydisEncoderOperand* memory = std::find_if(
        r.operands, r.operands + r.operand_count,
        [](const ZydisEncoderOperand& o) { return o.type == ZYDIS_OPERAND_TYPE_MEMORY; });
    if (at == 0 || unit == 0 || memory == r.operands + r.operand_count) return encoded;
    // An address without a base has 32 bits of displacement.
    if (memory->mem.base == ZYDIS_REGISTER_NONE || memory->mem.base == ZYDIS_REGISTER_RIP)
        return encoded;
    const std::int64_t value = memory->mem.displacement;
    const std::int64_t units = value / static_cast<std::int64_t>(unit);
    const bool narrow = value % static_cast<std::int64_t>(unit) == 0 && units == std::int8_t(units);
    // Displacements that Zydis surely encodes in 8 bits, and surely does not.
    memory->mem.displacement = narrow ? 64 : unknown_displacement;
    ZyanUSize length = ZYDIS_MAX_INSTRUCTION_LENGTH;
    encoded.resize(length);
    if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&r, encoded.data(), &length))) return {};
    encoded.resize(length);
    for (unsigned n = 0; n < (narrow ? 1u : 4u); ++n)
        encoded[at + n] = static_cast<std::uint8_t>((narrow ? units : value) >> 8 * n);
    return encoded;
}

// One attempt; nothing if Zydis has no such form.
bytes attempt(const instruction& i, const modifiers& all, ZydisEncodableEncoding encoding,
              bool mask_operand, std::uint16_t size) {
    ZydisEncoderRequest r{};
    r.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
    r.allowed_encodings = encoding;
    r.mnemonic = i.mnemonic;
    set_modifiers(i, all, r);
    for (const operand& o : i.operands) {
        r.operands[r.operand_count++] = to_zydis(o, size, r);
        if (r.operand_count != 1 || !mask_operand) continue;
        ZydisEncoderOperand& mask = r.operands[r.operand_count++];
        mask.type = ZYDIS_OPERAND_TYPE_REGISTER;
        mask.reg.value = all.mask == ZYDIS_REGISTER_NONE ? ZYDIS_REGISTER_K0 : all.mask;
    }
    bytes out(ZYDIS_MAX_INSTRUCTION_LENGTH);
    ZyanUSize length = out.size();
    if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&r, out.data(), &length))) return {};
    out.resize(length);
    return with_displacement(std::move(out), r);
}

// All sizes a memory operand may have: the encoder wants the one that fits, which the source need
// not say.
bytes any_size(const instruction& i, const modifiers& all, ZydisEncodableEncoding encoding) {
    const bool memory = std::any_of(i.operands.begin(), i.operands.end(), [](const operand& o) {
        return o.kind == operand_kind::memory;
    });
    for (const bool mask_operand : {true, false}) {
        if (mask_operand && encoding == ZYDIS_ENCODABLE_ENCODING_VEX) continue;
        for (std::uint16_t size = 64; size != 0; size = memory ? size / 2 : 0) {
            bytes b = attempt(i, all, encoding, mask_operand, size);
            if (!b.empty()) return b;
        }
    }
    return {};
}

// C5 xx as C4 xx xx, which says the same. Only prefixes of segment and address size stand before.
void widen(bytes& b) {
    auto vex = b.begin();
    while (vex != b.end() && (*vex == 0x64 || *vex == 0x65 || *vex == 0x67)) ++vex;
    if (vex == b.end() || *vex != 0xC5) return;
    const std::uint8_t second = vex[1];
    vex[0] = 0xC4;
    vex[1] = static_cast<std::uint8_t>((second & 0x80) | 0x61);
    b.insert(vex + 2, static_cast<std::uint8_t>(second & 0x7F));
}

bytes choose(const instruction& i, const modifiers& all) {
    bytes vex, mvex;
    if (i.choice != encoding_choice::mvex) vex = any_size(i, all, ZYDIS_ENCODABLE_ENCODING_VEX);
    if (i.choice == encoding_choice::shortest || i.choice == encoding_choice::mvex)
        mvex = any_size(i, all, ZYDIS_ENCODABLE_ENCODING_MVEX);
    // VEX has no modifiers and ignores those it is given.
    if (!vex.empty() && !verified(vex, i, all)) vex.clear();
    if (i.choice == encoding_choice::vex3) widen(vex);
    return vex.empty() || (!mvex.empty() && mvex.size() < vex.size()) ? mvex : vex;
}

void check_numbers(const instruction& i) {
    for (const operand& o : i.operands) {
        const std::int64_t v = o.number.value;
        if (o.kind == operand_kind::immediate) {
            if (!o.number.symbolic.empty()) throw statement_error("an immediate must be a number");
            if (v < -128 || v > 255) throw statement_error("an immediate has 8 bits");
        }
        if (o.kind == operand_kind::memory && (v < std::numeric_limits<std::int32_t>::min() ||
                                               v > std::numeric_limits<std::int32_t>::max()))
            throw statement_error("a displacement has 32 bits with sign");
    }
}

void check_register_bits(const instruction& i) {
    if (i.register_bits == 0) return;
    for (const operand& o : i.operands)
        if (o.kind == operand_kind::reg &&
            ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, o.reg) != i.register_bits)
            throw statement_error("the suffix of the mnemonic does not fit a register");
}

std::optional<fixup> hole_of(const instruction& i, const bytes& b) {
    for (const operand& o : i.operands) {
        if (o.kind == operand_kind::target)
            return fixup{
                b.size() - 4,
                o.number.symbolic.empty() ? std::to_string(o.number.value) : o.number.symbolic,
                true};
        if (o.kind == operand_kind::memory && !o.number.symbolic.empty())
            return fixup{displacement_offset(b), o.number.symbolic,
                         o.base == ZYDIS_REGISTER_RIP || o.base == ZYDIS_REGISTER_EIP};
    }
    return std::nullopt;
}

}  // namespace

encoded encode(const instruction& i) {
    check_numbers(i);
    check_register_bits(i);
    if (i.operands.size() > 4) throw statement_error("too many operands");
    const modifiers all = gathered(i);
    encoded e;
    e.bytes = choose(i, all);
    if (e.bytes.empty() || !verified(e.bytes, i, all))
        throw statement_error("no such form: operands or modifiers do not fit the instruction");
    e.hole = hole_of(i, e.bytes);
    return e;
}

}  // namespace knc_as
