#include "vector_machine_cases.h"

#include <fmt/format.h>

#include "vector_generator.h"

namespace knc::isa::test {
namespace {

constexpr unsigned masks = 8;

// The state that no case has to change: the same random bits for all.
const vm_state& background() {
    static const vm_state all = [] {
        vm_state s;
        vector_generator g(float32, 0x5eed);
        for (vm_register& z : s.zmm)
            for (unsigned n = 0; n < 8; ++n) z.set(n, 8, g.any());
        for (std::uint8_t& b : s.data) b = static_cast<std::uint8_t>(g.any());
        for (std::uint64_t& r : s.r) r = g.any();
        s.rip = int_machine::code_at;
        return s;
    }();
    return all;
}

class chooser {
  public:
    chooser(vm_trial& t, std::uint64_t seed)
        : t_(t), f16_(float16, seed), f32_(float32, seed), f64_(float64, seed) {}

    void registers();
    void masks_and_mxcsr();
    void operands();
    void address();
    void indexes();

  private:
    unsigned below(unsigned n) { return f32_.below(n); }
    bool one_in(unsigned n) { return below(n) == 0; }
    std::uint64_t integer();
    std::uint64_t lane(unsigned size, bool as_float);
    std::uint64_t element(const vm_form&);
    void fill(vm_register& z, unsigned size, bool as_float) {
        for (unsigned n = 0; n < 64 / size; ++n) z.set(n, size, lane(size, as_float));
    }
    // Sets registers and displacement so that the operand is at `at`.
    void place(std::uint64_t at);

    vm_trial& t_;
    vector_generator f16_, f32_, f64_;
};

void chooser::registers() {
    vm_case& c = t_.c;
    const vm_shape shape = c.row->what.shape;
    c.reg = below(shape == vm_shape::compare ? masks : 32);
    c.second = shape == vm_shape::carry ? below(masks) : c.row->what.has_second() ? below(32) : 0;
    c.rm = one_in(8) ? c.reg : below(32);
    c.mask = c.row->what.needs_mask() && !one_in(64) ? 1 + below(7) : below(masks);
    c.imm = static_cast<std::uint8_t>(f32_.any());
    if (c.row->group == vm_group::convert) c.imm &= 0x7f;  // reserved adjustments
    if (shape == vm_shape::shift && !one_in(4)) c.imm &= 31;
}

void chooser::masks_and_mxcsr() {
    for (std::uint16_t& k : t_.before.k)
        k = static_cast<std::uint16_t>(one_in(4) ? (one_in(2) ? 0xffff : 0) : f32_.any());
    std::uint16_t& writemask = t_.before.k[t_.c.mask];
    if (one_in(8)) writemask = static_cast<std::uint16_t>(1u << below(16));
    constexpr std::uint32_t due = 1u << 21;
    const auto flags = static_cast<std::uint32_t>(one_in(2) ? 0 : f32_.any() & 0x3f);
    t_.before.mxcsr = due | below(4) << 13 | below(2) << 15 | below(2) << 6 | flags;
    t_.before.rflags = 2 | (f32_.any() & 0x8d5);
}

std::uint64_t chooser::integer() {
    constexpr std::uint32_t special[] = {0,    1,     31,     32,     33,     0x7f,    0x80,
                                         0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff};
    const std::uint64_t any = f32_.any();
    switch (below(4)) {
        case 0:
            return (special[below(14)] ^ (any & 1 ? 0xffff'ffff : 0)) + (any >> 1 & 1);
        case 1:
            return any >> below(32) & 0xffff'ffff;
        default:
            return any & 0xffff'ffff;
    }
}
std::uint64_t chooser::lane(unsigned size, bool as_float) {
    if (as_float) return size == 4 ? f32_.operand() : f64_.operand();
    return size == 4 ? integer() & 0xffff'ffff : f64_.any();
}
std::uint64_t chooser::element(const vm_form& f) {
    if (f.type == vm_type::f16) return f16_.operand();
    if (f.type != vm_type::none) return integer();
    const vm_element e = t_.c.row->what.element;
    return lane(f.bytes, e == vm_element::f32 || e == vm_element::f64);
}

void chooser::operands() {
    const vm_case& c = t_.c;
    const vm_class& what = c.row->what;
    const bool source_float = what.element == vm_element::f32 || what.element == vm_element::f64;
    const bool as_float = c.row->group <= vm_group::float_other || source_float;
    if (what.shape != vm_shape::compare) fill(t_.before.zmm[c.reg], what.result, as_float);
    if (what.shape != vm_shape::carry) fill(t_.before.zmm[c.second], what.result, as_float);
    if (!c.memory) fill(t_.before.zmm[c.rm], vm_bytes(what.element), source_float);
}

void chooser::place(std::uint64_t at) {
    using kind = vm_address::kind;
    vm_case& c = t_.c;
    vm_address& a = c.at;
    const bool vector = c.row->what.vector_index();
    const int unit = static_cast<int>(vm_displacement_unit(c));
    const unsigned choice = below(16);
    a.displaced = choice == 0 && !vector ? kind::rip_relative
                  : choice == 1          ? kind::absolute
                  : choice < 4           ? kind::none
                  : choice < 10          ? kind::short8
                                         : kind::long32;
    a.fs = one_in(16);
    a.short_registers = one_in(16);
    if (a.fs) at -= vm_state::fs_base;
    a.base = below(16);
    if (a.displaced == kind::none && (a.base & 7) == 5) a.displaced = kind::short8;
    a.scale = 0;
    if (!vector) a.index = 4;
    if (a.displaced == kind::absolute || a.displaced == kind::rip_relative) {
        a.displacement = static_cast<int>(at);
        if (a.displaced == kind::rip_relative)
            a.displacement -= static_cast<int>(t_.before.rip + vm_encode(c).size);
        return;
    }
    const bool indexed = !vector && one_in(2);
    if (indexed) {
        do {
            a.index = below(16);
        } while (a.index == 4 || a.index == a.base);
        a.scale = below(4);
    }
    a.displacement = a.displaced == kind::short8 ? (static_cast<int>(below(256)) - 128) * unit
                     : a.displaced == kind::long32
                         ? static_cast<int>(static_cast<std::uint32_t>(f32_.any()))
                         : 0;
    std::uint64_t rest = at - static_cast<std::uint64_t>(std::int64_t{a.displacement});
    if (indexed) rest -= t_.before.r[a.index] << a.scale;
    if (a.short_registers) rest ^= f32_.any() << 32;
    t_.before.r[a.base] = rest;
}

void chooser::address() {
    const vm_case& c = t_.c;
    const vm_form f = c.form();
    const bool stream = c.row->what.shape >= vm_shape::unpack_l;
    // Far enough from the ends for the line before and the two lines behind.
    std::uint64_t at = vm_state::data_at + 256 + below(vm_state::data_bytes - 512);
    at &= ~std::uint64_t{stream ? f.bytes - 1 : f.size() - 1};
    if (one_in(32)) at += below(64);
    if (!stream || one_in(2))
        for (unsigned n = 0; n < f.elements; ++n) {
            const std::uint64_t v = element(f);
            std::memcpy(&t_.before.data[at - vm_state::data_at + std::uint64_t{n} * f.bytes], &v,
                        f.bytes);
        }
    place(at);
}

// Lanes in a few lines around the middle of the memory, or anywhere in it.
void chooser::indexes() {
    vm_case& c = t_.c;
    const vm_form f = c.form();
    constexpr int half = static_cast<int>(vm_state::data_bytes / 2);
    c.at.index = one_in(32) ? c.reg : below(32);
    place(vm_state::data_at + half);
    c.at.scale = below(4);
    const int step = static_cast<int>(f.bytes) >> c.at.scale > 1 ? f.bytes >> c.at.scale : 1;
    const int reach = (one_in(2) ? half - 16 : 128) / (step << c.at.scale);
    const bool misaligned = one_in(32) && c.row->what.shape != vm_shape::prefetch;
    vm_register& z = t_.before.zmm[c.at.index];
    for (unsigned n = 0; n < 16; ++n) {
        const int index = static_cast<int>(below(2 * static_cast<unsigned>(reach))) - reach;
        z.set(n, 4, static_cast<std::uint32_t>(index * step + (misaligned ? 1 : 0)));
    }
}

}  // namespace

std::vector<vm_variant> vm_variants(const vm_row& r) {
    std::vector<vm_variant> all;
    for (const bool memory : {false, true})
        for (const bool eh : {false, true})
            for (unsigned sss = 0; sss < 8; ++sss)
                if (vm_valid(r, memory, eh, sss)) all.push_back({memory, eh, sss});
    return all;
}

void vm_prepare(const vm_row& r, const vm_variant& v, std::uint64_t seed, vm_trial& t) {
    t.before = background();
    t.c = {};
    t.c.row = &r;
    t.c.memory = v.memory;
    t.c.eh = v.eh;
    t.c.sss = v.sss;
    chooser choose(t, seed);
    choose.registers();
    choose.masks_and_mxcsr();
    choose.operands();
    if (r.what.vector_index())
        choose.indexes();
    else if (v.memory)
        choose.address();
    t.code = vm_encode(t.c);
}

void vm_model::set(const vm_state& s) {
    context& c = machine_.c;
    for (unsigned n = 0; n < s.zmm.size(); ++n) c.s.vector.zmm[n].bytes = s.zmm[n].bytes;
    std::copy(s.k.begin(), s.k.end(), c.s.vector.k.begin());
    std::copy(s.r.begin(), s.r.end(), c.s.r.begin());
    c.s.r[rip] = s.rip;
    c.s.set_rflags(s.rflags);
    c.s.mxcsr = s.mxcsr;
    std::memcpy(machine_.at(vm_state::data_at), s.data.data(), s.data.size());
}

bool vm_model::equals(const vm_state& e) {
    const isa::state& s = machine_.c.s;
    return std::memcmp(s.vector.zmm.data(), e.zmm.data(), sizeof e.zmm) == 0 &&
           std::equal(e.k.begin(), e.k.end(), s.vector.k.begin()) &&
           std::equal(e.r.begin(), e.r.end(), s.r.begin()) && s.r[rip] == e.rip &&
           s.rflags() == e.rflags && s.mxcsr == e.mxcsr &&
           std::memcmp(machine_.at(vm_state::data_at), e.data.data(), e.data.size()) == 0;
}

std::string vm_model::differences(const vm_state& e) {
    if (equals(e)) return {};
    const isa::state& s = machine_.c.s;
    std::string text;
    for (unsigned z = 0; z < 32; ++z)
        for (unsigned n = 0; n < 16; ++n) {
            const auto got = s.vector.zmm[z].get<std::uint32_t>(n);
            if (got != e.zmm[z].get(n, 4))
                text += fmt::format("zmm{} dword {}: {:#x}, expected {:#x}\n", z, n, got,
                                    e.zmm[z].get(n, 4));
        }
    const auto number = [&](std::string name, std::uint64_t got, std::uint64_t expected) {
        if (got != expected)
            text += fmt::format("{}: {:#x}, expected {:#x}\n", name, got, expected);
    };
    for (unsigned n = 0; n < masks; ++n) number(fmt::format("k{}", n), s.vector.k[n], e.k[n]);
    for (unsigned n = 0; n < 16; ++n) number(fmt::format("r{}", n), s.r[n], e.r[n]);
    number("rip", s.r[rip], e.rip);
    number("rflags", s.rflags(), e.rflags);
    number("mxcsr", s.mxcsr, e.mxcsr);
    for (unsigned n = 0; n < e.data.size(); ++n)
        number(fmt::format("byte at {:#x}", vm_state::data_at + n),
               machine_.at(vm_state::data_at)[n], e.data[n]);
    return text;
}

std::string vm_describe(const vm_trial& t) {
    const vm_case& c = t.c;
    std::string bytes;
    for (unsigned n = 0; n < t.code.size; ++n) bytes += fmt::format("{:02x} ", t.code.bytes[n]);
    return fmt::format(
        "{} {} EH {} SSS {}, reg {} second {} rm {} k{} = {:#x}, imm {:#x}, mxcsr "
        "{:#x} [{}]\n",
        c.row->name, c.memory ? "memory" : "register", c.eh, c.sss, c.reg, c.second, c.rm, c.mask,
        t.before.k[c.mask], c.imm, t.before.mxcsr, bytes);
}

}  // namespace knc::isa::test
