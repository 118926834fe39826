#include <knc/isa/code_map.h>

#include <new>

#include <knc/base/bits.h>

namespace knc::isa {

namespace {

// Calls code_marked() for each line of the page in `lines`.
void announce(code_map::observer& o, std::uint64_t page, std::uint64_t lines) {
    for (; lines != 0; lines &= lines - 1)
        o.code_marked(page << 12 | static_cast<unsigned>(__builtin_ctzll(lines))
                                       << base::line_bits);
}

}  // namespace

std::uint64_t code_map::line_mask(std::uint64_t paddr, unsigned size) {
    const unsigned first = line_in_page(paddr), last = line_in_page(paddr + size - 1);
    return base::mask(last - first + 1) << first;
}

code_map::lines code_map::no_lines(std::uint64_t pages) {
    lines l(static_cast<std::uint64_t*>(std::calloc(pages + 1, sizeof(std::uint64_t))));
    if (!l) throw std::bad_alloc();
    return l;
}

code_map::code_map(std::uint64_t memory_size)
    : pages_((memory_size + 0xfff) >> 12), lines_(no_lines(pages_)) {}

void code_map::reset() {
    lines_ = no_lines(pages_);
    groups_.clear();
}

void code_map::written(std::uint64_t paddr, unsigned size) {
    const std::uint64_t page = paddr >> 12;
    if (page < pages_ && (lines_[page] & line_mask(paddr, size)) != 0) drop(page, nullptr);
}

void code_map::mark(std::uint64_t page, std::uint64_t fresh, const code_view* by) {
    lines_[page] |= fresh;
    for (const code_view* v : views_)
        if (v != by) announce(*v->core_, page, fresh);
    for (observer* o : observers_) announce(*o, page, fresh);
}

void code_map::drop(std::uint64_t page, const code_view* by) {
    lines_[page] = 0;
    // A core that has written the page has done that itself, and may have begun a new one.
    if (by == nullptr) groups_.drop(page);
    for (const code_view* v : views_)
        if (v != by) v->core_->code_dropped(page);
    // What a core has changed apart from the others, they know already.
    if (by != nullptr) return;
    for (observer* o : observers_) o->code_dropped(page);
}

void code_map::publish() {
    apart_ = false;
    if (!changed_.load(std::memory_order_relaxed)) return;
    changed_.store(false, std::memory_order_relaxed);
    for (code_view* v : views_) {
        for (const code_view::change& c : v->changes_) {
            if (c.marked != 0)
                mark(c.page, c.marked & ~lines_[c.page], v);
            else if (lines_[c.page] != 0)
                drop(c.page, v);
        }
        v->changes_.clear();
    }
}

// ---- a core's view

void code_view::mark(std::uint64_t paddr, unsigned size) {
    const std::uint64_t page = paddr >> 12;
    if (page >= map_.pages_) return;
    const std::uint64_t fresh = code_map::line_mask(paddr, size) & ~lines_of(page);
    if (fresh == 0) return;
    if (!map_.apart_) {
        map_.mark(page, fresh, nullptr);
        return;
    }
    keep({page, fresh});
    announce(*core_, page, fresh);
}

void code_view::written(std::uint64_t paddr, unsigned size) {
    const std::uint64_t page = paddr >> 12;
    if (page >= map_.pages_ || (lines_of(page) & code_map::line_mask(paddr, size)) == 0) return;
    if (!map_.apart_) {
        map_.drop(page, nullptr);
        return;
    }
    keep({page, 0});
    map_.groups_.drop(page);
    core_->code_dropped(page);
    for (code_map::observer* o : map_.observers_) o->code_dropped(page);
}

std::uint64_t code_view::changed(std::uint64_t page, std::uint64_t known) const {
    for (const change& c : changes_)
        if (c.page == page) known = c.marked != 0 ? known | c.marked : 0;
    return known;
}

void code_view::keep(const change& c) {
    changes_.push_back(c);
    map_.changed_.store(true, std::memory_order_relaxed);
}

}  // namespace knc::isa
