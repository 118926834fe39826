#include <knc/isa/segmentation.h>

#include <knc/base/bits.h>
#include <knc/isa/paging.h>

namespace knc::isa {

bool within_limit(const segment& g, std::uint64_t off, unsigned size) {
    const std::uint64_t last = off + size - 1;
    const bool expand_down = is_data(g) && (g.type() & 4) != 0;
    if (!expand_down) return last <= g.limit;
    return off > g.limit && last <= (g.big() ? 0xffff'ffffu : 0xffffu);
}

bool canonical_range(std::uint64_t la, unsigned size) {
    return canonical(la) && canonical(la + size - 1);
}

segment descriptor::as_segment(std::uint16_t selector) const {
    segment g;
    g.selector = selector;
    g.attributes = static_cast<std::uint16_t>(low >> 40 & 0xf0ff);
    g.limit = static_cast<std::uint32_t>((low & 0xffff) | (low >> 32 & 0xf'0000));
    if ((g.attributes & 1u << 15) != 0) g.limit = g.limit << 12 | 0xfff;
    g.base = (low >> 16 & 0xff'ffff) | (low >> 32 & 0xff00'0000) | high << 32;
    return g;
}

bool look_up_descriptor(context& c, std::uint16_t selector, descriptor& d, bool& found) {
    const bool local = (selector & 4) != 0;
    const std::uint64_t base = local ? c.s.ldtr.base : c.s.gdtr.base;
    const std::uint64_t limit = local ? c.s.ldtr.limit : c.s.gdtr.limit;
    const unsigned offset = selector & 0xfff8u;
    d = descriptor{};
    d.la = base + offset;
    found = false;
    if (offset + 7 > limit || (local && !c.s.ldtr.usable())) return true;
    if (!c.read_system(d.la, 8, &d.low)) return false;
    const bool system = (d.low >> 44 & 1) == 0;
    if (c.s.long_mode() && system) {
        if (offset + 15 > limit) return true;
        if (!c.read_system(d.la + 8, 8, &d.high)) return false;
    }
    found = true;
    return true;
}

bool read_descriptor(context& c, std::uint16_t selector, std::uint8_t vector, descriptor& d) {
    bool found = false;
    if (!look_up_descriptor(c, selector, d, found)) return false;
    if (!found) c.raise(vector, selector & 0xfffcu);
    return found;
}

bool mark_accessed(context& c, descriptor& d) {
    if ((d.low >> 40 & 1) != 0) return true;
    d.low |= base::bit(40);
    const auto byte = static_cast<std::uint8_t>(d.low >> 40);
    return c.write_system(d.la + 5, 1, &byte);
}

segment null_segment(std::uint16_t selector) {
    segment g;
    g.selector = selector;
    return g;
}

// Real mode keeps the limit and attributes that protected mode left there.
segment real_mode_segment(const context& c, unsigned reg, std::uint16_t selector) {
    constexpr std::uint16_t data = 0x93, user_data = 0xf3;
    segment g = c.s.seg[reg];
    g.selector = selector;
    g.base = std::uint64_t{selector} << 4;
    if (c.s.virtual_8086() || !g.usable()) {
        g.limit = 0xffff;
        g.attributes = c.s.virtual_8086() ? user_data : data;
    }
    return g;
}

namespace {

bool loadable_as_stack(const context& c, const segment& g) {
    return (g.selector & 3) == c.s.cpl && is_writable(g) && g.dpl() == c.s.cpl;
}

bool loadable_as_data(const context& c, const segment& g) {
    if (!g.code_or_data() || !is_readable(g)) return false;
    return is_conforming(g) || (g.dpl() >= c.s.cpl && g.dpl() >= (g.selector & 3u));
}

bool load_null(context& c, unsigned reg, std::uint16_t selector) {
    const bool allowed =
        reg != ss || (c.s.mode == code_mode::bits64 && c.s.cpl != 3 && (selector & 3) == c.s.cpl);
    if (!allowed) {
        c.gp();
        return false;
    }
    c.s.seg[reg] = null_segment(selector);
    c.update_mode();
    return true;
}

}  // namespace

bool load_data_segment(context& c, unsigned reg, std::uint16_t selector) {
    if (!c.s.protected_mode() || c.s.virtual_8086()) {
        c.s.seg[reg] = real_mode_segment(c, reg, selector);
        c.update_mode();
        return true;
    }
    if (is_null(selector)) return load_null(c, reg, selector);
    descriptor d;
    if (!read_descriptor(c, selector, vector_gp, d)) return false;
    const segment g = d.as_segment(selector);
    const std::uint32_t error = selector & 0xfffcu;
    const bool loadable = reg == ss ? loadable_as_stack(c, g) : loadable_as_data(c, g);
    if (!loadable) {
        c.gp(error);
        return false;
    }
    if (!g.present()) {
        c.raise(reg == ss ? vector_ss : vector_np, error);
        return false;
    }
    if (!mark_accessed(c, d)) return false;
    c.s.seg[reg] = d.as_segment(selector);
    c.update_mode();
    return true;
}

}  // namespace knc::isa
