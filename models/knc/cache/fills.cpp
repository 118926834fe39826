// What comes from outside the tile, and what moves between the levels.

#include <algorithm>
#include <cstring>
#include <utility>

#include <knc/cache/hierarchy.h>

namespace knc::cache {

using coherence::l1_keeps;
using coherence::l2_slot;
using coherence::l2_state;
using coherence::message;

namespace {

bool is_snoop(coherence::message_kind k) {
    using kind = coherence::message_kind;
    return k == kind::fwd_get_s || k == kind::fwd_get_m || k == kind::fwd_read ||
           k == kind::invalidate || k == kind::recall;
}

}  // namespace

base::cycle_t hierarchy::next_event() const {
    base::cycle_t next = inbox_.empty() ? base::never : inbox_.front().clock;
    next = std::min(next, retry_at_);
    for (const thread_buffer& b : buffers_) next = std::min(next, b.ready);
    for (const message& m : deferred_) next = std::min(next, holds_.until(m.line));
    return next;
}

void hierarchy::run(base::cycle_t now) {
    now_ = now;
    release_deferred();
    while (!inbox_.empty() && inbox_.front().clock <= now) {
        const message m = inbox_.front().content;
        inbox_.pop_front();
        process(m);
    }
    if (retry_at_ <= now) retry_all();
    for (unsigned t = 0; t < threads; ++t)
        if (buffers_[t].ready <= now) drain(t, false);
}

void hierarchy::process(const message& m) {
    if (coherence::properties(m.kind).receiver == coherence::receiver_kind::uncached) {
        leaves_ = now_ + p_.reply_cycles;
        uncached_.receive(m);
    } else if (is_snoop(m.kind) && holds_.held(m.line, now_)) {
        deferred_.push_back(m);
    } else {
        leaves_ = now_ + p_.reply_cycles;
        agent_.receive(m);
    }
}

// Snoops of lines that are no longer held, in the order they came.
void hierarchy::release_deferred() {
    if (deferred_.empty()) return;
    const std::vector<message> waiting = std::exchange(deferred_, {});
    for (const message& m : waiting) process(m);
}

void hierarchy::send(const message& m) {
    sent_ = true;
    network_.send(m, leaves_);
}

void hierarchy::protocol_error(const std::string& text) {
    network_.protocol_error(text);
}

l2_slot hierarchy::find(line_t line) {
    l2_line* e = l2_.find(line);
    return e != nullptr ? l2_slot{&e->state, e->bytes.data()} : l2_slot{};
}

bool hierarchy::take_back(line_t line, l2_slot slot, l1_keeps keep) {
    l1_line* l = data_.find(line);
    bool written = false;
    if (l != nullptr) {
        written = std::exchange(l->dirty, false);
        if (written) {
            std::memcpy(slot.data, l->bytes.data(), l->bytes.size());
            ledger_.raise_core(base::data_cache_lines_written_back);
        }
        if (keep == l1_keeps::nothing) {
            client_.data_lost(line, l->bytes.data());
            data_.remove(*l);
        } else if (written || keep == l1_keeps::readable) {
            if (keep == l1_keeps::readable) l->writable = false;
            client_.data_not_writable(line, l->bytes.data());
        }
    }
    if (keep == l1_keeps::nothing) drop_code(line);
    return written;
}

void hierarchy::filled(line_t line, l2_slot, const message& answer) {
    miss* m = find_miss(line);
    l2_line* e = l2_.find(line);
    if (m == nullptr || e == nullptr) {
        network_.protocol_error("a fill of a line nobody asked for");
        return;
    }
    const miss done = *m;
    *m = misses_.back();
    misses_.pop_back();
    count_fill(done, coherence::source_of(answer));
    e->ahead = done.fill == credit::hardware;
    const base::cycle_t ready = now_ + p_.fill_cycles;
    if (done.to_data) {
        install_data(line, *e, ready);
        l1_line* l = data_.find(line);
        l->prefetched = done.from == origin::l1_prefetch;
        if (done.non_temporal) l->used = 0;
    }
    if (done.to_code) install_code(line, *e, ready);
    if (!claims_.empty()) end_claim(line);
    for (unsigned t = 0; t < threads; ++t) {
        if ((done.waiting >> t & 1) == 0) continue;
        holds_.add(t, line, ready + p_.hold_cycles);
        client_.wake(t, ready);
    }
    for (unsigned t = 0; t < threads; ++t)
        if (!buffers_[t].stores.empty()) drain(t, true);
    retry_all();
}

void hierarchy::lost(line_t line, l2_slot) {
    l2_.remove(*l2_.find(line));
}

void hierarchy::released(line_t) {
    retry_all();
}

// Room has been made: what could not be requested may be requested now.
void hierarchy::retry_all() {
    retry_at_ = base::never;
    for (unsigned t = 0; t < threads; ++t) {
        if ((retry_ >> t & 1) != 0) client_.wake(t, now_ + 1);
        if (std::exchange(buffers_[t].retry, false)) drain(t, false);
    }
    retry_ = 0;
}

void hierarchy::install_data(line_t line, const l2_line& e, base::cycle_t ready) {
    const bool writable = coherence::writable(e.state);
    if (l1_line* l = data_.find(line)) {
        l->writable = writable;
        return;
    }
    l1_line* l = data_.choose(
        line, [this](line_t other, const l1_line&) { return !holds_.held(other, now_); });
    if (l == nullptr) l = data_.choose(line, [](line_t, const l1_line&) { return true; });
    if (data_.holds(*l)) evict_data(*l);
    *l = {e.bytes, now_, ready, writable, false, false};
    data_.enter(*l, line);
}

void hierarchy::install_code(line_t line, l2_line& e, base::cycle_t ready) {
    if (code_.find(line) != nullptr) return;
    if (l1_line* d = data_.find(line)) {
        if (d->dirty) write_back_data(line, *d);
        client_.data_not_writable(line, d->bytes.data());
    }
    // What threads have in their prefetch buffers stays there when the L1 drops the line.
    l1_line* l = code_.choose(line, [](line_t, const l1_line&) { return true; });
    *l = {e.bytes, now_, ready, false, false, false};
    code_.enter(*l, line);
}

// The L1 keeps the line, but no longer as one it has written.
void hierarchy::write_back_data(line_t line, l1_line& l) {
    l2_line* e = l2_.find(line);
    if (e == nullptr) {
        network_.protocol_error("a written line of the L1 that the L2 does not hold");
        return;
    }
    e->bytes = l.bytes;
    l.dirty = false;
    agent_.l1_wrote(line, {&e->state, e->bytes.data()});
    ledger_.raise_core(base::data_cache_lines_written_back);
}

void hierarchy::evict_data(l1_line& l) {
    const line_t line = data_.line_of(l);
    client_.data_lost(line, l.bytes.data());
    if (l.dirty) {
        write_back_data(line, l);
        ledger_.raise_core(base::l2_victim_req_with_data);
        write_backs_.erase(std::remove_if(write_backs_.begin(), write_backs_.end(),
                                          [this](const write_back& w) { return w.until <= now_; }),
                           write_backs_.end());
        write_backs_.push_back({line, now_ + p_.write_back_cycles});
    }
    data_.remove(l);
}

void hierarchy::drop_code(line_t line) {
    l1_line* l = code_.find(line);
    if (l == nullptr) return;
    code_.remove(*l);
    client_.code_lost(line);
}

}  // namespace knc::cache
