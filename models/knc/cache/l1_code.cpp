#include <knc/cache/l1_code.h>

#include <utility>

namespace knc::cache {

l1_code::l1_code(const parameters& p, base::ledger& ledger, line_pins& pins)
    : pin_cycles_(p.pin_cycles), ledger_(ledger), pins_(pins), array_(p.l1i) {}

void l1_code::connect(l1_client_if& client, l2_if& l2, l1d_stores_if& data) {
    client_ = &client;
    l2_ = &l2;
    data_ = &data;
    for (unsigned t = 0; t < threads; ++t) stores_[t] = &data.stores(t);
}

outcome l1_code::line_for_fetch(unsigned thread, line_t line, bool cacheable, base::cycle_t now) {
    l1_line* l = array_.find(line);
    if (l != nullptr && l->ready <= now) {
        // Another thread may have fetched the line since this thread stored to it.
        if (stores_[thread]->has(line) && !data_->drained(thread)) return outcome::wait();
        l->used = now;
        return outcome::hit(l->bytes.data());
    }
    if (cacheable && first_miss(thread, line)) ledger_.raise(thread, base::code_cache_miss);
    if (l != nullptr) return outcome::retry(l->ready);
    // A thread's earlier stores must be visible to its fetches.
    if (!data_->drained(thread)) return outcome::wait();
    const l2_answer a =
        l2_->access({line, access_type::code, static_cast<std::uint8_t>(thread), true}, now);
    if (a.what == l2_answer::kind::hit) return outcome::retry(a.ready);
    if (a.what == l2_answer::kind::refused) refused_ |= static_cast<std::uint8_t>(1u << thread);
    return outcome::wait();
}

const std::uint8_t* l1_code::code_at_hand(line_t line, base::cycle_t now) const {
    const l1_line* l = array_.find(line);
    return l != nullptr && l->ready <= now ? l->bytes.data() : nullptr;
}

void l1_code::fill(const line_fill& f, base::cycle_t now) {
    if (array_.find(f.line) == nullptr) {
        data_->clean(f.line, now);
        // A replaced line remains in the threads' prefetch buffers.
        l1_line* l = array_.choose(f.line, [](line_t, const l1_line&) { return true; });
        if (array_.holds(*l)) client_->code_replaced(array_.line_of(*l));
        std::copy_n(f.bytes, coherence::line_bytes, l->bytes.begin());
        l->used = now;
        l->ready = f.ready;
        l->writable = l->dirty = l->prefetched = l->in_code = false;
        array_.enter(*l, f.line);
    }
    for (unsigned t = 0; t < threads; ++t) {
        if ((f.waiting >> t & 1) == 0) continue;
        pins_.pin(t, f.line, f.ready + pin_cycles_);
        if (!f.at_once) client_->wake(t, f.ready);
    }
}

void l1_code::retry(base::cycle_t now) {
    if (refused_ == 0) return;
    const std::uint8_t waiting = std::exchange(refused_, std::uint8_t{0});
    for (unsigned t = 0; t < threads; ++t)
        if ((waiting >> t & 1) != 0) client_->wake(t, now + 1);
}

void l1_code::drop(line_t line) {
    l1_line* l = array_.find(line);
    if (l == nullptr) return;
    array_.remove(*l);
    client_->code_lost(line);
}

// Whether the line's miss has not been counted yet for the thread's present instruction.
bool l1_code::first_miss(unsigned thread, line_t line) {
    std::vector<line_t>& seen = counted_[thread];
    if (std::find(seen.begin(), seen.end(), line) != seen.end()) return false;
    seen.push_back(line);
    return true;
}

void l1_code::debug_write(line_t line, const std::uint8_t* data, coherence::byte_mask mask) {
    if (l1_line* l = array_.find(line)) coherence::copy_bytes(l->bytes.data(), data, mask);
}

}  // namespace knc::cache
