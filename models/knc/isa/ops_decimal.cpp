#include <knc/isa/ops_decimal.h>

#include <knc/isa/context.h>

namespace knc::isa {
namespace {

constexpr std::uint8_t al = 8 * rax, ah = 8 * rax + 1, ax = 8 * rax;

// Result `v`, with ZF, SF and PF of it and CF and AF as given; OF 0.
void set_result(context& c, std::uint8_t v, bool carry, bool adjust) {
    arithmetic_state& f = c.s.arithmetic;
    f.logic<std::uint8_t>(v);
    f.set(f.get() | (carry ? flag_cf : 0) | (adjust ? flag_af : 0));
    c.set<std::uint8_t>(al, v);
}

// AAA adds, AAS subtracts; 0x106 is the carry into AH and the correction of AL in one.
status ascii_adjust(context& c, bool subtract) {
    const auto v = c.get<std::uint16_t>(ax);
    const bool adjust = (v & 15) > 9 || c.s.arithmetic.af();
    const int step = adjust ? 0x106 : 0;
    const auto r = static_cast<std::uint16_t>(subtract ? v - step : v + step);
    c.set<std::uint16_t>(ax, r);
    set_result(c, r & 15, adjust, adjust);
    return status::ok;
}

status decimal_adjust(context& c, bool subtract) {
    const auto before = c.get<std::uint8_t>(al);
    const bool carry_in = c.s.arithmetic.cf();
    const bool low = (before & 15) > 9 || c.s.arithmetic.af();
    const bool high = before > 0x99 || carry_in;
    const int step = (low ? 6 : 0) + (high ? 0x60 : 0);
    const auto r = static_cast<std::uint8_t>(subtract ? before - step : before + step);
    // The borrow of the low correction of DAS stays in CF.
    const bool borrow = subtract && low && before < 6;
    set_result(c, r, high || borrow, low);
    return status::ok;
}

}  // namespace

status aaa(context& c, const insn&) {
    return ascii_adjust(c, false);
}
status aas(context& c, const insn&) {
    return ascii_adjust(c, true);
}
status daa(context& c, const insn&) {
    return decimal_adjust(c, false);
}
status das(context& c, const insn&) {
    return decimal_adjust(c, true);
}

status aam(context& c, const insn& i) {
    const auto divisor = static_cast<std::uint8_t>(i.imm);
    if (divisor == 0) return c.raise(vector_de);
    const auto v = c.get<std::uint8_t>(al);
    c.set<std::uint8_t>(ah, v / divisor);
    set_result(c, v % divisor, false, false);
    return status::ok;
}

// The flags are those of the addition.
status aad(context& c, const insn& i) {
    const auto v = c.get<std::uint8_t>(al);
    const auto tens = static_cast<std::uint8_t>(c.get<std::uint8_t>(ah) * i.imm);
    const auto r = static_cast<std::uint8_t>(v + tens);
    c.set<std::uint16_t>(ax, r);
    c.s.arithmetic.add<std::uint8_t>(v, tens, r);
    return status::ok;
}

status salc(context& c, const insn&) {
    c.set<std::uint8_t>(al, c.s.arithmetic.cf() ? 0xff : 0);
    return status::ok;
}

}  // namespace knc::isa
