// The events of the caches, each raised where a lookup or a message is its cause.

#include <algorithm>

#include <knc/cache/hierarchy.h>

namespace knc::cache {

using coherence::fill_source;
using coherence::l2_state;

namespace {

// Read hits by state. O is a shared line that this tile answers for: an S to the core.
base::event read_hit(l2_state s) {
    switch (s) {
        case l2_state::e:
            return base::l2_read_hit_e;
        case l2_state::m:
            return base::l2_read_hit_m;
        default:
            return base::l2_read_hit_s;
    }
}

// The line found is newer than memory.
bool modified(l2_state s) {
    return s == l2_state::m || s == l2_state::o || s == l2_state::om_a || s == l2_state::mi_a ||
           s == l2_state::oi_a;
}

struct fill_events {
    base::event from_cache, from_memory;
};
// By kind: read, write, code.
constexpr fill_events fills[] = {
    {base::l2_data_read_miss_cache_fill, base::l2_data_read_miss_mem_fill},
    {base::l2_data_write_miss_cache_fill, base::l2_data_write_miss_mem_fill},
    {base::l2_code_read_miss_cache_fill, base::l2_code_read_miss_mem_fill},
};

}  // namespace

// Whether the present instruction of the thread has not yet been charged for this line.
bool hierarchy::first_time(unsigned thread, line_t line, kind k) {
    auto& seen = counted_[thread];
    const auto entry = std::pair{line, k};
    if (std::find(seen.begin(), seen.end(), entry) != seen.end()) return false;
    seen.push_back(entry);
    return true;
}

// No valid line in the L1. One that VPREFETCH0 is fetching is no miss.
void hierarchy::count_data_miss(unsigned thread, line_t line, bool write) {
    if (!first_time(thread, line, kind::read)) return;
    const l1_line* l = data_.find(line);
    const miss* m = find_miss(line);
    const bool prefetched =
        l != nullptr ? l->prefetched : m != nullptr && m->to_data && m->from == origin::l1_prefetch;
    if (prefetched) {
        ledger_.raise(thread, base::l1_data_hit_inflight_pf1);
        return;
    }
    ledger_.raise(thread, write ? base::data_write_miss : base::data_read_miss);
    ledger_.raise(thread, base::data_read_miss_or_write_miss);
}

void hierarchy::count_hit(unsigned thread, kind k, l2_state s) {
    ledger_.raise(thread, k == kind::write ? base::l2_write_hit : read_hit(s));
}

void hierarchy::count_fill(const miss& m, fill_source source) {
    if (m.fill == credit::hardware || source == fill_source::none) return;
    const fill_events& e = fills[static_cast<std::size_t>(m.type)];
    ledger_.raise(m.thread, source == fill_source::cache ? e.from_cache : e.from_memory);
}

void hierarchy::snooped(line_t line, l2_state found, const coherence::message&) {
    const bool waits =
        std::any_of(write_backs_.begin(), write_backs_.end(),
                    [=](const write_back& w) { return w.line == line && w.until > now_; });
    ledger_.raise_core(waits             ? base::snp_hitm_bunit
                       : modified(found) ? base::snp_hitm_l2
                                         : base::snp_hit_l2);
}

}  // namespace knc::cache
