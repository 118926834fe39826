#include "assembler.h"

namespace knc::reference {
namespace {

constexpr unsigned high(int reg) {
    return reg >= 8 ? 1 : 0;
}

}  // namespace

void assembler::op(unsigned size, std::initializer_list<unsigned> opcode, unsigned reg,
                   const operand& o) {
    if (size == 2) code.push_back(0x66);
    unsigned rex = size == 8 ? 8 : 0;
    rex |= high(static_cast<int>(reg)) << 2;
    rex |= o.memory ? high(o.index) << 1 | high(o.base) : high(static_cast<int>(o.reg));
    // Without a prefix these would be the second bytes of the first four registers.
    const bool low_byte = wide && size == 1 && (reg - 4 < 4 || (!o.memory && o.reg - 4 < 4));
    if (rex != 0 || low_byte) code.push_back(static_cast<std::uint8_t>(0x40 | rex));
    bytes(opcode);
    modrm(reg, o);
}

void assembler::op_plus(unsigned size, std::initializer_list<unsigned> opcode, unsigned reg) {
    if (size == 2) code.push_back(0x66);
    const unsigned rex = (size == 8 ? 8 : 0) | high(static_cast<int>(reg));
    if (rex != 0) code.push_back(static_cast<std::uint8_t>(0x40 | rex));
    bytes(opcode);
    code.back() = static_cast<std::uint8_t>(code.back() | (reg & 7));
}

void assembler::vex(unsigned pp, bool w, unsigned opcode, unsigned reg, const operand& o) {
    const unsigned x = o.memory ? high(o.index) : 0,
                   b = high(o.memory ? o.base : static_cast<int>(o.reg));
    bytes({0xc4, ((high(static_cast<int>(reg)) ^ 1) << 7) | ((x ^ 1) << 6) | ((b ^ 1) << 5) | 1,
           (w ? 0x80u : 0u) | 0x78 | pp, opcode});
    modrm(reg, o);
}

void assembler::mvex(const mvex_prefix& p, unsigned reg, unsigned second, unsigned mask,
                     unsigned eh_sss, const operand& o) {
    const unsigned x = o.memory ? high(o.index) : o.reg >> 4;
    const unsigned b = o.memory ? high(o.base) : o.reg >> 3 & 1;
    const unsigned registers = (reg >> 3 & 1) << 7 | x << 6 | b << 5 | reg >> 4 << 4;
    bytes({0x62, (registers ^ 0xf0) | p.map, (p.w ? 0x80u : 0u) | (~second & 15) << 3 | p.pp,
           eh_sss << 4 | (~second >> 4 & 1) << 3 | mask, p.opcode});
    modrm(reg, o);
}

void assembler::modrm(unsigned reg, const operand& o) {
    const unsigned r = (reg & 7) << 3;
    if (!o.memory) {
        bytes({0xc0 | r | (o.reg & 7)});
        return;
    }
    if (o.base == operand::next_ip) {
        bytes({r | 5});
        number(static_cast<std::uint32_t>(o.disp), 4);
        return;
    }
    const unsigned index = o.index == operand::none ? 4 : static_cast<unsigned>(o.index) & 7;
    if (o.base == operand::none) {
        // Without an index 32-bit code has a shorter form.
        if (o.index == operand::none && !wide)
            bytes({r | 5});
        else
            bytes({r | 4, o.scale << 6 | index << 3 | 5});
        number(static_cast<std::uint32_t>(o.disp), 4);
        return;
    }
    const unsigned base = static_cast<unsigned>(o.base) & 7;
    const bool byte = o.disp >= -128 && o.disp < 128;
    const unsigned mod = o.disp == 0 && base != 5 ? 0x00 : byte ? 0x40 : 0x80;
    if (o.index != operand::none || base == 4)
        bytes({mod | r | 4, o.scale << 6 | index << 3 | base});
    else
        bytes({mod | r | base});
    if (mod != 0) number(static_cast<std::uint32_t>(o.disp), mod == 0x40 ? 1 : 4);
}

assembler::branch assembler::jump(std::initializer_list<unsigned> opcode, unsigned size) {
    bytes(opcode);
    const branch b{code.size(), size};
    number(0, size);
    return b;
}

bool assembler::bind(const branch& b) {
    return bind(b, here());
}

bool assembler::bind(const branch& b, std::uint64_t target) {
    const auto distance = static_cast<std::int64_t>(target - (origin_ + b.at + b.size));
    if (b.size == 1 && (distance < -128 || distance > 127)) return false;
    for (unsigned n = 0; n < b.size; ++n)
        code[b.at + n] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(distance) >> 8 * n);
    return true;
}

}  // namespace knc::reference
