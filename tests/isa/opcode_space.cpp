#include "opcode_space.h"

#include <algorithm>
#include <vector>

namespace knc::isa::test {
namespace {

using bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t byte(unsigned v) {
    return static_cast<std::uint8_t>(v);
}

using visitor = std::function<void(const encoding&)>;

// ModRM bytes that may decode differently: memory plain and with SIB for each digit, all register
// forms.
const bytes& modrm_classes() {
    static const bytes all = [] {
        bytes b;
        for (unsigned reg = 0; reg < 8; ++reg) b.push_back(byte(reg << 3));
        for (unsigned rest = 0xc0; rest < 0x100; ++rest) b.push_back(byte(rest));
        for (unsigned reg = 0; reg < 8; ++reg) b.push_back(byte(reg << 3 | 4));
        return b;
    }();
    return all;
}
// The same without register forms that differ in ModRM.rm only.
const bytes& modrm_digits() {
    static const bytes all = [] {
        bytes b;
        for (const std::uint8_t m : modrm_classes())
            if (m < 0xc0 || m % 8 == 0) b.push_back(m);
        return b;
    }();
    return all;
}

bool is_prefix(code_mode mode, unsigned b) {
    constexpr std::uint8_t any_mode[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65,
                                         0x66, 0x67, 0xF0, 0xF2, 0xF3};
    const bool rex = mode == code_mode::bits64 && (b & 0xf0) == 0x40;
    return rex || std::find(std::begin(any_mode), std::end(any_mode), b) != std::end(any_mode);
}

// All opcodes behind `head`, except those `skip` says are something else.
template <class Skip>
void opcodes(const bytes& head, const bytes& modrm, const visitor& visit, Skip skip) {
    encoding e{};
    std::copy(head.begin(), head.end(), e.begin());
    for (unsigned opcode = 0; opcode < 0x100; ++opcode) {
        if (skip(opcode)) continue;
        e[head.size()] = byte(opcode);
        for (const std::uint8_t m : modrm) {
            e[head.size() + 1] = m;
            visit(e);
        }
    }
}

bool skip_none(unsigned) {
    return false;
}

void legacy(code_mode mode, const visitor& visit) {
    const bytes prefixes[] = {{},     {0x66}, {0xF3},       {0xF2},
                              {0x67}, {0xF0}, {0x66, 0xF2}, {0x66, 0xF3}};
    const bytes maps[] = {{}, {0x0F}, {0x0F, 0x38}, {0x0F, 0x3A}};
    for (const bytes& p : prefixes) {
        for (const unsigned rex : {0x00u, 0x48u}) {
            if (rex != 0 && mode != code_mode::bits64) continue;
            for (const bytes& m : maps) {
                const bool first = m.empty();
                const auto skip = [&](unsigned opcode) {
                    return first && (opcode == 0x0F || is_prefix(mode, opcode));
                };
                bytes head = p;
                if (rex != 0) head.push_back(byte(rex));
                head.insert(head.end(), m.begin(), m.end());
                opcodes(head, modrm_classes(), visit, skip);
            }
        }
    }
}

// 3DNow!: the opcode follows the operands.
void suffixed(const visitor& visit) {
    for (const unsigned modrm : {0x00u, 0xC0u})
        for (unsigned opcode = 0; opcode < 0x100; ++opcode)
            visit({0x0F, 0x0F, byte(modrm), byte(opcode)});
}

// VEX (C4) and XOP (8F): maps from `first_map`, each W, L and pp; no register operand in the
// prefix.
void vex(std::uint8_t escape, unsigned first_map, const visitor& visit) {
    for (unsigned map = first_map; map < first_map + 4; ++map)
        for (unsigned w = 0; w < 2; ++w)
            for (unsigned l = 0; l < 2; ++l)
                for (unsigned pp = 0; pp < 4; ++pp)
                    opcodes({escape, byte(0xE0 | map), byte(w << 7 | 0x78 | l << 2 | pp)},
                            modrm_classes(), visit, skip_none);
}

// MVEX (bit 2 of the third byte 0) and EVEX (1): each W, pp and these values of the fourth byte.
void four_byte(bool evex, const bytes& maps, const bytes& last, const visitor& visit) {
    for (const unsigned map : maps)
        for (unsigned w = 0; w < 2; ++w)
            for (unsigned pp = 0; pp < 4; ++pp)
                for (const std::uint8_t p : last)
                    opcodes(
                        {0x62, byte(0xF0 | map), byte(w << 7 | 0x78 | (evex ? 4u : 0u) | pp), p},
                        modrm_digits(), visit, skip_none);
}

}  // namespace

void each_encoding(code_mode mode, const visitor& visit) {
    legacy(mode, visit);
    suffixed(visit);
    vex(0xC4, 0, visit);
    // Mask 1, no mask, swizzled or evicting.
    four_byte(false, {1, 2, 3}, {0x09, 0x08, 0x88}, visit);
    vex(0x8F, 8, visit);
    // 128, 256 and 512 bits, without and with mask 1, without and with broadcast.
    four_byte(true, {1, 2, 3, 5, 6},
              {0x08, 0x28, 0x48, 0x09, 0x29, 0x49, 0x18, 0x38, 0x58, 0x19, 0x39, 0x59}, visit);
}

}  // namespace knc::isa::test
