// Execution of instructions that move single elements: unpack, pack, gather, scatter, prefetch.
#include "vector_machine.h"

namespace knc::isa::test {
namespace {

constexpr std::uint64_t line = 64;

std::uint64_t line_of(std::uint64_t at) {
    return at / line;
}
std::uint8_t* byte_at(vm_state& s, std::uint64_t at) {
    return &s.data[at - vm_state::data_at];
}

class elements {
  public:
    elements(const vm_case& c, const reference_mode& m, vm_state& s)
        : c_(c), m_(m), s_(s), size_(vm_bytes(c.row->what.element)), form_(c.form()) {}

    void load(unsigned n, std::uint64_t at) {
        std::uint64_t v = 0;
        std::memcpy(&v, byte_at(s_, at), form_.bytes);
        keep(vm_up(c_.row->what.element, form_.type, v, m_), n);
    }
    void store(unsigned n, std::uint64_t at) {
        const std::uint64_t v = s_.zmm[c_.reg].get(n, size_);
        const reference_result r = vm_down(c_.row->what.element, form_.type, v, m_);
        std::memcpy(byte_at(s_, at), &r.bits, form_.bytes);
        s_.mxcsr |= r.flags;
    }
    unsigned lanes() const { return 64 / size_; }
    unsigned bytes() const { return form_.bytes; }

  private:
    void keep(const reference_result& r, unsigned n) {
        s_.zmm[c_.reg].set(n, size_, r.bits);
        s_.mxcsr |= r.flags;
    }

    const vm_case& c_;
    const reference_mode& m_;
    vm_state& s_;
    unsigned size_;
    vm_form form_;
};

}  // namespace

// The active lanes are a stream of elements from `at`, of the H forms from `at` - 64. An L form
// moves those before the first line boundary, an H form the others.
vm_end vm_execute_stream(const vm_case& c, std::uint64_t at, const reference_mode& m, vm_state& s) {
    elements e(c, m, s);
    if (at % e.bytes() != 0) return vm_end::protection;
    const vm_shape shape = c.row->what.shape;
    const bool high = shape == vm_shape::unpack_h || shape == vm_shape::pack_h;
    const bool load = shape == vm_shape::unpack_l || shape == vm_shape::unpack_h;
    const std::uint64_t first = high ? at - line : at;
    const std::uint16_t mask = c.mask == 0 ? 0xffff : s.k[c.mask];
    std::uint64_t place = first;
    for (unsigned n = 0; n < e.lanes(); ++n) {
        if ((mask >> n & 1) == 0) continue;
        const bool beyond = line_of(place) != line_of(first);
        if (beyond == high) load ? e.load(n, place) : e.store(n, place);
        place += e.bytes();
    }
    return vm_end::done;
}

// One execution serves the lowest active lane and those in its line.
vm_end vm_execute_indexed(const vm_case& c, std::uint64_t base, const reference_mode& m,
                          vm_state& s) {
    const vm_shape shape = c.row->what.shape;
    if (shape == vm_shape::gather && c.reg == c.at.index) return vm_end::undefined;
    if (shape == vm_shape::hint) return vm_end::done;
    elements e(c, m, s);
    std::uint16_t& mask = s.k[c.mask];
    std::array<std::uint64_t, 16> at{};
    unsigned first = e.lanes();
    for (unsigned n = e.lanes(); n-- > 0;) {
        const auto index = static_cast<std::int32_t>(s.zmm[c.at.index].get(n, 4));
        at[n] =
            vm_linear(c.at, base + (static_cast<std::uint64_t>(std::int64_t{index}) << c.at.scale));
        if ((mask >> n & 1) != 0) first = n;
    }
    std::uint16_t served = 0;
    for (unsigned n = first; n < e.lanes(); ++n)
        if ((mask >> n & 1) != 0 && line_of(at[n]) == line_of(at[first]))
            served = static_cast<std::uint16_t>(served | 1u << n);
    const bool moves = shape != vm_shape::prefetch;
    for (unsigned n = 0; n < e.lanes() && moves; ++n)
        if ((served >> n & 1) != 0 && at[n] % e.bytes() != 0) return vm_end::protection;
    for (unsigned n = 0; n < e.lanes() && moves; ++n) {
        if ((served >> n & 1) == 0) continue;
        shape == vm_shape::gather ? e.load(n, at[n]) : e.store(n, at[n]);
    }
    mask = static_cast<std::uint16_t>(mask & ~served);
    return vm_end::done;
}

}  // namespace knc::isa::test
