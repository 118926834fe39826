#include "x87_generator.h"

#include <algorithm>
#include <cstring>

#include <knc/isa/decoder.h>
#include <knc/isa/x87_convert.h>
#include <knc/isa/zydis_decoder.h>

namespace knc::isa::test {
namespace {

constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;
constexpr std::uint64_t harmless_flags = 0x0cd5, interrupt_flag = 0x200;

}  // namespace

// Numbers that are short, or close to where 24, 53 and 64 bits are rounded, or neither.
std::uint64_t x87_generator::significand() {
    const std::uint64_t integer = chance(94) ? top_bit : 0;
    switch (below(8)) {
        case 0:
            return integer;
        case 1:
            return integer | any() >> (1 + below(63));
        case 2:
            return ~std::uint64_t{0} << below(64);
        case 3:
            return integer | (top_bit >> below(64));
        case 4: {
            constexpr unsigned cuts[] = {64 - 24, 64 - 53, 1};
            const unsigned cut = cuts[below(std::size(cuts))];
            const std::uint64_t half = std::uint64_t{1} << (cut - 1);
            return integer | (((any() >> cut << cut) + half + below(3) - 1) >> 1 << 1) | below(2);
        }
        case 5:
            return integer | std::uint64_t{below(4)} << 61 | below(4);
        default:
            return integer | any() >> 1;
    }
}

std::uint16_t x87_generator::exponent() {
    const auto near = [this](unsigned middle, unsigned range) {
        return static_cast<std::uint16_t>(middle - range + below(2 * range + 1));
    };
    switch (below(12)) {
        case 0:
            return 0;
        case 1:
            return near(3, 3);
        case 2:
            return 0x7fff;
        case 3:
            return near(0x7ffc, 2);
        case 4:
            return near(0x3fff / 2, 40);  // products close to the smallest numbers
        case 5:
            return near(0x3fff + 0x2000, 40);  // products close to the largest
        case 6:
            return near(0x3fff - 127, 30);  // single precision
        case 7:
            return near(chance(50) ? 0x3fff + 127 : 0x3fff + 1023, 3);
        case 8:
            return near(0x3fff - 1050, 40);  // double precision
        case 9:
            return static_cast<std::uint16_t>(below(0x8000));
        default:
            return near(0x3fff, 70);
    }
}

x87_register x87_generator::value() {
    x87_register r;
    if (chance(5)) {
        r.significand = 0;
    } else if (chance(10)) {  // whose quotients are exact or half way
        r = x87_encode(x87_from_magnitude(false, 1 + below(31)));
        r.sign_exponent = static_cast<std::uint16_t>(r.sign_exponent - below(6));
    } else {
        r.sign_exponent = exponent();
        r.significand = significand();
    }
    if (chance(40)) r.sign_exponent = static_cast<std::uint16_t>(r.sign_exponent | 0x8000);
    return r;
}

x87_register x87_generator::close_to(x87_register r) {
    r.sign_exponent = static_cast<std::uint16_t>(r.sign_exponent ^ (chance(50) ? 0x8000 : 0));
    if (chance(50)) r.significand += below(5) - 2u;
    if (chance(30)) r.significand ^= top_bit >> below(64);
    if (chance(50) && r.exponent() > 70 && r.exponent() < 0x7f00)
        r.sign_exponent = static_cast<std::uint16_t>(r.sign_exponent + below(140) - 70);
    return r;
}

std::uint64_t x87_generator::ieee(unsigned fraction, unsigned width) {
    const std::uint64_t ones = (std::uint64_t{1} << width) - 1;
    const std::uint64_t exponents[] = {0, 0, 1, ones, ones, ones - 1, ones / 2, any() & ones};
    const std::uint64_t fractions[] = {
        0, 1, ~std::uint64_t{0}, std::uint64_t{1} << (fraction - 1), any(), any() >> below(64)};
    const std::uint64_t mask = (std::uint64_t{1} << fraction) - 1;
    return any() << (fraction + width) | exponents[below(8)] << fraction |
           (fractions[below(6)] & mask);
}

// `pending`: exceptions of earlier instructions may be set, and be unmasked.
x87_state x87_generator::state(bool pending) {
    x87_state x;
    const unsigned masks = chance(70) ? x87_exceptions : below(64);
    x.set_control(masks | below(4) << 8 | below(4) << 10 | below(2) << 12);
    const unsigned old = pending && chance(20) ? below(128) : 0;
    x.set_status(0xffff, (below(0x10000) & (x87_conditions | x87_top_bits)) | old);
    for (x87_register& r : x.physical) r = value();
    if (chance(40)) x.physical[x.index(1)] = close_to(x.st(0));
    x.used = chance(75) ? 0x7f : static_cast<std::uint8_t>(any());
    // Usually one register is free: the one a load takes.
    if (x.used == 0x7f) {
        x.used = 0xff;
        if (chance(80)) x.free(7);
    }
    return x;
}

// x87 opcodes with any ModRM byte, and FXSAVE, FXRSTOR.
bool x87_generator::make_bytes(x87_case& t, ZydisDecodedInstruction& i, ZydisDecodedOperand& o) {
    t.bytes.clear();
    const bool extended = chance(2);
    if (!extended && chance(5)) t.bytes.push_back(0x66);
    if (extended && t.mode == code_mode::bits64 && chance(50)) t.bytes.push_back(0x48);
    unsigned modrm = below(256);
    if (modrm < 0xC0) modrm = (modrm & 0x38) | 2;
    if (extended) {
        t.bytes.insert(t.bytes.end(), {0x0F, 0xAE});
        modrm = chance(50) ? 0x02 : 0x0A;
    } else {
        t.bytes.push_back(static_cast<std::uint8_t>(0xD8 + below(8)));
    }
    t.bytes.push_back(static_cast<std::uint8_t>(modrm));
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&zydis_decoder(t.mode), t.bytes.data(), t.bytes.size(),
                                             &i, ops)))
        return false;
    o = ops[0];
    return !refused(profile::compat, i, nullptr);
}

void x87_generator::make_operand(x87_case& t, unsigned bytes) {
    for (std::uint8_t& b : t.operand) b = static_cast<std::uint8_t>(any());
    const auto put = [&t](const void* p, std::size_t size) {
        std::memcpy(t.operand.data(), p, size);
    };
    const auto put_number = [&](std::uint64_t v) { put(&v, sizeof v); };
    switch (bytes) {
        case 2:
            put_number(chance(50) ? any() >> below(64) : any());
            break;
        case 4:
            put_number(chance(70) ? ieee(23, 8) : any() >> below(64));
            break;
        case 8:
            put_number(chance(70) ? ieee(52, 11) : any() >> below(64));
            break;
        case 10:
            if (t.mnemonic != ZYDIS_MNEMONIC_FBLD) {
                put(x87_to_extended(value()).bytes.data(), bytes);
            } else if (chance(50)) {  // digits; else anything
                for (std::uint8_t& b : t.operand)
                    b = static_cast<std::uint8_t>(below(10) << 4 | below(10));
            }
            break;
        case fxsave_size:
            x87_save_extended(state(true), mxcsr_initial, false, t.operand);
            break;
        default: {
            const x87_state x = state(true);
            const x87_environment_layout l{bytes == 28 || bytes == 108, false};
            x87_save_environment(x, l, t.operand.data());
            x87_save_registers(x, t.operand.data() + l.size());
        }
    }
}

x87_case x87_generator::next() {
    x87_case t;
    t.mode = mode_;
    ZydisDecodedInstruction i;
    ZydisDecodedOperand o;
    while (!make_bytes(t, i, o)) {
    }
    t.mnemonic = i.mnemonic;
    t.text = disassemble(t.mode, t.bytes.data(), static_cast<unsigned>(t.bytes.size()), 0);
    const bool memory = i.operand_count_visible > 0 && o.type == ZYDIS_OPERAND_TYPE_MEMORY;
    make_operand(t, memory ? o.size / 8u : 0);
    const x87_state before = state(true);
    constexpr x87_environment_layout wide{true, false};
    x87_save_environment(before, wide, t.image.data());
    x87_save_registers(before, t.image.data() + wide.size());
    t.flags = (any() & harmless_flags) | interrupt_flag | 2;
    return t;
}

}  // namespace knc::isa::test
