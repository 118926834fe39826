// Page tables of one thread.
//
// Models: the three paging modes a Knights Corner thread has - 32-bit with 4 MB pages (CR4.PSE),
// PAE and 4-level with 2 MB pages - their reserved bits, execute-disable, and 40-bit physical
// addresses. A 64 KB page is 16 page-table entries with bit 51 set that map one aligned 64 KB
// block. A walk reads and marks the entry of the 4 KB that the access needs; this entry says where
// the whole page is.
// Leaves out: 1 GB pages and PSE-36 (their bits are reserved); TLBs (knc/core), but not what a TLB
// may hold and how a walk continues from it. Source: Intel SDM vol. 3, chapter 4.
#ifndef KNC_ISA_PAGING_H
#define KNC_ISA_PAGING_H

#include <array>
#include <cstdint>

#include <knc/isa/environment.h>
#include <knc/isa/state.h>

namespace knc::isa {

inline constexpr unsigned physical_address_bits = 40;
inline constexpr unsigned linear_address_bits = 48;
inline constexpr std::uint64_t largest_page_bytes = 1u << 22;

constexpr bool canonical(std::uint64_t la) {
    return static_cast<std::uint64_t>(base::sign_extend(la, linear_address_bits)) == la;
}

enum page_fault_error : std::uint32_t {
    pf_present = 1u << 0,
    pf_write = 1u << 1,
    pf_user = 1u << 2,
    pf_reserved = 1u << 3,
    pf_fetch = 1u << 4
};

// The part of a walk that a TLB may hold: the page of a linear address, or the page table with its
// entry (SDM vol. 3, 4.10.2 and 4.10.3: TLB entry, PDE-cache entry).
struct held_translation {
    std::uint64_t paddr = 0;       // of its first byte
    std::uint64_t page_bytes = 0;  // 4 KB, 64 KB, 2 MB or 4 MB; 0: a page table
    bool writable = true, user = true, executable = true;  // by all entries so far together
    // Of a page only.
    bool global = false;
    bool dirty = false;          // its entry is known to have the dirty bit set
    std::uint8_t pat_entry = 0;  // selected by PAT, PCD and PWT of its entry

    bool is_page() const { return page_bytes != 0; }
    // Physical address of `la`, which lies in the page.
    std::uint64_t at(std::uint64_t la) const { return paddr + (la & (page_bytes - 1)); }
};

// Whether both lead to the same memory with the same rights and type.
inline bool same_mapping(const held_translation& a, const held_translation& b) {
    return a.paddr == b.paddr && a.page_bytes == b.page_bytes && a.writable == b.writable &&
           a.user == b.user && a.executable == b.executable && a.pat_entry == b.pat_entry;
}

// The result of a walk of the page tables for one linear address.
struct page_walk {
    // blocked: memory with an entry has not arrived yet.
    enum class outcome : std::uint8_t { mapped, not_present, reserved_bit, blocked };
    // One entry that was read: its place in guest memory, and its flags.
    struct entry {
        std::uint64_t paddr;
        std::uint8_t flags;  // bits 7:0
    };

    outcome result = outcome::not_present;
    held_translation page;   // if mapped
    held_translation table;  // if the walk reached a page table
    unsigned levels = 0;
    std::array<entry, 4> entries{};  // the first `levels` were used, the leaf last
};

// A walk for debugging has no side effect on the machine and is never blocked.
enum class walk_for : std::uint8_t { access, debugging };

// Walks without changing anything. Paging must be on; `la` is canonical, or below 4 GB outside long
// mode. An entry that is not in RAM reads as all ones.
page_walk walk_page_tables(const state&, environment&, std::uint64_t la,
                           walk_for = walk_for::access);
// The same, beginning with the result `from` of an earlier walk for an address in the same 2 MB:
// reads the entry in that page table, or nothing if `from` is a page.
page_walk continue_walk(const state&, environment&, std::uint64_t la, const held_translation& from);

// Sets the accessed bits of the entries read and, for a write, the dirty bit of the leaf, which the
// walk then knows to be set. False: blocked.
bool set_accessed(page_walk&, environment&, bool write);

// Loads the four page-directory pointers, which PAE paging keeps in the processor, from `cr3`.
// status::fault, with nothing changed: one of them has a reserved bit set, #GP(0).
status load_page_directory_pointers(state&, environment&, std::uint64_t cr3);

}  // namespace knc::isa

#endif
