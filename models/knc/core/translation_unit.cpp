#include <knc/core/translation_unit.h>

namespace knc::core {

namespace {

struct walk_events {
    base::event any, long_form;
};
constexpr walk_events of_data{base::data_page_walk, base::long_data_page_walk},
    of_code{base::code_page_walk, base::long_code_page_walk};

}  // namespace

const isa::held_translation* translation_unit::held_page(const thread& t, std::uint64_t la,
                                                         isa::access_kind kind) const {
    if (lookups_ == lookups::none) return nullptr;
    const bool fetch = kind == isa::access_kind::execute;
    return fetch ? tlb_.held_code(tag(t), la) : tlb_.held_data(tag(t), la);
}

const isa::held_translation* translation_unit::held_region(const thread& t,
                                                           std::uint64_t la) const {
    if (lookups_ == lookups::none) return nullptr;
    return tlb_.held_region(tag(t), la);
}

void translation_unit::looked_up(thread& t, std::uint64_t la, isa::access_kind kind,
                                 const isa::page_walk& w, bool allowed) {
    if (lookups_ == lookups::none) return;
    const bool fetch = kind == isa::access_kind::execute;
    tlb_result r;
    if (allowed) {
        r = fetch ? tlb_.access_code(tag(t), la, w) : tlb_.access_data(tag(t), la, w);
        if (r.evicted_bytes != 0) evicted(r, fetch);
    } else {
        r = fetch ? tlb_.refuse_code(tag(t), la) : tlb_.refuse_data(tag(t), la);
    }
    if (r.l1_hit || lookups_ == lookups::untimed) return;
    if (fetch && !t.code.walk(la, r.clocks)) return;
    accounting_.note_walk(t.index(), r.clocks, fetch);
    if (!fetch) accounting_.add_stall(t.index(), r.clocks);
    const walk_events& e = fetch ? of_code : of_data;
    ++t.context.events()[e.any];
    t.context.events()[e.long_form] += !r.l2_hit;
}

void translation_unit::evicted(const tlb_result& r, bool code) {
    thread& t = *threads_[r.evicted_thread];
    if (code)
        t.code.forget_page(r.evicted_page);
    else
        t.context.flush_translation(r.evicted_page, r.evicted_bytes);
}

}  // namespace knc::core
