// Translations: page walks with their faults, and the front that remembers the last ones.

#include <algorithm>

#include <knc/isa/context.h>
#include <knc/isa/memory_type.h>
#include <knc/isa/paging.h>

namespace knc::isa {
namespace {

bool permitted(const state& s, const page_walk& w, access_kind kind, bool user) {
    if (user && !w.user) return false;
    if (kind == access_kind::execute) return w.executable;
    const bool protects = user || (s.cr0 & cr0_wp) != 0;
    return kind == access_kind::read || w.writable || !protects;
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

constexpr std::uint8_t dirty = 1u << 6;
constexpr std::uint64_t page_mask = 0xfff;

}  // namespace

// Accessed and dirty bits are set only by an access that is allowed: one that faults changes no
// entry.
bool context::translate(std::uint64_t la, access_kind kind, bool user, translation& t) {
    if (!s.paging()) {
        t = {la & 0xffff'ffff, true, cacheable(s, la & 0xffff'ffff, -1)};
        return true;
    }
    const page_walk w = walk_page_tables(s, env, la);
    if (w.result == page_walk::outcome::blocked) {
        failure = status::blocked;
        return false;
    }
    const bool allowed = w.result == page_walk::outcome::mapped && permitted(s, w, kind, user);
    if (allowed && !set_accessed(w, env, kind == access_kind::write)) {
        failure = status::blocked;
        return false;
    }
    env.looked_up(la, kind, w, allowed);
    if (!allowed) {
        raise(vector_pf, error_code(s, w, kind, user));
        fault.address = la;
        return false;
    }
    const std::uint8_t* leaf = w.entries[w.levels - 1].host;
    t.paddr = w.paddr;
    t.cacheable = cacheable(s, w.paddr, w.pat_entry);
    t.writable =
        permitted(s, w, access_kind::write, user) && leaf != nullptr && (*leaf & dirty) != 0;
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
    paddr = w.paddr;
    return w.result == page_walk::outcome::mapped;
}

// As translate(), through the translations remembered.
bool context::translate_data(std::uint64_t la, access_kind kind, bool user, translation& t) {
    page_front& f = page_front_[page_slot(la)];
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
    for (unsigned n = 0; n < front_size; ++n) read_front_[n] = write_front_[n] = front{};
    for (page_front& f : page_front_) f = page_front{};
}

void context::flush_translation(std::uint64_t la, std::uint64_t bytes) {
    const std::uint64_t first = la & ~(bytes - 1);
    const auto inside = [=](std::uint64_t tag) { return (tag & ~(bytes - 1)) == first; };
    for (page_front& f : page_front_)
        if (inside(f.tag)) f = page_front{};
    const std::uint64_t lines = std::min<std::uint64_t>(bytes / line_bytes, front_size);
    for (std::uint64_t n = 0; n < lines; ++n) {
        const unsigned k = slot(first + n * line_bytes);
        if (inside(read_front_[k].tag)) read_front_[k] = front{};
        if (inside(write_front_[k].tag)) write_front_[k] = front{};
    }
}

// A linear address differs from its physical one in the bits above the page's.
void context::forget(front (&fronts)[front_size], std::uint64_t paddr, const std::uint8_t* line) {
    constexpr unsigned lines_of_page = (page_mask + 1) / line_bytes;
    for (unsigned n = slot(paddr & page_mask); n < front_size; n += lines_of_page)
        if (fronts[n].host == line) fronts[n] = front{};
}

void context::forget_writes_to(std::uint64_t paddr, const std::uint8_t* line) {
    forget(write_front_, paddr, line);
}

void context::forget_line(std::uint64_t paddr, const std::uint8_t* line) {
    forget(read_front_, paddr, line);
    forget(write_front_, paddr, line);
}

}  // namespace knc::isa
