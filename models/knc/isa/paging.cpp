#include <knc/isa/paging.h>

#include <cstring>

#include <knc/base/bits.h>

namespace knc::isa {
namespace {

using base::bit;
using base::mask;

constexpr std::uint64_t present = bit(0), writable = bit(1), user = bit(2), write_through = bit(3),
                        cache_disable = bit(4), accessed = bit(5), dirty = bit(6),
                        page_size = bit(7), page_pat = bit(7), global = bit(8),
                        large_page_pat = bit(12), hint_64k = bit(51), execute_disable = bit(63);
constexpr std::uint64_t frame_mask = mask(physical_address_bits) & ~mask(12);

struct format {
    unsigned entry_bytes;
    unsigned index_bits;
    unsigned top_shift;  // lowest linear address bit that indexes the first table
};
constexpr format legacy{4, 10, 22}, pae{8, 9, 21}, four_level{8, 9, 39};

const format& format_of(const state& s) {
    if (s.long_mode()) return four_level;
    return (s.cr4 & cr4_pae) != 0 ? pae : legacy;
}

// An address that is not RAM reads as all ones. False: blocked.
bool read_entry(environment& env, std::uint64_t paddr, unsigned bytes, walk_for why,
                std::uint64_t& value) {
    value = mask(8 * bytes);
    if (why == walk_for::debugging) {
        env.peek(paddr, bytes, &value);
        return true;
    }
    std::uint8_t* line = nullptr;
    if (env.line(paddr, access_kind::walk, line) != status::ok) return false;
    if (line == nullptr) return true;
    value = 0;
    std::memcpy(&value, line + (paddr & mask(6)), bytes);
    return true;
}

bool is_leaf(const state& s, std::uint64_t entry, unsigned shift) {
    if (shift == 12) return true;
    const bool large = shift == 21 || (shift == 22 && (s.cr4 & cr4_pse) != 0);
    return large && (entry & page_size) != 0;
}

std::uint64_t reserved_bits(const state& s, unsigned shift, bool leaf) {
    if (shift == 22) return leaf ? mask(22) & ~mask(13) : 0;
    if (!s.long_mode() && (s.cr4 & cr4_pae) == 0) return 0;
    std::uint64_t r = mask(52) & ~mask(physical_address_bits);
    if (!s.long_mode()) r |= mask(63) & ~mask(52);
    if ((s.efer & efer_nxe) == 0) r |= execute_disable;
    if (shift == 12) r &= ~hint_64k;
    if (shift >= 30) r |= page_size;
    if (shift == 21 && leaf) r |= mask(21) & ~mask(13);
    return r;
}

std::uint8_t pat_entry(std::uint64_t leaf, unsigned shift) {
    const std::uint64_t pat = shift == 12 ? page_pat : large_page_pat;
    return static_cast<std::uint8_t>(((leaf & write_through) != 0 ? 1u : 0u) |
                                     ((leaf & cache_disable) != 0 ? 2u : 0u) |
                                     ((leaf & pat) != 0 ? 4u : 0u));
}

// Continues the walk at the table `next`; the bits of `la` from `shift` on select its entries.
page_walk descend(const state& s, environment& env, std::uint64_t la, held_translation next,
                  unsigned shift, walk_for why) {
    const format& f = format_of(s);
    page_walk w;
    for (;; shift -= f.index_bits) {
        if (shift == 12) w.table = next;
        const std::uint64_t at = next.paddr + (la >> shift & mask(f.index_bits)) * f.entry_bytes;
        std::uint64_t e = 0;
        if (!read_entry(env, at, f.entry_bytes, why, e)) {
            w.result = page_walk::outcome::blocked;
            return w;
        }
        if ((e & present) == 0) return w;
        const bool leaf = is_leaf(s, e, shift);
        if ((e & reserved_bits(s, shift, leaf)) != 0) {
            w.result = page_walk::outcome::reserved_bit;
            return w;
        }
        w.entries[w.levels++] = {at, static_cast<std::uint8_t>(e)};
        next.writable = next.writable && (e & writable) != 0;
        next.user = next.user && (e & user) != 0;
        next.executable = next.executable && (e & execute_disable) == 0;
        next.paddr = e & frame_mask;
        if (!leaf) continue;
        w.page = next;
        w.page.page_bytes = bit(shift == 12 && (e & hint_64k) != 0 && &f != &legacy ? 16 : shift);
        const std::uint64_t paddr = (next.paddr & ~mask(shift)) | (la & mask(shift));
        w.page.paddr = paddr - (la & (w.page.page_bytes - 1));
        w.page.pat_entry = pat_entry(e, shift);
        w.page.global = (e & global) != 0 && (s.cr4 & cr4_pge) != 0;
        w.page.dirty = (e & dirty) != 0;
        w.result = page_walk::outcome::mapped;
        return w;
    }
}

bool set_bits(environment& env, const page_walk::entry& e, std::uint64_t bits) {
    const auto low = static_cast<std::uint8_t>(bits);
    if ((e.flags & low) == low) return true;
    std::uint8_t* line = nullptr;
    if (env.line(e.paddr, access_kind::walk_update, line) != status::ok) return false;
    line[e.paddr & mask(6)] |= low;
    if (env.holds_code(e.paddr)) env.code_written(e.paddr, 1);
    return true;
}

}  // namespace

page_walk walk_page_tables(const state& s, environment& env, std::uint64_t la, walk_for why) {
    const format& f = format_of(s);
    held_translation root;
    root.paddr = s.cr3 & frame_mask;
    if (&f == &pae) {
        const std::uint64_t pointer = s.pdpte[la >> 30 & 3];
        if ((pointer & present) == 0) return {};
        root.paddr = pointer & frame_mask;
    }
    return descend(s, env, la, root, f.top_shift, why);
}

page_walk continue_walk(const state& s, environment& env, std::uint64_t la,
                        const held_translation& from) {
    if (!from.is_page()) return descend(s, env, la, from, 12, walk_for::access);
    page_walk w;
    w.result = page_walk::outcome::mapped;
    w.page = from;
    return w;
}

bool set_accessed(page_walk& w, environment& env, bool write) {
    for (unsigned n = 0; n < w.levels; ++n) {
        const bool leaf = n + 1 == w.levels;
        if (!set_bits(env, w.entries[n], write && leaf ? accessed | dirty : accessed)) return false;
    }
    w.page.dirty = w.page.dirty || write;
    return true;
}

status load_page_directory_pointers(state& s, environment& env, std::uint64_t cr3) {
    constexpr std::uint64_t reserved =
        ~mask(physical_address_bits) | (mask(9) & ~mask(5)) | writable | user;
    std::array<std::uint64_t, 4> loaded{};
    for (unsigned n = 0; n < 4; ++n) {
        if (!read_entry(env, (cr3 & 0xffff'ffe0u) + n * 8, 8, walk_for::access, loaded[n]))
            return status::blocked;
        if ((loaded[n] & present) != 0 && (loaded[n] & reserved) != 0) return status::fault;
    }
    s.pdpte = loaded;
    return status::ok;
}

}  // namespace knc::isa
