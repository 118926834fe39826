#include <knc/isa/ops_hint.h>

#include <algorithm>

#include <knc/isa/context.h>
#include <knc/isa/select.h>
#include <knc/isa/vex.h>

namespace knc::isa {
namespace {

status nothing(context&, const insn&) {
    return status::ok;
}
status nothing_vex(context& c, const insn&) {
    return vex_allowed(c) ? status::ok : c.ud();
}

// Faults as a load of the byte would.
status clflush(context& c, const insn& i) {
    std::uint64_t la = 0;
    translation t;
    if (!c.checked_linear(i.seg, c.offset(i), 1, access_kind::read, la) ||
        !c.translate(la, access_kind::read, c.s.cpl == 3, t))
        return c.failure;
    return status::ok;
}

template <class T>
status delay(context& c, const insn& i) {
    if (!vex_allowed(c)) return c.ud();
    c.delay = static_cast<std::uint32_t>(std::min<std::uint64_t>(c.get<T>(i.reg), 0xffff'ffff));
    return status::ok;
}

status spflt(context& c, const insn& i) {
    if (!vex_allowed(c)) return c.ud();
    c.env.spflt((c.get<std::uint8_t>(i.reg) & 1) != 0);
    return status::ok;
}

status undefined(context& c, const insn&) {
    return c.ud();
}

// A hint names memory, but is no data access.
handler without_access(insn& out, handler h) {
    out.flags &= ~std::uint32_t{insn_reads | insn_writes};
    return h;
}

}  // namespace

handler select_hint(const decoded&, insn& out) {
    return without_access(out, nothing);
}
handler select_vex_hint(const decoded&, insn& out) {
    return without_access(out, nothing_vex);
}
handler select_clflush(const decoded&, insn& out) {
    return without_access(out, clflush);
}
handler select_delay(const decoded&, insn& out) {
    return out.size == 8 ? delay<std::uint64_t> : delay<std::uint32_t>;
}
handler select_spflt(const decoded&, insn&) {
    return spflt;
}
handler select_undefined(const decoded&, insn& out) {
    out.flags |= insn_undefined;
    return without_access(out, undefined);
}

}  // namespace knc::isa
