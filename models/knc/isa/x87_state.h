// Registers of the x87 unit of one hardware thread.
//
// Models: the eight data registers with their tags, control and status word, the pointers to the
// last instruction and its operand, the last opcode.
// MMX register n of profile p55c is the significand of physical register n.
// Source: Intel SDM vol. 1, chapter 8; vol. 3, chapter 12.
#ifndef KNC_ISA_X87_STATE_H
#define KNC_ISA_X87_STATE_H

#include <array>
#include <cstdint>

#include <knc/isa/profile.h>

namespace knc::isa {

// Status word. The six exceptions have the same bits as their masks in the control word.
inline constexpr unsigned x87_ie = 1u << 0, x87_de = 1u << 1, x87_ze = 1u << 2, x87_oe = 1u << 3,
                          x87_ue = 1u << 4, x87_pe = 1u << 5, x87_sf = 1u << 6, x87_es = 1u << 7,
                          x87_c0 = 1u << 8, x87_c1 = 1u << 9, x87_c2 = 1u << 10, x87_c3 = 1u << 14,
                          x87_busy = 1u << 15;
inline constexpr unsigned x87_exceptions = x87_ie | x87_de | x87_ze | x87_oe | x87_ue | x87_pe;
inline constexpr unsigned x87_conditions = x87_c0 | x87_c1 | x87_c2 | x87_c3;
inline constexpr unsigned x87_top_shift = 11, x87_top_bits = 7u << x87_top_shift;

// Control word.
inline constexpr unsigned x87_precision_shift = 8, x87_rounding_shift = 10;
inline constexpr unsigned x87_control_writable = 0x1f3f, x87_control_ones = 0x40,
                          x87_control_initial = 0x037f;

// A number in double extended format.
struct x87_register {
    std::uint64_t significand = 0;    // bit 63: integer bit
    std::uint16_t sign_exponent = 0;  // bit 15: sign; 14:0: exponent, biased by 16383

    bool negative() const { return sign_exponent >> 15 != 0; }
    unsigned exponent() const { return sign_exponent & 0x7fffu; }
};

struct x87_state {
    // After reset: every register holds +0 and is in use, no exception is masked. Software starts
    // with FNINIT.
    std::array<x87_register, 8> physical{};
    std::uint8_t used = 0xff;  // bit n: physical register n is not empty
    std::uint16_t control = x87_control_ones;
    std::uint16_t status = 0;
    std::uint16_t opcode = 0;  // of the last instruction: low 3 bits of the first byte, ModRM
    std::uint16_t instruction_selector = 0, data_selector = 0;
    std::uint64_t instruction_pointer = 0, data_pointer = 0;
    // By the last instruction that could raise some; no part of the architectural state.
    std::uint16_t raised = 0;

    unsigned top() const { return (status & x87_top_bits) >> x87_top_shift; }
    void set_top(unsigned n) { set_status(x87_top_bits, (n & 7) << x87_top_shift); }
    // Physical number of ST(n), n modulo 8.
    unsigned index(unsigned n) const { return (top() + n) & 7; }
    bool empty(unsigned n) const { return (used >> index(n) & 1) == 0; }
    const x87_register& st(unsigned n) const { return physical[index(n)]; }
    void set(unsigned n, const x87_register& v) {
        physical[index(n)] = v;
        used = static_cast<std::uint8_t>(used | 1u << index(n));
    }
    void free(unsigned n) { used = static_cast<std::uint8_t>(used & ~(1u << index(n))); }
    void pop() {
        free(0);
        set_top(top() + 1);
    }

    void set_status(unsigned clear, unsigned set_bits) {
        status = static_cast<std::uint16_t>((status & ~clear) | set_bits);
    }
    void set_control(unsigned v) {
        control = static_cast<std::uint16_t>((v & x87_control_writable) | x87_control_ones);
    }
    // ES and B follow the exceptions and their masks.
    void update_summary() {
        const bool pending = (status & ~control & x87_exceptions) != 0;
        set_status(x87_es | x87_busy, pending ? x87_es | x87_busy : 0);
    }
    // FNINIT: the data registers keep their contents.
    void initialize() {
        const auto contents = physical;
        *this = x87_state{};
        physical = contents;
        used = 0;
        control = x87_control_initial;
    }
};

// Vector control and status register. Bit 21 (DUE) disables unmasked exceptions and must be 1; the
// card has no others.
inline constexpr std::uint32_t mxcsr_initial = 0x200000, mxcsr_writable = 0x30e07f,
                               mxcsr_ones = 0x200000;
struct mxcsr_rule {
    std::uint32_t writable, ones;  // bits that may, and bits that must be 1
};
// Profile compat also takes what programs for PCs write: DUE 0, and the masks at 12:7, which have
// no effect.
constexpr mxcsr_rule mxcsr_rule_of(profile p) {
    return p == profile::compat ? mxcsr_rule{mxcsr_writable | 0x1f80, 0}
                                : mxcsr_rule{mxcsr_writable, mxcsr_ones};
}
constexpr bool mxcsr_valid(std::uint32_t v, profile p) {
    const mxcsr_rule rule = mxcsr_rule_of(p);
    return (v & ~rule.writable) == 0 && (v & rule.ones) == rule.ones;
}

}  // namespace knc::isa

#endif
