// VGATHER VSCATTER VPGATHER VPSCATTER and the prefetches of both: elements at a base and a vector
// of indices.
//
// An execution does the lowest active lane and all others whose elements lie in the same line, and
// clears their bits in the mask, so software repeats the instruction until the mask is empty. A
// fault or a wait changes nothing, because the instruction accesses one line. k0 as the mask is
// #UD. Source: Intel Xeon Phi coprocessor instruction set reference 327364, 6; docs/vector.md.
#include <knc/isa/op_table.h>

#include <algorithm>
#include <iterator>

#include <knc/isa/vector_operand.h>

namespace knc::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned line = base::line_bytes;

// The elements that one execution does.
struct group {
    mask_t lanes = 0;     // 0: none is left
    u64 off = 0;          // of the first in memory
    unsigned size = 0;    // from there to the end of the last
    std::uint8_t at[16];  // the place of each lane's element, from `off`
    u64 bytes = 0;        // of the elements; bit 0: the byte at `off`
};

u64 element(const context& c, const insn& i, unsigned n) {
    const auto index = c.s.vector.zmm[vector_fields::of(i).source2].get<std::int32_t>(n);
    const u64 a = c.s.r[i.base] + (static_cast<u64>(std::int64_t{index}) << i.scale) +
                  static_cast<u64>(std::int64_t{i.disp});
    return i.address_size == 8 ? a : a & 0xffff'ffffu;
}

// False: the instruction has to end.
template <class T>
bool find_group(context& c, const insn& i, unsigned bytes, group& g) {
    const vector_fields f = vector_fields::of(i);
    if (!vector_available(c)) return false;
    if (f.mask == 0) {
        c.failure = c.ud();
        return false;
    }
    const mask_t active = c.s.vector.active<T>(f.mask);
    u64 off[16] = {};
    each_lane(active, [&](unsigned n) { off[n] = element(c, i, n); });
    if (active == 0) return true;
    const u64 first_line = c.linear(i.seg, off[__builtin_ctz(active)]) / line;
    u64 low = ~u64{0}, high = 0;
    for (unsigned left = active; left != 0; left &= left - 1) {
        const auto n = static_cast<unsigned>(__builtin_ctz(left));
        if (c.linear(i.seg, off[n]) / line != first_line) continue;
        if (!vector_aligned(c, i.seg, off[n], bytes)) return false;
        g.lanes |= static_cast<mask_t>(1u << n);
        low = std::min(low, off[n]);
        high = std::max(high, off[n]);
    }
    g.off = low;
    g.size = static_cast<unsigned>(high - low) + bytes;
    each_lane(g.lanes, [&](unsigned n) {
        g.at[n] = static_cast<std::uint8_t>(off[n] - low);
        g.bytes |= ((u64{1} << bytes) - 1) << g.at[n];
    });
    return true;
}

template <class T>
status ended(context& c, const insn& i, mask_t done, const vector_environment& e) {
    const unsigned number = vector_fields::of(i).mask;
    const mask_t active = c.s.vector.active<T>(number);
    c.s.vector.k[number] &= static_cast<mask_t>(~done);
    return vector_ended(c, active, e);
}

template <class T, const vector_form (&Forms)[8]>
status gather(context& c, const insn& i) {
    const vector_form& form = Forms[vector_fields::of(i).function];
    group g;
    std::uint8_t raw[line];
    if (!find_group<T>(c, i, form.bytes, g)) return c.failure;
    if (g.lanes != 0 && !vector_load_bytes(c, i.seg, g.off, g.size, raw, g.bytes)) return c.failure;
    auto e = vector_environment::from_mxcsr(c.s.mxcsr);
    vector_register& to = c.s.vector.zmm[i.reg];
    each_lane(g.lanes,
              [&](unsigned n) { to.set<T>(n, vector_from_element<T>(form, raw + g.at[n], e)); });
    return ended<T>(c, i, g.lanes, e);
}

// Of lanes with one address the highest wins.
template <class T, const vector_form (&Forms)[8]>
status scatter(context& c, const insn& i) {
    const vector_form& form = Forms[vector_fields::of(i).function];
    group g;
    if (!find_group<T>(c, i, form.bytes, g)) return c.failure;
    auto e = vector_environment::from_mxcsr(c.s.mxcsr);
    std::uint8_t raw[line];
    each_lane(g.lanes, [&](unsigned n) {
        vector_to_element(form, c.s.vector.zmm[i.reg].get<T>(n), raw + g.at[n], e);
    });
    if (!vector_store_bytes(c, i.seg, g.off, g.size, raw, g.bytes)) return c.failure;
    return ended<T>(c, i, g.lanes, e);
}

template <cache_level Level, bool Exclusive>
status prefetch(context& c, const insn& i) {
    group g;
    // A hint: the elements need no alignment.
    if (!find_group<u32>(c, i, 1, g)) return c.failure;
    if (g.lanes != 0) {
        const status st = c.prefetch(i.seg, g.off, {Level, Exclusive, false});
        if (st != status::ok) return st;
    }
    return ended<u32>(c, i, g.lanes, vector_environment::from_mxcsr(c.s.mxcsr));
}
// A hint that the elements will be used soon; the model does nothing.
template <class T>
status hint(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    const vector_fields f = vector_fields::of(i);
    constexpr bool converts = sizeof(T) == 4;
    if (f.mask == 0 || (!converts && f.function != 0)) return c.ud();
    return ended<T>(c, i, 0, vector_environment::from_mxcsr(c.s.mxcsr));
}

// The index is a source, and so is the destination of a gather.
template <handler H>
handler select(const decoded&, insn& out) {
    out.flags |= insn_sparse;
    out.reads |= out.writes & vector_registers;
    return H;
}
template <handler H>
handler select_prefetch(const decoded& d, insn& out) {
    out.flags &= ~std::uint32_t{insn_reads | insn_writes};
    return select<H>(d, out);
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_VGATHERDPS, select<gather<u32, vector_load_f32>>, insn_vector},
    {ZYDIS_MNEMONIC_VGATHERDPD, select<gather<u64, vector_load_64>>, insn_vector},
    {ZYDIS_MNEMONIC_VPGATHERDD, select<gather<u32, vector_load_i32>>, insn_vector},
    {ZYDIS_MNEMONIC_VPGATHERDQ, select<gather<u64, vector_load_64>>, insn_vector},
    {ZYDIS_MNEMONIC_VSCATTERDPS, select<scatter<u32, vector_store_f32>>, insn_vector},
    {ZYDIS_MNEMONIC_VSCATTERDPD, select<scatter<u64, vector_store_64>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSCATTERDD, select<scatter<u32, vector_store_i32>>, insn_vector},
    {ZYDIS_MNEMONIC_VPSCATTERDQ, select<scatter<u64, vector_store_64>>, insn_vector},
    {ZYDIS_MNEMONIC_VGATHERPF0DPS, select_prefetch<prefetch<cache_level::l1, false>>, insn_vector},
    {ZYDIS_MNEMONIC_VGATHERPF1DPS, select_prefetch<prefetch<cache_level::l2, false>>, insn_vector},
    {ZYDIS_MNEMONIC_VSCATTERPF0DPS, select_prefetch<prefetch<cache_level::l1, true>>, insn_vector},
    {ZYDIS_MNEMONIC_VSCATTERPF1DPS, select_prefetch<prefetch<cache_level::l2, true>>, insn_vector},
    {ZYDIS_MNEMONIC_VGATHERPF0HINTDPS, select_prefetch<hint<u32>>, insn_vector},
    {ZYDIS_MNEMONIC_VGATHERPF0HINTDPD, select_prefetch<hint<u64>>, insn_vector},
    {ZYDIS_MNEMONIC_VSCATTERPF0HINTDPS, select_prefetch<hint<u32>>, insn_vector},
    {ZYDIS_MNEMONIC_VSCATTERPF0HINTDPD, select_prefetch<hint<u64>>, insn_vector},
};

}  // namespace

op_table vector_gather_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
