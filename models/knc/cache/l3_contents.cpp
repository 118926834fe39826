// A slice of the L3: what others see of it, and its state for dumps and tests.
#include <knc/cache/l3_cache.h>

#include <algorithm>

#include <knc/base/archive.h>

namespace knc::cache {

using coherence::l3_state;
using coherence::line_t;
using coherence::message;

l3_cache::summary l3_cache::summary_of(line_t line) const {
    const entry* const e = lines_.find(line);
    return e != nullptr ? summary{e->state, e->holders, e->owner} : summary{};
}

std::vector<std::uint64_t> l3_cache::walk() const {
    std::vector<std::uint64_t> lines(usage_.size() + 1);
    for (const slot& s : slots_)
        if (s.present) ++lines[std::min<std::size_t>(s.rmid, usage_.size())];
    return lines;
}

void l3_cache::view(coherence::debug_view& v) const {
    const entry* const e = lines_.find(v.line());
    if (e == nullptr) return;
    if (e->slot != none && slots_[e->slot].current) v.l3(slots_[e->slot].bytes.data(), false);
    if (e->work == none || coherence::is_stable(e->state)) return;
    // What a write_once held is on its way to memory, with the bytes written.
    if (e->state == l3_state::once_w) return;
    const l3_transaction& t = work_[e->work];
    if (t.holds) v.l3(t.held.data(), t.recalled);
}

void l3_cache::debug_write(line_t line, const std::uint8_t* data, coherence::byte_mask mask) {
    const entry* const e = lines_.find(line);
    if (e == nullptr) return;
    if (e->slot != none) coherence::copy_bytes(slots_[e->slot].bytes.data(), data, mask);
    if (e->work == none) return;
    coherence::copy_bytes(work_[e->work].held.data(), data, mask);
    work_.each_waiting(e->work, [&](message& m) { coherence::debug_write(m, line, data, mask); });
}

l3_record l3_cache::save(line_t line) const {
    l3_record r;
    r.line = line;
    const entry* const e = lines_.find(line);
    if (e == nullptr) return r;
    r.state = e->state;
    r.holders = e->holders;
    r.owner = e->owner;
    if (e->slot != none) {
        const slot& s = slots_[e->slot];
        r.placed = true;
        r.present = s.present;
        r.current = s.current;
        r.dirty = s.dirty;
        r.rmid = s.rmid;
        r.data = s.bytes;
    }
    if (e->work != none) work_.save(e->work, r.transaction, r.queue);
    return r;
}

void l3_cache::restore(const l3_record& r) {
    if (entry* const e = lines_.find(r.line)) {
        if (e->work != none) work_.drop(e->work);
        if (e->slot != none) {
            slot& s = slots_[e->slot];
            if (s.present) set_present(s, false);
            array_.remove(array_.at(e->slot));
        }
        lines_.erase(r.line);
    }
    if (r.state == l3_state::np) return;
    lines_[r.line] = {};
    if (r.placed) {
        find_way(r.line);  // a free one
        slot& s = slots_[lines_[r.line].slot];
        s.current = r.current;
        s.dirty = r.dirty;
        s.rmid = r.rmid;
        s.bytes = r.data;
        if (r.present) set_present(s, true);
    }
    entry& e = lines_[r.line];
    e.state = r.state;
    e.holders = r.holders;
    e.owner = r.owner;
    if (!coherence::is_stable(r.state)) e.work = work_.restore(r.transaction, r.queue);
}

void l3_cache::clear() {
    array_ = set_array<way>(p_.slice);
    for (slot& s : slots_) s = {};
    lines_.clear();
    work_.clear();
    parked_.clear();
    unsettled_.clear();
    uses_ = 0;
    for (l3_usage& u : usage_) u.lines = 0;
    others_.lines = 0;
    present_ = 0;
}

void l3_cache::reset_usage() {
    usage_.assign(usage_.size(), {});
    others_ = {};
}

void l3_cache::serialize(base::archive& a) {
    const auto traffic = [&a](l3_usage& u) { a(u.fetched, u.written, u.seen); };
    for (l3_usage& u : usage_) traffic(u);
    traffic(others_);
}

}  // namespace knc::cache
