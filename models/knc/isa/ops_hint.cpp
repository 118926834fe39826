#include <knc/isa/ops_hint.h>

#include <algorithm>
#include <iterator>

#include <knc/isa/context.h>
#include <knc/isa/select.h>
#include <knc/isa/vex.h>

namespace knc::isa {
namespace {

status nothing(context&, const insn&) {
    return status::ok;
}

// The request of each prefetch. T2 means the L2, non-temporal, because the card has no third level.
// The prefetches of profile compat act as the card's of the same name.
struct prefetch_row {
    ZydisMnemonic mnemonic;
    prefetch_hint hint;  // level, exclusive, non-temporal
};
constexpr prefetch_row prefetches[] = {
    {ZYDIS_MNEMONIC_VPREFETCHNTA, {cache_level::l1, false, true}},
    {ZYDIS_MNEMONIC_VPREFETCH0, {cache_level::l1, false, false}},
    {ZYDIS_MNEMONIC_VPREFETCH1, {cache_level::l2, false, false}},
    {ZYDIS_MNEMONIC_VPREFETCH2, {cache_level::l2, false, true}},
    {ZYDIS_MNEMONIC_VPREFETCHENTA, {cache_level::l1, true, true}},
    {ZYDIS_MNEMONIC_VPREFETCHE0, {cache_level::l1, true, false}},
    {ZYDIS_MNEMONIC_VPREFETCHE1, {cache_level::l2, true, false}},
    {ZYDIS_MNEMONIC_VPREFETCHE2, {cache_level::l2, true, true}},
    {ZYDIS_MNEMONIC_PREFETCHNTA, {cache_level::l1, false, true}},
    {ZYDIS_MNEMONIC_PREFETCHT0, {cache_level::l1, false, false}},
    {ZYDIS_MNEMONIC_PREFETCHT1, {cache_level::l2, false, false}},
    {ZYDIS_MNEMONIC_PREFETCHT2, {cache_level::l2, false, true}},
    {ZYDIS_MNEMONIC_PREFETCH, {cache_level::l1, false, false}},
    {ZYDIS_MNEMONIC_PREFETCHW, {cache_level::l1, true, false}},
    {ZYDIS_MNEMONIC_PREFETCHWT1, {cache_level::l2, true, false}},
};

// imm2: the row.
status prefetch(context& c, const insn& i) {
    return c.prefetch(i.seg, c.offset(i), prefetches[i.imm2].hint);
}

template <cache_level Level>
status evict(context& c, const insn& i) {
    return c.evict(i.seg, c.offset(i), Level);
}

status clflush(context& c, const insn& i) {
    return c.flush_line(i.seg, c.offset(i));
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
handler select_prefetch(const decoded& d, insn& out) {
    const auto* row =
        std::find_if(std::begin(prefetches), std::end(prefetches),
                     [&](const prefetch_row& p) { return p.mnemonic == d.i.mnemonic; });
    if (row == std::end(prefetches)) return nullptr;
    out.imm2 = static_cast<std::uint16_t>(row - std::begin(prefetches));
    return without_access(out, prefetch);
}
handler select_clevict(const decoded& d, insn& out) {
    const bool first = d.i.mnemonic == ZYDIS_MNEMONIC_CLEVICT0;
    return without_access(out, first ? evict<cache_level::l1> : evict<cache_level::l2>);
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
