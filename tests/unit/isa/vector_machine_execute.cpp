// Execution: operands, writemasks, results, plain loads and stores.
#include "vector_machine.h"

namespace knc::isa::test {
namespace {

reference_mode mode_of(std::uint32_t mxcsr) {
    return {mxcsr >> 13 & 3, (mxcsr & 0x40) != 0, (mxcsr & 0x8000) != 0};
}

std::uint64_t address_of(const vm_case& c, unsigned length, const vm_state& s) {
    const auto displacement = static_cast<std::uint64_t>(std::int64_t{c.at.displacement});
    if (c.at.displaced == vm_address::kind::absolute) return displacement;
    if (c.at.displaced == vm_address::kind::rip_relative) return s.rip + length + displacement;
    std::uint64_t at = s.r[c.at.base] + displacement;
    if (c.at.index != 4 && !c.row->what.vector_index()) at += s.r[c.at.index] << c.at.scale;
    return at;
}

// The third operand, and the flags that its conversion raises for each lane.
struct third_operand {
    vm_register value;
    std::array<unsigned, 16> flags{};
};

vm_end read_third(const vm_case& c, std::uint64_t at, const reference_mode& m, const vm_state& s,
                  third_operand& t) {
    const vm_element e = c.row->what.element;
    const unsigned size = vm_bytes(e);
    if (!c.memory) {
        const unsigned sss = c.eh ? 0 : c.sss;
        for (unsigned n = 0; n < 64 / size; ++n)
            t.value.set(n, size, s.zmm[c.rm].get(vm_swizzle(sss, n), size));
        return vm_end::done;
    }
    const vm_form f = c.form();
    if (at % f.size() != 0) return vm_end::protection;
    for (unsigned n = 0; n < 64 / size; ++n) {
        std::uint64_t element = 0;
        std::memcpy(&element, &s.data[at - vm_state::data_at + n % f.elements * f.bytes], f.bytes);
        const reference_result r = vm_up(e, f.type, element, m);
        t.value.set(n, size, r.bits);
        t.flags[n] = r.flags;
    }
    return vm_end::done;
}

vm_end store(const vm_case& c, std::uint64_t at, const reference_mode& m, vm_state& s) {
    const vm_element e = c.row->what.element;
    const vm_form f = c.form();
    if (at % f.size() != 0) return vm_end::protection;
    for (unsigned n = 0; n < f.elements; ++n) {
        if (c.mask != 0 && (s.k[c.mask] >> n & 1) == 0) continue;
        const reference_result r = vm_down(e, f.type, s.zmm[c.reg].get(n, vm_bytes(e)), m);
        std::memcpy(&s.data[at - vm_state::data_at + std::uint64_t{n} * f.bytes], &r.bits, f.bytes);
        s.mxcsr |= r.flags;
    }
    return vm_end::done;
}

vm_end operate(const vm_case& c, std::uint64_t at, const reference_mode& m, bool silent,
               vm_state& s) {
    const vm_class& what = c.row->what;
    third_operand third;
    const vm_end end = read_third(c, at, m, s, third);
    if (end != vm_end::done) return end;
    const bool compare = what.shape == vm_shape::compare, narrow = what.shape == vm_shape::narrow;
    const unsigned lanes = narrow ? 8 : 64 / what.result;
    const unsigned to = what.shape == vm_shape::shift ? c.second : c.reg;
    const std::uint16_t mask = c.mask == 0 ? 0xffff : s.k[c.mask];
    const vm_register dest = compare ? vm_register{} : s.zmm[to], second = s.zmm[c.second];
    std::uint16_t bits = 0;
    if (what.shape == vm_shape::carry) bits = s.k[c.second];
    if (what.shape == vm_shape::sign) bits = mask;
    vm_register result = dest;
    unsigned flags = 0;
    for (unsigned n = 0; n < lanes; ++n) {
        const bool active = (mask >> n & 1) != 0;
        if (!active && what.shape != vm_shape::blend) continue;
        const bool bit = what.shape == vm_shape::carry ? (bits >> n & 1) != 0 : active;
        const vm_result r =
            c.row->function({dest, second, third.value, n, what.result, c.imm, m, bit});
        flags |= r.flags | (active ? third.flags[n] : 0);
        result.set(n, what.result, r.bits);
        bits = static_cast<std::uint16_t>((bits & ~(1u << n)) | unsigned{r.bit} << n);
    }
    if (narrow)
        for (unsigned n = 8; n < 16; ++n) result.set(n, 4, 0);
    if (!silent) s.mxcsr |= flags;
    if (compare) {
        s.k[c.reg] = bits;
        return vm_end::done;
    }
    s.zmm[to] = result;
    if (what.shape == vm_shape::carry) s.k[c.second] = bits;
    if (what.shape == vm_shape::sign) s.k[c.mask] = bits;
    return vm_end::done;
}

}  // namespace

std::uint64_t vm_linear(const vm_address& a, std::uint64_t sum) {
    if (a.short_registers) sum &= 0xffff'ffff;
    return a.fs ? sum + vm_state::fs_base : sum;
}

vm_end vm_execute(const vm_case& c, unsigned length, vm_state& s) {
    const vm_class& what = c.row->what;
    if (what.needs_mask() && c.mask == 0) return vm_end::undefined;
    reference_mode m = mode_of(s.mxcsr);
    const bool control = !c.memory && c.eh;
    if (control && what.eh == vm_eh::rounding) m.rounding = c.sss & 3;
    const bool controls_flags = what.eh == vm_eh::rounding || what.eh == vm_eh::sae;
    const bool silent = control && controls_flags && (c.sss & 4) != 0;
    const std::uint64_t sum = c.memory ? address_of(c, length, s) : 0;
    const std::uint64_t at = vm_linear(c.at, sum);
    const vm_end end = what.vector_index()                ? vm_execute_indexed(c, sum, m, s)
                       : what.shape >= vm_shape::unpack_l ? vm_execute_stream(c, at, m, s)
                       : what.shape == vm_shape::store    ? store(c, at, m, s)
                                                          : operate(c, at, m, silent, s);
    if (end == vm_end::done) s.rip += length;
    return end;
}

}  // namespace knc::isa::test
