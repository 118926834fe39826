// Translations: page walks with their faults, and the table that keeps the last ones.

#include <algorithm>
#include <iterator>

#include <knc/isa/context.h>
#include <knc/isa/memory_type.h>
#include <knc/isa/paging.h>

namespace knc::isa {
namespace {

bool permitted(const state& s, const held_translation& page, access_kind kind, bool user) {
    if (user && !page.user) return false;
    if (kind == access_kind::execute) return page.executable;
    const bool protects = user || (s.cr0 & cr0_wp) != 0;
    return kind == access_kind::read || page.writable || !protects;
}

bool allowed(const state& s, const page_walk& w, access_kind kind, bool user) {
    return w.result == page_walk::outcome::mapped && permitted(s, w.page, kind, user);
}

// Whether a held page is enough without a walk. The first write needs one: it sets the dirty bit.
bool will_do(const state& s, const held_translation& page, access_kind kind, bool user) {
    return permitted(s, page, kind, user) && (kind != access_kind::write || page.dirty);
}

std::uint32_t error_code(const state& s, const page_walk& w, access_kind kind, bool user) {
    std::uint32_t e = w.result == page_walk::outcome::not_present ? 0u : pf_present;
    if (w.result == page_walk::outcome::reserved_bit) e |= pf_reserved;
    if (kind == access_kind::write) e |= pf_write;
    if (user) e |= pf_user;
    const bool reports_fetch = (s.cr4 & cr4_pae) != 0 && (s.efer & efer_nxe) != 0;
    if (kind == access_kind::execute && reports_fetch) e |= pf_fetch;
    return e;
}

constexpr std::uint64_t page_bytes = 0x1000, page_mask = page_bytes - 1;

// A walk that begins with a held translation does not see changes in the tables above it. So only a
// walk from the root may refuse the access: new rights take effect without INVLPG.
page_walk walk_for_access(const state& s, environment& env, std::uint64_t la, access_kind kind,
                          bool user) {
    const held_translation* from = env.held_region(la);
    if (from != nullptr && (!from->is_page() || will_do(s, *from, kind, user))) {
        const page_walk w = continue_walk(s, env, la, *from);
        if (w.result == page_walk::outcome::blocked || allowed(s, w, kind, user)) return w;
    }
    return walk_page_tables(s, env, la);
}

translation translation_of(const state& s, const held_translation& page, std::uint64_t la,
                           bool user) {
    const std::uint64_t paddr = page.at(la);
    const memory_type type = access_type(s, paddr, page.pat_entry);
    return {paddr, will_do(s, page, access_kind::write, user), cacheable(type),
            type == memory_type::write_combining};
}

}  // namespace

// Only an access that is allowed sets accessed and dirty bits; one that faults changes no entry. A
// blocked walk has no effect and starts again.
bool context::translate(std::uint64_t la, access_kind kind, bool user, translation& t) {
    if (!s.paging()) {
        const memory_type type = access_type(s, la & 0xffff'ffff, -1);
        t = {la & 0xffff'ffff, true, cacheable(type), type == memory_type::write_combining};
        return true;
    }
    const held_translation* held = env.held_page(la, kind);
    if (held != nullptr && will_do(s, *held, kind, user)) {
        t = translation_of(s, *held, la, user);
        return true;
    }
    // A walk must see the thread's own stores.
    if ((tag_mode_ & mode_stores_wait) != 0 && env.drain_stores() != status::ok) {
        failure = status::blocked;
        return false;
    }
    page_walk w = walk_for_access(s, env, la, kind, user);
    const bool allows = allowed(s, w, kind, user);
    if (w.result == page_walk::outcome::blocked ||
        (allows && !set_accessed(w, env, kind == access_kind::write))) {
        failure = status::blocked;
        return false;
    }
    env.looked_up(la, kind, w, allows);
    if (!allows) {
        raise(vector_pf, error_code(s, w, kind, user));
        fault.address = la;
        return false;
    }
    t = translation_of(s, w.page, la, user);
    return true;
}

bool context::probe(std::uint64_t la, std::uint64_t& paddr) {
    if (!s.long_mode()) la &= 0xffff'ffff;
    if (s.long_mode() && !canonical(la)) return false;
    if (!s.paging()) {
        paddr = la;
        return true;
    }
    const page_walk w = walk_page_tables(s, env, la, walk_for::debugging);
    if (w.result != page_walk::outcome::mapped) return false;
    paddr = w.page.at(la);
    return true;
}

// As translate(), but looks first into the table of the last translations.
bool context::translate_data(std::uint64_t la, access_kind kind, bool user, translation& t) {
    cached_translation& f = translations_[page_slot(la)];
    const bool known = f.tag == page_tag(la, user) && (kind == access_kind::read || f.of.writable);
    if (!known) {
        if (!translate(la, kind, user, t)) return false;
        f = {page_tag(la, user), t};
    }
    t = f.of;
    t.paddr = (t.paddr & ~page_mask) | (la & page_mask);
    return true;
}

void context::flush_translations() {
    watched.derive(s);
    for (unsigned n = 0; n < line_slots; ++n)
        readable_lines_[n] = writable_lines_[n] = granted_line{};
    for (auto& row : region_slots_) std::fill(std::begin(row), std::end(row), 0);
    for (cached_translation& f : translations_) f = cached_translation{};
}

void context::flush_translation(std::uint64_t la, std::uint64_t bytes) {
    const std::uint64_t first = la & ~(bytes - 1);
    const std::uint64_t pages = std::min<std::uint64_t>(bytes / page_bytes, page_slots);
    for (std::uint64_t n = 0; n < pages; ++n) {
        cached_translation& f = translations_[page_slot(first + n * page_bytes)];
        if ((f.tag ^ first) < bytes) f = cached_translation{};
    }
    // A small page has the slots of one word.
    constexpr std::uint64_t region_bytes = std::uint64_t{1} << region_bits;
    const std::uint64_t words = std::min<std::uint64_t>(bytes / page_bytes, line_slots / 64);
    for (std::uint64_t at = first; at - first < bytes; at += region_bytes)
        for (std::uint64_t n = 0; n < words; ++n)
            flush_slots(region_row(at), slot(first) / 64 + static_cast<unsigned>(n), first, bytes);
}

void context::flush_slots(unsigned row, unsigned word, std::uint64_t first, std::uint64_t bytes) {
    std::uint64_t& slots = region_slots_[row][word];
    const auto other = [row](const granted_line& l) {
        return l.host == nullptr || region_row(l.tag) != row;
    };
    for (std::uint64_t left = slots; left != 0; left &= left - 1) {
        const unsigned n = 64 * word + static_cast<unsigned>(__builtin_ctzll(left));
        granted_line &r = readable_lines_[n], &w = writable_lines_[n];
        if ((r.tag ^ first) < bytes) r = granted_line{};
        if ((w.tag ^ first) < bytes) w = granted_line{};
        if (other(r) && other(w)) slots ^= left & -left;
    }
}

// A linear address differs from its physical address only in the bits above the page offset. What a
// mark stands for may have been granted to another line since.
void context::forget(std::uint64_t paddr, const std::uint8_t* line, unsigned first_mark) {
    const unsigned line_of_page = slot(paddr & page_mask);
    std::uint8_t(&marks)[2 * slots_of_line] = marks_[line_of_page];
    const std::uint8_t wanted = mark_of(line);
    for (unsigned m = first_mark; m < 2 * slots_of_line; ++m) {
        if (marks[m] != wanted) continue;
        auto& lines = m < slots_of_line ? readable_lines_ : writable_lines_;
        granted_line& l = lines[line_of_page + m % slots_of_line * lines_of_page];
        if (l.host == line) l = granted_line{};
    }
}

void context::forget_writes_to(std::uint64_t paddr, const std::uint8_t* line) {
    forget(paddr, line, slots_of_line);
}

void context::forget_line(std::uint64_t paddr, const std::uint8_t* line) {
    forget(paddr, line, 0);
}

}  // namespace knc::isa
