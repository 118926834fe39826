// Translations in the pipelines: what the TLBs hold, what a miss counts and costs.

#include <knc/core/core.h>

#include <algorithm>

#include <knc/isa/paging.h>

namespace knc::core {

namespace {

struct walk_events {
    base::event any, long_form;
};
constexpr walk_events of_data{base::data_page_walk, base::long_data_page_walk},
    of_code{base::code_page_walk, base::long_code_page_walk};

}  // namespace

const isa::held_translation* thread::held_page(std::uint64_t la, isa::access_kind kind) {
    const bool fetch = kind == isa::access_kind::execute;
    return fetch ? core_.tlb_.held_code(index_, la) : core_.tlb_.held_data(index_, la);
}

const isa::held_translation* thread::held_region(std::uint64_t la) {
    return core_.tlb_.held_region(index_, la);
}

// Data: the thread waits for the walk behind its issue. Code: before it.
void thread::looked_up(std::uint64_t la, isa::access_kind kind, const isa::page_walk& w,
                       bool allowed) {
    const bool fetch = kind == isa::access_kind::execute;
    tlb& t = core_.tlb_;
    tlb_result r;
    if (allowed) {
        r = fetch ? t.access_code(index_, la, w) : t.access_data(index_, la, w);
        if (r.evicted_bytes != 0) core_.evicted(r, fetch);
    } else {
        r = fetch ? t.refuse_code(index_, la) : t.refuse_data(index_, la);
    }
    if (r.l1_hit) return;
    if (fetch) {
        const std::uint64_t page = la >> 12;
        if (std::find(walked.begin(), walked.end(), page) != walked.end()) return;
        walked[walked[0] == no_code ? 0 : 1] = page;
        walk_cycles += r.clocks;
    } else {
        core_.accounting_.add_stall(index_, r.clocks);
    }
    const walk_events& e = fetch ? of_code : of_data;
    ++context.events()[e.any];
    context.events()[e.long_form] += !r.l2_hit;
}

void thread::translations_void(bool keep_global) {
    core_.tlb_.flush(index_, keep_global);
}

void thread::translation_void(std::uint64_t la) {
    core_.tlb_.flush_page(index_, la);
}

void thread::forget_code_page(std::uint64_t la) {
    const std::uint64_t page = la >> 12;
    if (code_tag >> 12 == page) code_tag = no_code;
    code_front& f = recent_code_[page & (recent_pages - 1)];
    if (f.tag >> 12 == page) f.tag = no_code;
    for (const std::uint64_t first : {page, page - 1}) {
        crossing& x = crossings_[first & (recent_pages - 1)];
        if (x.la >> 12 == first) x.tag = no_code;
    }
}

// A thread remembers no translation that the first level does not hold.
void core::evicted(const tlb_result& r, bool code) {
    thread& t = *threads_[r.evicted_thread];
    if (code)
        t.forget_code_page(r.evicted_page);
    else
        t.context.flush_translation(r.evicted_page, r.evicted_bytes);
}

}  // namespace knc::core
