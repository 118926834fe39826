#include "tile.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace knc::test {

using coherence::line_bytes;

namespace {

constexpr const char* names[] = {"load",           "store",    "add",    "fence", "code",
                                 "prefetch",       "evict_l1", "evict",  "flush", "uncached load",
                                 "uncached store", "combine",  "stream", "masked"};

}  // namespace

tile::tile(std::uint8_t number, const cache::parameters& p, const coherence::address_hash& hash,
           truth& t, std::uint64_t seed, std::uint64_t accesses, outside o)
    : number_(number),
      truth_(t),
      out_(std::move(o)),
      caches_(number, p, hash, ledger_, *this, *this) {
    for (unsigned n = 0; n < threads; ++n) {
        threads_[n].random = seed * 1'000'003 + number * threads + n;
        threads_[n].left = accesses;
        threads_[n].at = below(threads_[n], 50);
    }
}

// splitmix64: its numbers are the thread's own, whatever the others do.
std::uint64_t tile::random(thread& t) {
    std::uint64_t z = t.random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

access tile::choose(unsigned index) {
    thread& t = threads_[index];
    access a;
    const unsigned dice = below(t, 1000);
    a.kind = dice < 360   ? access::load
             : dice < 650 ? access::store
             : dice < 740 ? access::add
             : dice < 750 ? access::fence
             : dice < 800 ? access::code
             : dice < 850 ? access::prefetch
             : dice < 870 ? access::evict_l1
             : dice < 905 ? access::evict
             : dice < 906 ? access::flush
             : dice < 927 ? access::uncached_load
             : dice < 948 ? access::uncached_store
             : dice < 969 ? access::combine
             : dice < 989 ? access::stream
                          : access::masked;
    // In the end nothing is left under way.
    if (t.left == 1) a.kind = access::fence;
    // Half of the accesses go to a few lines that everybody wants.
    const unsigned line = below(t, below(t, 2) != 0 ? std::min(truth_.used(), 3u) : truth_.used());
    const bool device = a.kind == access::uncached_load || a.kind == access::uncached_store;
    a.size = 1 + below(t, device ? 8 : 16);
    unsigned offset = below(t, line_bytes);
    if (a.kind == access::stream || a.kind == access::masked) a.size = line_bytes;
    // Vectors are aligned; an instruction that also reads has none of them as its destination.
    const bool scalar = a.kind == access::code || a.kind == access::add;
    const bool vector = a.size == line_bytes || (!scalar && below(t, 4) == 0);
    if (vector && a.size != line_bytes) a.size = 16u << below(t, 3);
    if (vector) offset &= ~(a.size - 1);
    // A write of no bytes takes the line from all caches.
    if (a.kind == access::uncached_store && below(t, 4) == 0) a.size = 0;
    const bool may_cross = !device && !vector && a.kind != access::code && line + 1 < truth_.used();
    if (!may_cross) offset = std::min(offset, static_cast<unsigned>(line_bytes) - a.size);
    a.paddr = (truth::first_line + line) * line_bytes + offset;
    // The two low bits say which thread of the tile stored.
    for (std::uint8_t& byte : a.data) byte = static_cast<std::uint8_t>(random(t) << 2 | index);
    a.ordered = below(t, 2) != 0;
    a.keep_place = below(t, 2) != 0;
    // Lanes of one byte or of four.
    a.bytes = random(t);
    if (below(t, 2) != 0)
        for (unsigned n = 0; n < line_bytes; ++n)
            if (n % 4 != 0)
                a.bytes = (a.bytes & ~(byte_mask{1} << n)) | (a.bytes >> (n & ~3u) & 1) << n;
    a.hint.to_l1 = below(t, 2) != 0;
    a.hint.exclusive = below(t, 2) != 0;
    a.hint.non_temporal = below(t, 4) == 0;
    a.hint.counted = !a.hint.non_temporal;
    a.cacheable = below(t, 8) != 0;
    return a;
}

base::cycle_t tile::next_activity() const {
    base::cycle_t next = l1d_.next_event();
    for (const thread& t : threads_) next = std::min(next, t.at);
    return next == base::never ? next : std::max(now_, next);
}

void tile::run(base::cycle_t end) {
    for (base::cycle_t next = next_activity(); next < end; next = next_activity()) {
        now_ = next;
        if (l1d_.next_event() <= now_) l1d_.process_due_events(now_);
        for (unsigned n = 0; n < threads; ++n)
            if (threads_[n].at <= now_) attempt(n);
        ++now_;
    }
    now_ = std::max(now_, end);
}

void tile::attempt(unsigned index) {
    thread& t = threads_[index];
    if (!t.active) {
        if (t.left == 0) {
            t.at = base::never;
            return;
        }
        t.now = choose(index);
        t.active = true;
        t.since = now_;
    }
    t.at = base::never;
    if (!perform(index)) return;
    if (std::exchange(t.told, false)) l1d_.completed(index, now_);
    note(now_ << 8 | index << 4 | t.now.kind);
    ++done_[t.now.kind];
    t.active = false;
    --t.left;
    // Mostly at once, now and then after a while.
    t.at = now_ + 1 + (below(t, 16) == 0 ? below(t, 500) : below(t, 4));
}

// Whether the access has been made; if not, the thread waits.
bool tile::perform(unsigned index) {
    thread& t = threads_[index];
    const line_t line = t.now.paddr / line_bytes;
    switch (t.now.kind) {
        case access::load:
        case access::store:
        case access::add:
            return cached(index);
        case access::fence:
            return fence(index);
        case access::code:
            return fetch_code(index);
        case access::prefetch:
            prefetch(index);
            return true;
        case access::evict_l1:
            l1d_.evict_from_l1(line, now_);
            return true;
        case access::evict:
            l1d_.evict(line, now_);
            return true;
        case access::flush:
            return l1d_.flush(index, now_) || wait(t, cache::outcome::wait());
        case access::combine:
            return combine(index);
        case access::stream:
            return stream(index);
        case access::masked:
            return masked(index);
        default:
            return uncached(index);
    }
}

// What is there now, and what the thread has stored since. It sees its own streaming
// stores at once, also those that have no order for others.
void tile::expected(const thread& t, std::uint64_t paddr, unsigned size, std::uint8_t* data) const {
    truth_.look(paddr, size, data);
    const auto streamed = t.unordered.find(paddr / line_bytes);
    if (streamed != t.unordered.end())
        std::memcpy(data, streamed->second.data() + paddr % line_bytes, size);
    for (const buffered& b : t.stores)
        for (unsigned n = 0; n < b.size; ++n)
            if (b.paddr + n >= paddr && b.paddr + n < paddr + size)
                data[b.paddr + n - paddr] = b.data[n];
}

void tile::compare(unsigned index, std::uint64_t paddr, unsigned size, const std::uint8_t* found) {
    std::array<std::uint8_t, line_bytes> right{};
    expected(threads_[index], paddr, size, right.data());
    for (unsigned n = 0; n < size; ++n) note(found[n]);
    if (std::memcmp(right.data(), found, size) != 0)
        fail(index, fmt::format("finds {:02x} at {:#x}, should be {:02x}",
                                fmt::join(found, found + size, " "), paddr,
                                fmt::join(right.data(), right.data() + size, " ")));
}

// As the core does: the clock of the use, behind the line's bytes.
void tile::touch(std::uint8_t* line) const {
    std::memcpy(line + line_bytes, &now_, sizeof(now_));
}

void tile::fail(unsigned index, const std::string& text) const {
    const thread& t = threads_[index];
    out_.fail(fmt::format("tile {} thread {} clock {}: {} of {} bytes at {:#x}: {}", number_, index,
                          now_, names[t.now.kind], t.now.size, t.now.paddr, text));
}

bool tile::finished() const {
    return std::all_of(threads_.begin(), threads_.end(), [](const thread& t) {
        return t.left == 0 && !t.active && t.stores.empty() && t.unordered.empty();
    });
}

void tile::flush(base::cycle_t now) {
    thread& t = threads_[0];
    t.now = {};
    t.now.kind = access::flush;
    t.now.paddr = truth::first_line * line_bytes;
    t.left = 1;
    t.active = true;
    t.since = t.at = now_ = now;
}

base::cycle_t tile::oldest() const {
    base::cycle_t oldest = base::never;
    for (const thread& t : threads_)
        if (t.active) oldest = std::min(oldest, t.since);
    return oldest;
}

std::string tile::describe() const {
    std::string text;
    for (unsigned n = 0; n < threads; ++n) {
        const thread& t = threads_[n];
        if (t.active || !t.stores.empty())
            text += fmt::format(
                "tile {} thread {}: {} of {} bytes at {:#x} since {}, {} stores before it{}; ",
                number_, n, t.active ? names[t.now.kind] : "nothing", t.now.size, t.now.paddr,
                t.since, t.stores.size(), t.waits ? ", to be woken" : "");
    }
    return text;
}

void tile::data_not_writable(line_t line, const std::uint8_t* host, unsigned granted) {
    for (unsigned n = 0; n < threads; ++n) {
        const auto p = threads_[n].places.find(line);
        if (p == threads_[n].places.end() || p->second.write != host) continue;
        if ((granted >> n & 1) == 0) fail(n, "its grant is not known");
        p->second.write = nullptr;
    }
}

void tile::data_lost(line_t line, const std::uint8_t* host, unsigned granted) {
    for (unsigned n = 0; n < threads; ++n) {
        const auto p = threads_[n].places.find(line);
        if (p == threads_[n].places.end() || (p->second.read != host && p->second.write != host))
            continue;
        if ((granted >> n & 1) == 0) fail(n, "its grant is not known");
        threads_[n].places.erase(p);
    }
}

void tile::wake(unsigned index, base::cycle_t clock) {
    thread& t = threads_[index];
    if (!std::exchange(t.waits, false)) return;
    t.at = clock;
}

void tile::stores_performed(unsigned index) {
    if (!threads_[index].stores.empty()) fail(index, "not all of its stores are performed");
}

void tile::stored(std::uint64_t paddr, unsigned size) {
    const line_t line = paddr / line_bytes;
    coherence::debug_view view(line);
    caches_.view(view);
    const line_data found = view.value();
    const std::uint8_t* at = found.data() + paddr % line_bytes;
    const unsigned index = *at & 3;
    thread& t = threads_[index];
    const auto store = t.unordered.find(line);
    if (size == line_bytes && store != t.unordered.end() && store->second == found) {
        truth_.store(paddr, size, at);
        t.unordered.erase(store);
        note(now_ << 8 | index);
        decoded_.erase(line);
        return;
    }
    if (t.stores.empty() || t.stores.front().paddr != paddr || t.stores.front().size != size ||
        std::memcmp(t.stores.front().data.data(), at, size) != 0)
        return fail(index, fmt::format("a store to {:#x} is performed out of order", paddr));
    truth_.store(paddr, size, at);
    t.stores.pop_front();
    note(now_ << 8 | index);
    decoded_.erase(line);
}

void tile::uncached_done(unsigned index, std::uint32_t ticket, const cache::uncached_data& data,
                         base::cycle_t clock) {
    thread& t = threads_[index];
    if (ticket != t.under_way) return fail(index, "an answer to another access");
    const std::string wrong = truth_.end(ticket, data.data());
    if (!wrong.empty()) fail(index, wrong);
    if (t.now.kind == access::uncached_load)
        for (unsigned n = 0; n < t.now.size; ++n) note(data[n]);
    t.answered = true;
    t.at = clock;
}

}  // namespace knc::test
