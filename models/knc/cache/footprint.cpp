#include <knc/cache/footprint.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include <knc/base/archive.h>

namespace knc::cache {

void used_line::serialize(base::archive& a) {
    a(line, last, stored_at, loaded, stored, fetched);
}

footprint::footprint(const geometry& of_l2)
    : ways_(of_l2.ways), lines_(of_l2.bytes / coherence::line_bytes) {}

used_line* footprint::set_of(coherence::line_t line) {
    const std::size_t sets = lines_.size() / ways_;
    return &lines_[(line & (sets - 1)) * ways_];
}

void footprint::use(coherence::line_t line, line_access what, base::cycle_t now) {
    used_line *const first = set_of(line), *const end = first + ways_;
    used_line* at = std::find_if(
        first, end, [line](const used_line& l) { return !l.used() || l.line == line; });
    if (at == end) --at;
    if (!at->used() || at->line != line) {
        *at = {};
        at->line = line;
    }
    at->last = now;
    if (what == line_access::store) {
        at->stored = true;
        at->stored_at = now;
    } else {
        (what == line_access::fetch ? at->fetched : at->loaded) = true;
    }
    std::rotate(first, at, at + 1);
}

// Lines without a use stay behind those with one.
void footprint::forget(coherence::line_t line) {
    used_line *const first = set_of(line), *const end = first + ways_;
    used_line* const at =
        std::find_if(first, end, [line](const used_line& l) { return l.used() && l.line == line; });
    if (at == end) return;
    *at = {};
    std::rotate(at, at + 1, end);
}

std::vector<used_line> footprint::lines() const {
    std::vector<used_line> all;
    std::copy_if(lines_.begin(), lines_.end(), std::back_inserter(all),
                 [](const used_line& l) { return l.used(); });
    std::sort(all.begin(), all.end(), [](const used_line& a, const used_line& b) {
        return std::tie(a.last, a.line) < std::tie(b.last, b.line);
    });
    return all;
}

void footprint::clear() {
    std::fill(lines_.begin(), lines_.end(), used_line{});
}

void footprint::serialize(base::archive& a) {
    const std::size_t size = lines_.size();
    a(lines_);
    if (lines_.size() != size) throw base::archive_error("a footprint of another size");
}

void settle_ownership(const std::vector<footprint*>& of_tiles) {
    struct store {
        base::cycle_t at;
        std::size_t tile;
    };
    std::unordered_map<coherence::line_t, store> last_store;
    for (std::size_t t = 0; t < of_tiles.size(); ++t)
        of_tiles[t]->each([&](const used_line& l) {
            if (!l.stored) return;
            const auto [of, is_new] = last_store.try_emplace(l.line, store{l.stored_at, t});
            if (!is_new && l.stored_at >= of->second.at) of->second = {l.stored_at, t};
        });
    std::unordered_map<coherence::line_t, bool> shared;  // used by others since the last store
    for (std::size_t t = 0; t < of_tiles.size(); ++t)
        of_tiles[t]->each([&](used_line& l) {
            const auto of = last_store.find(l.line);
            if (of == last_store.end() || of->second.tile == t) return;
            if (l.last <= of->second.at) {
                l = {};
            } else {
                l.loaded = l.loaded || l.stored;
                l.stored = false;
                shared[l.line] = true;
            }
        });
    for (footprint* const f : of_tiles)
        f->each([&](used_line& l) {
            if (!l.stored || shared.count(l.line) == 0) return;
            l.stored = false;
            l.loaded = true;
        });
}

}  // namespace knc::cache
