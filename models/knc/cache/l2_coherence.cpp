// The L2: messages from outside the tile, and debug accesses.

#include <knc/cache/l2_cache.h>

#include <algorithm>
#include <utility>

namespace knc::cache {

using coherence::l1_keeps;
using coherence::l2_slot;
using coherence::message;

namespace {

bool is_snoop(coherence::message_kind k) {
    using kind = coherence::message_kind;
    return k == kind::fwd_get_s || k == kind::fwd_get_m || k == kind::fwd_read ||
           k == kind::invalidate || k == kind::recall;
}

}  // namespace

base::cycle_t l2_cache::next_event() const {
    base::cycle_t next = inbox_.empty() ? base::never : inbox_.front().cycle;
    next = std::min(next, retry_at_);
    for (const message& m : deferred_) next = std::min(next, pins_.pinned_until(m.line));
    return next;
}

void l2_cache::process_due_events(base::cycle_t now) {
    now_ = now;
    release_deferred();
    while (!inbox_.empty() && inbox_.front().cycle <= now) {
        const message m = inbox_.front().content;
        inbox_.pop_front();
        process(m);
    }
    if (retry_at_ <= now) send_retries();
}

void l2_cache::process(const message& m) {
    if (is_snoop(m.kind) && pins_.pinned(m.line, now_)) {
        deferred_.push_back(m);
        return;
    }
    leaves_ = now_ + p_.reply_cycles;
    answering_ = true;
    if (coherence::properties(m.kind).receiver == coherence::receiver_kind::uncached)
        uncached_.receive(m);
    else
        agent_.receive(m);
    answering_ = false;
}

// Processes deferred snoops of lines that are no longer pinned, in order of arrival.
void l2_cache::release_deferred() {
    if (deferred_.empty()) return;
    const std::vector<message> waiting = std::exchange(deferred_, {});
    for (const message& m : waiting) process(m);
}

void l2_cache::send(const message& m) {
    sent_ = true;
    network_.send(m, leaves_);
}

void l2_cache::protocol_error(const std::string& text) {
    network_.protocol_error(text);
}

l2_slot l2_cache::find(line_t line) {
    l2_line* e = array_.find(line);
    return e != nullptr ? slot_of(*e) : l2_slot{};
}

bool l2_cache::take_back(line_t line, l2_slot slot, l1_keeps keep) {
    const bool written = data_->take_back(line, slot.data, keep, now_);
    if (keep == l1_keeps::nothing && array_.find(line)->in_code) code_->drop(line);
    return written;
}

void l2_cache::filled(line_t line, l2_slot, const message& answer) {
    mshr* m = mshrs_.find(line);
    l2_line* e = array_.find(line);
    if (m == nullptr || e == nullptr) {
        network_.protocol_error("a fill of a line nobody asked for");
        return;
    }
    const mshr done = *m;
    mshrs_.remove(*m);
    if (recorder_ != nullptr) recorder_->miss_ends(tile_, line * coherence::line_bytes, now_);
    const coherence::fill_source source = coherence::source_of(answer);
    count_fill(done, source);
    if (done.demand && answer.missed_l3) ledger_.raise(done.thread, base::llc_misses);
    e->ahead = done.credit == fill_credit::stream_prefetcher;
    e->in_code |= done.to_code;
    const base::cycle_t ready = now_ + p_.fill_cycles;
    // An L3 has every line that another L2 sends.
    const bool in_l3 =
        source == coherence::fill_source::l3 || (source == coherence::fill_source::cache && p_.l3);
    const base::data_source from = in_l3 ? base::data_source::l3 : base::data_source::memory;
    // Code first: the L1 code cache must copy the line before a waiting store writes it.
    const std::uint8_t none = 0;
    if (done.to_code)
        give(*code_, *e,
             {line, nullptr, false, false, done.to_data ? none : done.waiting, ready, from}, now_);
    if (done.to_data)
        give(*data_, *e, {line, nullptr, false, false, done.waiting, ready, from}, now_);
    else
        data_->filled(now_);
    send_retries();
}

void l2_cache::overwrite(line_t line, l2_slot slot) {
    if (!data_->write_owned(line, slot.data))
        network_.protocol_error("a line is granted that no streaming store requested");
}

void l2_cache::lost(line_t line, l2_slot) {
    array_.remove(*array_.find(line));
}

void l2_cache::released(line_t) {
    send_retries();
}

// Refused requests may be repeated now.
void l2_cache::send_retries() {
    retry_at_ = base::never;
    if (std::exchange(owed_code_, false)) code_->retry(now_);
    if (std::exchange(owed_data_, false)) data_->retry(now_);
}

void l2_cache::read_complete(line_t line, const coherence::line_data& data) {
    data_->read_complete(line, data, now_);
}

void l2_cache::write_complete(line_t line) {
    data_->write_complete(line, now_);
}

const std::uint8_t* l2_cache::copy_of(line_t line) const {
    const l2_line* e = array_.find(line);
    return e != nullptr && coherence::readable(e->state) ? bytes_of(*e) : nullptr;
}

void l2_cache::view_in_flight(coherence::debug_view& v) const {
    v.victims(agent_);
    for (const arrival& a : inbox_) v.in_flight(a.content);
}

void l2_cache::debug_write(line_t line, const std::uint8_t* data, coherence::byte_mask mask) {
    if (l2_line* e = array_.find(line)) coherence::copy_bytes(bytes_of(*e), data, mask);
    agent_.debug_write(line, data, mask);
    for (arrival& a : inbox_) coherence::debug_write(a.content, line, data, mask);
}

}  // namespace knc::cache
