// LGDT, LIDT, SGDT, SIDT, LLDT, LTR, SLDT, STR.

#include <knc/isa/context.h>
#include <knc/isa/far_transfer.h>
#include <knc/isa/ops_system.h>
#include <knc/isa/paging.h>
#include <knc/isa/segmentation.h>
#include <knc/isa/select.h>

namespace knc::isa {
namespace {

using table = table_register state::*;

// `Bytes` of the base are read; a 16-bit operand size takes 24 bits of them.
template <table Table, unsigned Bytes>
status load_table(context& c, const insn& i) {
    if (c.s.cpl != 0) return c.gp();
    std::uint8_t image[2 + Bytes];
    if (!c.read(i.seg, c.offset(i), sizeof image, image)) return c.failure;
    table_register t;
    std::memcpy(&t.limit, image, 2);
    std::memcpy(&t.base, image + 2, Bytes);
    if (Bytes == 4 && i.size == 2) t.base &= 0xff'ffff;
    if (Bytes == 8 && !canonical(t.base)) return c.gp();
    c.s.*Table = t;
    return status::ok;
}

template <table Table, unsigned Bytes>
status store_table(context& c, const insn& i) {
    std::uint8_t image[2 + Bytes];
    std::memcpy(image, &(c.s.*Table).limit, 2);
    std::memcpy(image + 2, &(c.s.*Table).base, Bytes);
    return c.write(i.seg, c.offset(i), sizeof image, image) ? status::ok : c.failure;
}

template <table Table>
handler select_load(const decoded& d, insn& out) {
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
    return d.mode == code_mode::bits64 ? load_table<Table, 8> : load_table<Table, 4>;
}
template <table Table>
handler select_store(const decoded& d, insn&) {
    return d.mode == code_mode::bits64 ? store_table<Table, 8> : store_table<Table, 4>;
}

bool read_selector(context& c, const insn& i, bool memory, std::uint16_t& selector) {
    if (memory) return c.load(i.seg, c.offset(i), selector);
    selector = c.get<std::uint16_t>(i.reg);
    return true;
}

// The descriptor of an LDT or TSS to be loaded, of one of `types`.
bool read_system_segment(context& c, std::uint16_t selector, std::uint32_t types, descriptor& d,
                         segment& g) {
    const std::uint32_t error = selector & 0xfffcu;
    if ((selector & 4) != 0) {
        c.gp(error);
        return false;
    }
    if (!read_descriptor(c, selector, vector_gp, d)) return false;
    g = d.as_segment(selector);
    const bool fits = !g.code_or_data() && (types >> g.type() & 1) != 0;
    if (!fits || (d.high >> 40 & 31) != 0 || !canonical(g.base)) {
        c.gp(error);
        return false;
    }
    if (!g.present()) c.raise(vector_np, error);
    return g.present();
}

template <bool Memory>
status lldt(context& c, const insn& i) {
    if (!selects_descriptors(c)) return c.ud();
    if (c.s.cpl != 0) return c.gp();
    std::uint16_t selector = 0;
    if (!read_selector(c, i, Memory, selector)) return c.failure;
    if (is_null(selector)) {
        c.s.ldtr = null_segment(selector);
        return status::ok;
    }
    descriptor d;
    segment g;
    if (!read_system_segment(c, selector, 1u << type_ldt, d, g)) return c.failure;
    c.s.ldtr = g;
    return status::ok;
}

template <bool Memory>
status ltr(context& c, const insn& i) {
    constexpr std::uint16_t busy = 2;
    if (!selects_descriptors(c)) return c.ud();
    if (c.s.cpl != 0) return c.gp();
    std::uint16_t selector = 0;
    if (!read_selector(c, i, Memory, selector)) return c.failure;
    if (is_null(selector)) return c.gp();
    const std::uint32_t types = 1u << type_tss | (c.s.long_mode() ? 0 : 1u << type_tss16);
    descriptor d;
    segment g;
    if (!read_system_segment(c, selector, types, d, g)) return c.failure;
    g.attributes |= busy;
    const auto byte = static_cast<std::uint8_t>(g.attributes);
    if (!c.write_system(d.la + 5, 1, &byte)) return c.failure;
    c.s.tr = g;
    return status::ok;
}

using system_segment = segment state::*;

template <system_segment Segment, class T>
status store_selector(context& c, const insn& i) {
    if (!selects_descriptors(c)) return c.ud();
    c.set<T>(i.reg, (c.s.*Segment).selector);
    return status::ok;
}
template <system_segment Segment>
status store_selector_memory(context& c, const insn& i) {
    if (!selects_descriptors(c)) return c.ud();
    const std::uint16_t selector = (c.s.*Segment).selector;
    return c.store(i.seg, c.offset(i), selector) ? status::ok : c.failure;
}

template <system_segment Segment>
handler select_store_selector(const decoded& d, const insn& out) {
    if (is_memory(d.ops[0])) return store_selector_memory<Segment>;
    return for_word_size(out.size,
                         [](auto t) { return handler{store_selector<Segment, decltype(t)>}; });
}

}  // namespace

handler select_lgdt(const decoded& d, insn& out) {
    return select_load<&state::gdtr>(d, out);
}
handler select_lidt(const decoded& d, insn& out) {
    return select_load<&state::idtr>(d, out);
}
handler select_sgdt(const decoded& d, insn& out) {
    return select_store<&state::gdtr>(d, out);
}
handler select_sidt(const decoded& d, insn& out) {
    return select_store<&state::idtr>(d, out);
}
handler select_lldt(const decoded& d, insn&) {
    return is_memory(d.ops[0]) ? lldt<true> : lldt<false>;
}
handler select_ltr(const decoded& d, insn&) {
    return is_memory(d.ops[0]) ? ltr<true> : ltr<false>;
}
handler select_sldt(const decoded& d, insn& out) {
    return select_store_selector<&state::ldtr>(d, out);
}
handler select_str(const decoded& d, insn& out) {
    return select_store_selector<&state::tr>(d, out);
}

}  // namespace knc::isa
