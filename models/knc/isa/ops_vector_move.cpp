// VMOVA VMOVDQA and the streaming stores VMOVNR, VBROADCAST, VBLENDM, VALIGND VPERMD VPERMF32X4
// VPSHUFD.
//
// A store of less than a line is an ordinary store. Source: Intel Xeon Phi coprocessor instruction
// set reference 327364, 6.
#include <knc/isa/op_table.h>

#include <algorithm>
#include <iterator>

#include <knc/isa/select.h>
#include <knc/isa/vector_operand.h>

namespace knc::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// ---- loads, and moves of registers with a swizzle
template <class T, const vector_form (&Forms)[8]>
status load(context& c, const insn& i) {
    vector_execution<T, T, Forms> x(c, i);
    if (!x.begin()) return c.failure;
    return x.write([&](unsigned n) { return x.third(n); });
}

// ---- stores

// The lanes as they go to memory.
struct stored_lanes {
    std::uint8_t bytes[64];
    unsigned size = 0;        // in all
    std::uint64_t which = 0;  // the bytes to be written
    mask_t active = 0;
};
// False: the instruction has to end.
template <class T, const vector_form (&Forms)[8]>
bool convert(context& c, const insn& i, const vector_fields& f, stored_lanes& to,
             vector_environment& e) {
    const vector_form& form = Forms[f.function];
    to.active = c.s.vector.active<T>(f.mask);
    to.size = vector_lanes<T> * form.bytes;
    if (!vector_aligned(c, i.seg, c.offset(i), to.size)) return false;
    to.which = vector_bytes_of(to.active, form.bytes);
    const vector_register& from = c.s.vector.zmm[i.reg];
    if (to.size == 64) {
        std::copy(from.bytes.begin(), from.bytes.end(), to.bytes);
        return true;
    }
    each_lane(to.active, [&](unsigned n) {
        vector_to_element(form, from.get<T>(n), to.bytes + n * form.bytes, e);
    });
    return true;
}

template <class T, const vector_form (&Forms)[8]>
status store(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    auto e = vector_environment::from_mxcsr(c.s.mxcsr);
    stored_lanes s;
    if (!convert<T, Forms>(c, i, vector_fields::of(i), s, e) ||
        !vector_store_bytes(c, i.seg, c.offset(i), s.size, s.bytes, s.which))
        return c.failure;
    return vector_ended(c, s.active, e);
}
template <class T, const vector_form (&Forms)[8], bool Ordered>
status stream(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    auto e = vector_environment::from_mxcsr(c.s.mxcsr);
    stored_lanes s;
    if (!convert<T, Forms>(c, i, vector_fields::of(i), s, e)) return c.failure;
    const bool whole_line = s.which == ~std::uint64_t{0};
    const bool done = whole_line
                          ? vector_store_line(c, i.seg, c.offset(i), s.bytes, Ordered)
                          : vector_store_bytes(c, i.seg, c.offset(i), s.size, s.bytes, s.which);
    return done ? vector_ended(c, s.active, e) : c.failure;
}
// The decoder takes the memory for read.
template <handler H>
handler select_stream(const decoded&, insn& out) {
    out.flags &= ~std::uint32_t{insn_reads};
    return H;
}

template <class T, const vector_form (&Loads)[8], const vector_form (&Stores)[8]>
handler select_move(const decoded& d, insn&) {
    return is_memory(d.ops[0]) ? store<T, Stores> : load<T, Loads>;
}

// ---- broadcasts: `Elements` of memory, converted, fill the register
template <class T, const vector_form (&Forms)[8], unsigned Elements>
status broadcast(context& c, const insn& i) {
    if (!vector_available(c)) return c.failure;
    const vector_fields f = vector_fields::of(i);
    vector_form form = Forms[f.function];
    form.elements = Elements;
    const mask_t active = c.s.vector.active<T>(f.mask);
    auto e = vector_environment::from_mxcsr(c.s.mxcsr);
    vector_register from;
    if (!vector_load_operand<T>(c, i, form, active, from, e)) return c.failure;
    vector_register& to = c.s.vector.zmm[i.reg];
    each_lane(active, [&](unsigned n) { to.set<T>(n, from.get<T>(n)); });
    return vector_ended(c, active, e);
}

// ---- between lanes
template <class Execution>
status blend(context& c, const insn& i) {
    Execution x(c, i);
    if (!x.begin()) return c.failure;
    vector_register& to = x.result();
    for (unsigned n = 0; n < Execution::lanes; ++n)
        to.set(n, (x.active() >> n & 1) != 0 ? x.third(n) : x.second(n));
    return x.end();
}

using execution_plain = vector_execution<u32, u32, vector_operand_plain>;

status align(context& c, const insn& i) {
    execution_plain x(c, i);
    if (!x.begin()) return c.failure;
    const unsigned by = static_cast<unsigned>(i.imm) & 15;
    const vector_register low = x.third(), high = c.s.vector.zmm[x.fields().source2];
    return x.write([&](unsigned n) {
        const unsigned from = n + by;
        return from < 16 ? low.get<u32>(from) : high.get<u32>(from - 16);
    });
}
status permute(context& c, const insn& i) {
    execution_plain x(c, i);
    if (!x.begin()) return c.failure;
    const vector_register from = x.third(), index = c.s.vector.zmm[x.fields().source2];
    return x.write([&](unsigned n) { return from.get<u32>(index.get<u32>(n) & 15); });
}
// Bits 2k+1:2k of the immediate name the source of the k-th lane in each four, or of the k-th four.
status shuffle(context& c, const insn& i) {
    execution_plain x(c, i);
    if (!x.begin()) return c.failure;
    const vector_register from = x.third();
    return x.write(
        [&](unsigned n) { return from.get<u32>((n & ~3u) | (i.imm >> 2 * (n & 3) & 3)); });
}
status permute_fours(context& c, const insn& i) {
    execution_plain x(c, i);
    if (!x.begin()) return c.failure;
    const vector_register from = x.third();
    return x.write([&](unsigned n) {
        return from.get<u32>(static_cast<unsigned>(i.imm >> 2 * (n / 4) & 3) * 4 + (n & 3));
    });
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_VMOVAPS, select_move<u32, vector_load_f32, vector_store_f32>, insn_vector},
    {ZYDIS_MNEMONIC_VMOVDQA32, select_move<u32, vector_load_i32, vector_store_i32>, insn_vector},
    {ZYDIS_MNEMONIC_VMOVAPD, select_move<u64, vector_load_64, vector_store_64>, insn_vector},
    {ZYDIS_MNEMONIC_VMOVDQA64, select_move<u64, vector_load_64, vector_store_64>, insn_vector},
    {ZYDIS_MNEMONIC_VMOVNRAPS, select_stream<stream<u32, vector_store_f32, true>>, insn_vector},
    {ZYDIS_MNEMONIC_VMOVNRAPD, select_stream<stream<u64, vector_store_64, true>>, insn_vector},
    {ZYDIS_MNEMONIC_VMOVNRNGOAPS, select_stream<stream<u32, vector_store_f32, false>>, insn_vector},
    {ZYDIS_MNEMONIC_VMOVNRNGOAPD, select_stream<stream<u64, vector_store_64, false>>, insn_vector},
    {ZYDIS_MNEMONIC_VBROADCASTSS, vector_selected<broadcast<u32, vector_load_f32, 1>>, insn_vector},
    {ZYDIS_MNEMONIC_VBROADCASTSD, vector_selected<broadcast<u64, vector_load_64, 1>>, insn_vector},
    {ZYDIS_MNEMONIC_VPBROADCASTD, vector_selected<broadcast<u32, vector_load_i32, 1>>, insn_vector},
    {ZYDIS_MNEMONIC_VPBROADCASTQ, vector_selected<broadcast<u64, vector_load_64, 1>>, insn_vector},
    {ZYDIS_MNEMONIC_VBROADCASTF32X4, vector_selected<broadcast<u32, vector_load_f32, 4>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VBROADCASTI32X4, vector_selected<broadcast<u32, vector_load_i32, 4>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VBROADCASTF64X4, vector_selected<broadcast<u64, vector_load_64, 4>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VBROADCASTI64X4, vector_selected<broadcast<u64, vector_load_64, 4>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VBLENDMPS, vector_selected<blend<vector_execution_f32>>, insn_vector},
    {ZYDIS_MNEMONIC_VBLENDMPD, vector_selected<blend<vector_execution_64>>, insn_vector},
    {ZYDIS_MNEMONIC_VPBLENDMD, vector_selected<blend<vector_execution_i32>>, insn_vector},
    {ZYDIS_MNEMONIC_VPBLENDMQ, vector_selected<blend<vector_execution_64>>, insn_vector},
    {ZYDIS_MNEMONIC_VALIGND, vector_selected<align>, insn_vector},
    {ZYDIS_MNEMONIC_VPERMD, vector_selected<permute>, insn_vector},
    {ZYDIS_MNEMONIC_VPSHUFD, vector_selected<shuffle>, insn_vector},
    {ZYDIS_MNEMONIC_VPERMF32X4, vector_selected<permute_fours>, insn_vector},
};

}  // namespace

op_table vector_move_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
