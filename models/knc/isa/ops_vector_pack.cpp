// VLOADUNPACKL VLOADUNPACKH VPACKSTOREL VPACKSTOREH: loads and stores of consecutive elements that
// need not be aligned to more than an element.
//
// The active lanes correspond to consecutive elements in memory. The L form reaches those before
// the next boundary of a line, the H form those after it, with an address one line further on. So
// each touches one line. Source: Intel Xeon Phi coprocessor instruction set reference 327364, 6.
#include <knc/isa/op_table.h>

#include <iterator>

#include <knc/isa/vector_operand.h>

namespace knc::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned line = base::line_bytes;

// The part of the elements that an instruction reaches.
struct part {
    mask_t lanes = 0;       // those of the active lanes
    std::uint64_t off = 0;  // of the first of their elements
    unsigned size = 0;      // in bytes; 0: none

    u64 bytes() const { return size == line ? ~u64{0} : (u64{1} << size) - 1; }
};

mask_t without_lowest(mask_t lanes, unsigned n) {
    for (; n != 0; --n) lanes &= static_cast<mask_t>(lanes - 1);
    return lanes;
}

// False: #GP(0).
template <bool High>
bool find_part(context& c, const insn& i, mask_t active, unsigned bytes, part& p) {
    const std::uint64_t off = c.offset(i);
    if (!vector_aligned(c, i.seg, off, bytes)) return false;
    const auto in_line = static_cast<unsigned>(c.linear(i.seg, off) & (line - 1));
    // The elements from the operand, or from one line before it, up to the boundary.
    const unsigned before = std::min(lane_count(active), (line - in_line) / bytes);
    const mask_t after = without_lowest(active, before);
    p.lanes = High ? after : static_cast<mask_t>(active & ~after);
    p.off = High ? off - in_line : off;
    p.size = lane_count(p.lanes) * bytes;
    return true;
}

template <class T, const vector_form (&Forms)[8], bool High>
status load_unpack(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    const vector_fields f = vector_fields::of(i);
    const vector_form& form = Forms[f.function];
    const mask_t active = c.s.vector.active<T>(f.mask);
    part p;
    std::uint8_t raw[line];
    if (!find_part<High>(c, i, active, form.bytes, p)) return c.failure;
    if (p.size != 0 && !vector_load_bytes(c, i.seg, p.off, p.size, raw, p.bytes()))
        return c.failure;
    auto e = vector_environment::from_mxcsr(c.s.mxcsr);
    vector_register& to = c.s.vector.zmm[i.reg];
    const std::uint8_t* from = raw;
    each_lane(p.lanes, [&](unsigned n) {
        to.set<T>(n, vector_from_element<T>(form, from, e));
        from += form.bytes;
    });
    return vector_ended(c, active, e);
}

template <class T, const vector_form (&Forms)[8], bool High>
status pack_store(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    const vector_fields f = vector_fields::of(i);
    const vector_form& form = Forms[f.function];
    const mask_t active = c.s.vector.active<T>(f.mask);
    part p;
    if (!find_part<High>(c, i, active, form.bytes, p)) return c.failure;
    auto e = vector_environment::from_mxcsr(c.s.mxcsr);
    std::uint8_t raw[line];
    std::uint8_t* to = raw;
    each_lane(p.lanes, [&](unsigned n) {
        vector_to_element(form, c.s.vector.zmm[i.reg].get<T>(n), to, e);
        to += form.bytes;
    });
    if (!vector_store_bytes(c, i.seg, p.off, p.size, raw, p.bytes())) return c.failure;
    return vector_ended(c, active, e);
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_VLOADUNPACKLPS, vector_updating<load_unpack<u32, vector_load_f32, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VLOADUNPACKHPS, vector_updating<load_unpack<u32, vector_load_f32, true>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VLOADUNPACKLD, vector_updating<load_unpack<u32, vector_load_i32, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VLOADUNPACKHD, vector_updating<load_unpack<u32, vector_load_i32, true>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VLOADUNPACKLPD, vector_updating<load_unpack<u64, vector_load_64, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VLOADUNPACKHPD, vector_updating<load_unpack<u64, vector_load_64, true>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VLOADUNPACKLQ, vector_updating<load_unpack<u64, vector_load_64, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VLOADUNPACKHQ, vector_updating<load_unpack<u64, vector_load_64, true>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPACKSTORELPS, vector_selected<pack_store<u32, vector_store_f32, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPACKSTOREHPS, vector_selected<pack_store<u32, vector_store_f32, true>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPACKSTORELD, vector_selected<pack_store<u32, vector_store_i32, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPACKSTOREHD, vector_selected<pack_store<u32, vector_store_i32, true>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPACKSTORELPD, vector_selected<pack_store<u64, vector_store_64, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPACKSTOREHPD, vector_selected<pack_store<u64, vector_store_64, true>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPACKSTORELQ, vector_selected<pack_store<u64, vector_store_64, false>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VPACKSTOREHQ, vector_selected<pack_store<u64, vector_store_64, true>>,
     insn_vector},
};

}  // namespace

op_table vector_pack_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
