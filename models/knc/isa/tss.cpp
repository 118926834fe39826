#include <knc/isa/tss.h>

#include <cstring>

#include <knc/isa/segmentation.h>

namespace knc::isa {
namespace {

bool read_tss(context& c, unsigned offset, unsigned size, void* data) {
    if (offset + size - 1 > c.s.tr.limit) {
        c.raise(vector_ts, c.s.tr.selector & 0xfffcu);
        return false;
    }
    return c.read_system(c.s.tr.base + offset, size, data);
}

bool refuse(context& c, std::uint8_t vector, std::uint16_t selector) {
    c.raise(vector, selector & 0xfffcu);
    return false;
}

}  // namespace

bool read_inner_stack(context& c, std::uint8_t cpl, far_stack& k) {
    const bool wide = (c.s.tr.type() & 8) != 0;
    const unsigned width = wide ? 4 : 2;
    std::uint8_t bytes[6];
    if (!read_tss(c, width * (1 + 2u * cpl), width + 2, bytes)) return false;
    std::uint16_t selector = 0;
    std::uint32_t sp = 0;
    std::memcpy(&sp, bytes, width);
    std::memcpy(&selector, bytes + width, sizeof selector);

    if (is_null(selector)) return refuse(c, vector_ts, 0);
    descriptor d;
    if (!read_descriptor(c, selector, vector_ts, d)) return false;
    const segment g = d.as_segment(selector);
    if ((selector & 3) != cpl || g.dpl() != cpl || !is_writable(g)) {
        return refuse(c, vector_ts, selector);
    }
    if (!g.present()) return refuse(c, vector_ss, selector);
    if (!mark_accessed(c, d)) return false;
    k.ss = d.as_segment(selector);
    k.sp = sp;
    k.cpl = cpl;
    k.error = selector & 0xfffcu;
    return true;
}

bool read_long_mode_stack(context& c, std::uint8_t cpl, unsigned ist, std::uint64_t& sp) {
    constexpr unsigned rsp0 = 4, ist1 = 36;
    return read_tss(c, ist != 0 ? ist1 + 8 * (ist - 1) : rsp0 + 8u * cpl, 8, &sp);
}

}  // namespace knc::isa
