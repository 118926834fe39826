// The accesses themselves: what a core would do with what the caches answer.
#include <algorithm>
#include <cstring>
#include <utility>

#include "tile.h"

namespace knc::test {

using coherence::line_bytes;

bool tile::wait(thread& t, const cache::outcome& o) {
    t.told = true;
    t.at = o.retry_at();
    t.waits = o.what() == cache::outcome::kind::wait;
    return false;
}

unsigned tile::cut(const access& a, std::array<piece, 2>& pieces) const {
    const auto first = std::min(a.size, static_cast<unsigned>(line_bytes - a.paddr % line_bytes));
    pieces[0] = {a.paddr, 0, first};
    if (first == a.size) return 1;
    pieces[1] = {a.paddr + first, first, a.size - first};
    return 2;
}

bool tile::cached(unsigned index) {
    thread& t = threads_[index];
    const access& a = t.now;
    const bool write = a.kind != access::load;
    std::array<piece, 2> pieces{};
    const unsigned count = cut(a, pieces);
    unsigned waiting = 0;
    for (unsigned n = 0; n < count; ++n) {
        piece& p = pieces[n];
        const line_t line = p.paddr / line_bytes;
        const auto kept = t.places.find(line);
        if (t.stores.empty() && kept != t.places.end()) {
            p.line = write ? kept->second.write : kept->second.read;
            if (p.line != nullptr) {
                touch(p.line);
                continue;
            }
        }
        const cache::outcome o =
            a.kind == access::store ? l1d_.line_for_store(index, line, waiting, now_)
            : write                 ? l1d_.line_for_update(index, line, cache::charge::load, now_)
                                    : l1d_.line_for_load(index, line, cache::charge::load, now_);
        p.line = o.line();
        p.waits = o.is_taken();
        if (p.line == nullptr && !p.waits) return wait(t, o);
        waiting += p.waits;
    }
    for (unsigned n = 0; n < count; ++n) {
        const piece& p = pieces[n];
        if (p.line == nullptr) continue;
        const line_t line = p.paddr / line_bytes;
        std::uint8_t* at = p.line + p.paddr % line_bytes;
        if (write && !t.stores.empty()) fail(index, "a store overtakes another");
        line_data value{};
        if (a.kind != access::store) {
            std::memcpy(value.data(), at, p.size);
            if (!t.stores.empty()) l1d_.forward_stores(index, p.paddr, p.size, value.data());
            compare(index, p.paddr, p.size, value.data());
        }
        if (write) {
            if (a.kind == access::store)
                std::memcpy(value.data(), a.data.data() + p.offset, p.size);
            else
                for (unsigned i = 0; i < p.size; ++i) ++value[i];
            std::memcpy(at, value.data(), p.size);
            truth_.store(p.paddr, p.size, value.data());
            decoded_.erase(line);
        }
        if (a.keep_place && t.stores.empty()) {
            place& kept = t.places[line];
            kept.read = p.line;
            if (write) kept.write = p.line;
        }
    }
    for (unsigned n = 0; n < count; ++n) {
        const piece& p = pieces[n];
        if (!p.waits) continue;
        buffered b{p.paddr, p.size, {}};
        std::memcpy(b.data.data(), a.data.data() + p.offset, p.size);
        t.stores.push_back(b);
        t.told = true;
        l1d_.buffer_store(index, p.paddr, p.size, b.data.data(), now_);
    }
    return true;
}

bool tile::fetch_code(unsigned index) {
    thread& t = threads_[index];
    const line_t line = t.now.paddr / line_bytes;
    if (!t.now.keep_place || !l1i_.use_code(index, line, now_)) {
        const cache::outcome o = l1i_.line_for_fetch(index, line, true, now_);
        if (!o.is_hit()) return wait(t, o);
        if (l1i_.code_at_hand(line, now_) != o.line()) fail(index, "code that is not at hand");
    }
    compare(index, line * line_bytes, line_bytes, l1i_.code_at_hand(line, now_));
    if (t.now.keep_place) decoded_.insert(line);
    return true;
}

bool tile::uncached(unsigned index) {
    thread& t = threads_[index];
    const access& a = t.now;
    if (std::exchange(t.answered, false)) return true;
    if (!fence(index)) return false;
    const bool write = a.kind == access::uncached_store;
    t.under_way = truth_.begin(write, a.paddr, a.size, a.data.data());
    l1d_.uncached(index, t.under_way, write, a.paddr, a.size, a.data.data(), now_);
    return false;
}

// Everything the thread has written is there for all.
bool tile::fence(unsigned index) {
    thread& t = threads_[index];
    if (!l1d_.drained(index) || !l1d_.fenced(index, now_)) return wait(t, cache::outcome::wait());
    if (!t.stores.empty() || !t.unordered.empty()) fail(index, "drained with stores left");
    if (!truth_.all_combined(key(index))) fail(index, "combined stores have not reached memory");
    return true;
}

bool tile::combine(unsigned index) {
    thread& t = threads_[index];
    const access& a = t.now;
    std::array<piece, 2> pieces{};
    const unsigned count = cut(a, pieces);
    for (unsigned n = 0; n < count; ++n)
        if (!l1d_.room_to_combine(index, pieces[n].paddr / line_bytes, n, now_))
            return wait(t, cache::outcome::wait());
    for (unsigned n = 0; n < count; ++n) {
        const piece& p = pieces[n];
        truth_.combine(key(index), p.paddr, p.size, a.data.data() + p.offset);
        l1d_.combine_store(index, p.paddr, p.size, a.data.data() + p.offset, now_);
    }
    return true;
}

// As a store buffer has no room for bytes that are not neighbours, the line is needed.
bool tile::masked(unsigned index) {
    thread& t = threads_[index];
    const access& a = t.now;
    const line_t line = a.paddr / line_bytes;
    const auto kept = t.places.find(line);
    std::uint8_t* at = nullptr;
    if (t.stores.empty() && kept != t.places.end()) at = kept->second.write;
    if (at != nullptr) {
        touch(at);
    } else {
        const cache::outcome o = l1d_.line_for_update(index, line, cache::charge::store, now_);
        if (!o.is_hit()) return wait(t, o);
        at = o.line();
    }
    if (!t.stores.empty()) fail(index, "a store overtakes another");
    coherence::copy_bytes(at, a.data.data(), a.bytes);
    truth_.store_masked(line, a.bytes, a.data);
    decoded_.erase(line);
    if (a.keep_place) {
        place& p = t.places[line];
        p.read = p.write = at;
    }
    return true;
}

bool tile::stream(unsigned index) {
    thread& t = threads_[index];
    const access& a = t.now;
    const line_t line = a.paddr / line_bytes;
    const bool unordered = !a.ordered && t.unordered.emplace(line, a.data).second;
    const cache::outcome o = l1d_.streaming_store(index, line, a.data, a.ordered, now_);
    const bool taken = o.is_taken();
    const bool buffered_one = caches_.waiting_stores(index) > t.stores.size();
    if (unordered && (!taken || buffered_one)) t.unordered.erase(line);
    if (!taken && !o.is_hit()) return wait(t, o);
    if (o.is_hit()) {
        if (!t.stores.empty()) fail(index, "a store overtakes another");
        std::memcpy(o.line(), a.data.data(), line_bytes);
        truth_.store(a.paddr, line_bytes, a.data.data());
        decoded_.erase(line);
        return true;
    }
    t.told = true;
    if (buffered_one) t.stores.push_back({a.paddr, line_bytes, a.data});
    return true;
}

}  // namespace knc::test
