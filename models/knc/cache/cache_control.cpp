// The L1 data cache: prefetch instructions and cache control instructions.

#include <knc/cache/l1_data.h>

namespace knc::cache {

void l1_data::prefetch(unsigned thread, line_t line, const prefetch_request& r, bool cacheable,
                       base::cycle_t now) {
    const auto count = [&](base::event e) {
        if (r.counted) ledger_.raise(thread, e);
    };
    count(r.to_l1 ? base::l1_data_pf1 : base::l1_data_pf2);
    if (!cacheable) return count(base::l1_data_pf1_drop);
    const l1_line* l = array_.find(line);
    const requester by = l2_->under_way(line);
    // The core does not know of requests that only the stream prefetcher has made.
    const bool asked_by_core =
        (l != nullptr && l->ready > now) || code_->arriving(line, now) || by == requester::core;
    // VPREFETCH2 is not compared with outstanding requests: each one reaches the L2.
    const bool dropped =
        r.to_l1 ? asked_by_core || by != requester::none : r.counted && asked_by_core;
    // L1_DATA_PF1_DROP counts each VPREFETCH1 that misses the L1.
    if (r.to_l1 ? dropped : l == nullptr || l->ready > now) count(base::l1_data_pf1_drop);
    if (dropped) return;
    if (r.to_l1) {
        if (l != nullptr && (!r.exclusive || l->writable)) return;
        if (l == nullptr) count(base::l1_data_pf1_miss);
    }

    const l2_answer a = l2_->prefetch(
        {line, static_cast<std::uint8_t>(thread), r.to_l1, r.exclusive, r.counted}, now);
    if (!r.to_l1) return;
    switch (a.what) {
        case l2_answer::kind::hit: {
            l1_line& mine = *array_.find(line);
            mine.prefetched = r.counted;
            if (r.non_temporal) mine.used = 0;
            break;
        }
        case l2_answer::kind::sent:
            prefetches_.push_back({line, r.counted, r.non_temporal});
            break;
        case l2_answer::kind::refused:
            count(base::l1_data_pf1_drop);
    }
}

void l1_data::evict_from_l1(line_t line, base::cycle_t now) {
    const found l = find(line, now);
    if (l.usable && !pins_.pinned(line, now)) replace(*l.line, now);
}

bool l1_data::flush(unsigned thread, base::cycle_t now) {
    if (!drained(thread)) return false;
    if (l2_->flush(thread, now)) return true;
    refused_ |= static_cast<std::uint8_t>(1u << thread);
    return false;
}

}  // namespace knc::cache
