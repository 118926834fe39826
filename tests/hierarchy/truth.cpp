#include "truth.h"

#include <algorithm>
#include <cstring>
#include <random>

#include <fmt/format.h>

namespace knc::test {

using coherence::copy_bytes;
using coherence::line_bytes;

namespace {

constexpr unsigned page_lines = 64;

byte_mask mask_of(unsigned offset, unsigned size) {
    return size == 0 ? 0 : coherence::all_bytes >> (line_bytes - size) << offset;
}

}  // namespace

truth::truth(unsigned lines, std::uint64_t seed)
    : used_(lines), lines_((lines + page_lines - 1) / page_lines * page_lines) {
    std::mt19937_64 random(seed);
    for (record& r : lines_) {
        for (std::uint8_t& byte : r.image) byte = static_cast<std::uint8_t>(random());
        r.memory = r.image;
    }
}

void truth::look(std::uint64_t paddr, unsigned size, std::uint8_t* data) const {
    std::memcpy(data, line(paddr / line_bytes).data() + paddr % line_bytes, size);
}

void truth::store(std::uint64_t paddr, unsigned size, const std::uint8_t* data) {
    record& r = lines_[paddr / line_bytes - first_line];
    std::memcpy(r.image.data() + paddr % line_bytes, data, size);
    changed(r);
}

void truth::store_masked(line_t l, byte_mask mask, const line_data& data) {
    record& r = lines_[l - first_line];
    copy_bytes(r.image.data(), data.data(), mask);
    changed(r);
}

void truth::changed(record& r) {
    const bool observed = std::any_of(r.under_way.begin(), r.under_way.end(),
                                      [](const access& a) { return !a.write; });
    if (observed) r.versions.push_back(r.image);
}

std::uint32_t truth::begin(bool write, std::uint64_t paddr, unsigned size,
                           const std::uint8_t* data) {
    record& r = lines_[paddr / line_bytes - first_line];
    const auto offset = static_cast<unsigned>(paddr % line_bytes);
    access a{};
    a.number = ++accesses_;
    a.write = write;
    a.mask = mask_of(offset, size);
    std::memcpy(a.data.data() + offset, data, size);
    a.seen = r.versions.size();
    if (!write) r.versions.push_back(r.image);
    r.under_way.push_back(a);
    return a.number;
}

std::string truth::end(std::uint32_t number, const std::uint8_t* data) {
    for (record& r : lines_) {
        const auto a = std::find_if(r.under_way.begin(), r.under_way.end(),
                                    [=](const access& x) { return x.number == number; });
        if (a == r.under_way.end()) continue;
        const access ended = *a;
        r.under_way.erase(a);
        const bool observed = std::any_of(r.under_way.begin(), r.under_way.end(),
                                          [](const access& x) { return !x.write; });
        const std::vector<line_data> versions = r.versions;
        if (!observed) r.versions.clear();
        if (ended.write)
            return ended.performed || ended.perhaps
                       ? ""
                       : "an uncached write ends before it reaches memory";
        const auto offset = static_cast<unsigned>(__builtin_ctzll(ended.mask));
        const auto size = static_cast<unsigned>(__builtin_popcountll(ended.mask));
        const bool was = std::any_of(
            versions.begin() + static_cast<std::ptrdiff_t>(ended.seen), versions.end(),
            [=](const line_data& v) { return std::memcmp(v.data() + offset, data, size) == 0; });
        return was ? "" : "an uncached read returns what was never there meanwhile";
    }
    return "an uncached access ends that nobody made";
}

void truth::combine(unsigned key, std::uint64_t paddr, unsigned size, const std::uint8_t* data) {
    const auto offset = static_cast<unsigned>(paddr % line_bytes);
    combined c{key, false, false, mask_of(offset, size), {}};
    std::memcpy(c.data.data() + offset, data, size);
    lines_[paddr / line_bytes - first_line].waiting.push_back(c);
}

bool truth::all_combined(unsigned key) {
    bool all = true;
    for (record& r : lines_) {
        auto& w = r.waiting;
        const auto mine = [=](const combined& c) { return c.key == key; };
        all &= std::none_of(w.begin(), w.end(), [&](const combined& c) {
            return mine(c) && !c.performed && !c.perhaps;
        });
        w.erase(std::remove_if(w.begin(), w.end(), mine), w.end());
    }
    return all;
}

// Whether the line becomes `now` by a write of `mask` that is some of one thread's stores, in
// order, from the first on that has not been written. Where it might be those of several threads,
// or no store at all, they may have been written, or not.
bool truth::combination(record& r, const line_data& now, byte_mask mask, bool otherwise) {
    auto& w = r.waiting;
    // Stores that make up such a write: the last of them, and those behind it that change nothing.
    struct match {
        std::size_t last, end;
    };
    std::vector<match> matches;
    for (std::size_t first = 0; first < w.size(); ++first) {
        const auto before = w.begin() + static_cast<std::ptrdiff_t>(first);
        if (w[first].performed || std::any_of(w.begin(), before, [&](const combined& c) {
                return c.key == w[first].key && !c.performed && !c.perhaps;
            }))
            continue;
        line_data with = r.image;
        bool matched = false;
        for (std::size_t n = first; n < w.size(); ++n) {
            if (w[n].key != w[first].key || w[n].performed) continue;
            if ((w[n].mask & ~mask) != 0) break;
            copy_bytes(with.data(), w[n].data.data(), w[n].mask);
            if (with != now) continue;
            if (!matched) matches.push_back({n, n});
            matches.back().end = n;
            matched = true;
        }
    }
    const bool certain = !otherwise && std::all_of(matches.begin(), matches.end(), [&](match m) {
        return w[m.last].key == w[matches[0].last].key;
    });
    for (const match& m : matches)
        for (std::size_t n = 0; n <= m.end; ++n) {
            if (w[n].key != w[m.end].key) continue;
            (certain && n <= m.last ? w[n].performed : w[n].perhaps) = true;
        }
    return !matches.empty();
}

bool truth::uncached(line_t l) const {
    const record& r = lines_[l - first_line];
    if (std::any_of(r.waiting.begin(), r.waiting.end(),
                    [](const combined& c) { return !c.performed; }))
        return true;
    return !r.under_way.empty();
}

// Either an eviction, which brings what is known already, or an uncached write.
void truth::write(line_t l, const line_data& d, byte_mask mask) {
    record& r = lines_[l - first_line];
    copy_bytes(r.memory.data(), d.data(), mask);
    line_data now = r.image;
    copy_bytes(now.data(), d.data(), mask);
    // What changes nothing may be an eviction, or any write of what is there already.
    const bool silent = now == r.image;
    bool explained = silent;
    for (access& a : r.under_way) {
        if (!a.write || a.performed || (a.mask & ~mask) != 0) continue;
        line_data with = r.image;
        copy_bytes(with.data(), a.data.data(), a.mask);
        if (with != now) continue;
        explained = true;
        (silent ? a.perhaps : a.performed) = true;
        if (!silent) break;
    }
    explained |= combination(r, now, mask, silent || explained);
    if (!explained && error_.empty())
        error_ = fmt::format("memory gets what nobody has written to line {:#x}", l);
    r.image = now;
    changed(r);
}

void truth::debug_write(line_t l, const line_data& d, byte_mask mask) {
    record& r = lines_[l - first_line];
    copy_bytes(r.image.data(), d.data(), mask);
    changed(r);
}

}  // namespace knc::test
