// The L2's events, each raised at the lookup or message that causes it.

#include <algorithm>

#include <knc/cache/l2_cache.h>

namespace knc::cache {

using coherence::fill_source;
using coherence::l2_state;

namespace {

// Read hits by state. For the core, O is a shared state like S.
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

// The line is newer than memory.
bool modified(l2_state s) {
    return s == l2_state::m || s == l2_state::o || s == l2_state::om_a || s == l2_state::mi_a ||
           s == l2_state::oi_a;
}

struct fill_events {
    base::event from_cache, from_memory;
};

fill_events events_of(access_type t) {
    switch (t) {
        case access_type::read:
            return {base::l2_data_read_miss_cache_fill, base::l2_data_read_miss_mem_fill};
        case access_type::write:
            return {base::l2_data_write_miss_cache_fill, base::l2_data_write_miss_mem_fill};
        default:
            return {base::l2_code_read_miss_cache_fill, base::l2_code_read_miss_mem_fill};
    }
}

}  // namespace

void l2_cache::count_hit(unsigned thread, access_type t, l2_state s) {
    ledger_.raise(thread, t == access_type::write ? base::l2_write_hit : read_hit(s));
}

void l2_cache::count_fill(const mshr& m, fill_source source) {
    if (m.credit == fill_credit::stream_prefetcher || source == fill_source::none) return;
    const fill_events e = events_of(m.type);
    ledger_.raise(m.thread, source == fill_source::memory ? e.from_memory : e.from_cache);
}

void l2_cache::snooped(line_t line, l2_state found, const coherence::message&) {
    const bool in_bus_unit =
        std::any_of(bus_unit_.begin(), bus_unit_.end(),
                    [=](const bus_unit_entry& w) { return w.line == line && w.until > now_; });
    ledger_.raise_core(in_bus_unit       ? base::snp_hitm_bunit
                       : modified(found) ? base::snp_hitm_l2
                                         : base::snp_hit_l2);
}

}  // namespace knc::cache
