#include <knc/pentium/code_cache.h>

#include <utility>

#include <knc/pentium/data_cache.h>
#include <knc/pentium/place.h>

namespace knc::pentium {

using cache::line_t;
using cache::outcome;

code_cache::code_cache(const parameters& p, bus& b, base::ledger& l)
    : bus_(b), ledger_(l), lines_(p.l1i, line_bytes) {}

void code_cache::connect(std::uint8_t* memory, cache::l1_client_if& client, data_cache& data) {
    memory_ = memory;
    client_ = &client;
    data_ = &data;
}

void code_cache::reset() {
    lines_.clear();
    buffers_ = {};
}

std::uint8_t* code_cache::at(line_t line) const {
    return place_of(memory_, line);
}

outcome code_cache::line_for_fetch(unsigned thread, line_t line, bool cacheable,
                                   base::cycle_t now) {
    if (code_line* l = lines_.find(line)) {
        if (l->ready > now) return outcome::retry(l->ready);
        l->used = now;
        return outcome::hit(at(line));
    }
    if (!cacheable) return prefetch(line, now);
    ledger_.raise(thread, base::code_cache_miss);
    data_->write_back(line, now);
    code_line* l = lines_.choose(line, [](line_t, const code_line&) { return true; });
    if (lines_.holds(*l)) client_->code_replaced(lines_.line_of(*l));
    *l = {now, bus_.read(line_transfers, now).end};
    lines_.enter(*l, line);
    return outcome::retry(l->ready);
}

outcome code_cache::prefetch(line_t line, base::cycle_t now) {
    for (const prefetched& b : buffers_) {
        if (b.line != line) continue;
        return b.ready > now ? outcome::retry(b.ready) : outcome::hit(at(line));
    }
    data_->write_back(line, now);
    base::cycle_t ready = now;
    for (unsigned n = 0; n < line_transfers; ++n) ready = bus_.read(1, now).end;
    buffers_[0] = std::exchange(buffers_[1], prefetched{line, ready});
    return outcome::retry(ready);
}

bool code_cache::ready(line_t line, base::cycle_t now) const {
    if (const code_line* l = lines_.find(line)) return l->ready <= now;
    for (const prefetched& b : buffers_)
        if (b.line == line) return b.ready <= now;
    return false;
}

bool code_cache::use_code(unsigned, line_t line, base::cycle_t now) {
    if (!ready(line, now)) return false;
    if (code_line* l = lines_.find(line)) l->used = now;
    return true;
}

const std::uint8_t* code_cache::code_at_hand(line_t line, base::cycle_t now) const {
    return ready(line, now) ? at(line) : nullptr;
}

void code_cache::drop(line_t line) {
    for (prefetched& b : buffers_)
        if (b.line == line) b = {};
    code_line* l = lines_.find(line);
    if (l == nullptr) return;
    lines_.remove(*l);
    client_->code_lost(line);
}

void code_cache::invalidate() {
    lines_.each_line([this](line_t l) { client_->code_lost(l); });
    reset();
}

}  // namespace knc::pentium
