// Page tables of one thread.
//
// Models: the three paging modes a Knights Corner thread has - 32-bit with 4 MB pages (CR4.PSE),
// PAE and 4-level with 2 MB pages - their reserved bits, execute-disable, and 40-bit physical
// addresses. A 64 KB page is 16 page-table entries with bit 51 set that map one aligned 64 KB
// block: bit 51 is accepted and each entry translates its own 4 KB, which is the same mapping.
// Leaves out: 1 GB pages and PSE-36 (their bits are reserved), the TLBs.
// Source: Intel SDM vol. 3, chapter 4.
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

// What the page tables say of one linear address.
struct page_walk {
    // blocked: an entry is under way.
    enum class outcome : std::uint8_t { mapped, not_present, reserved_bit, blocked };
    // One entry that was used: where it is in guest memory and in the host's.
    struct entry {
        std::uint64_t paddr;
        std::uint8_t* host;
    };

    outcome result = outcome::not_present;
    bool writable = true, user = true, executable = true;  // of all entries together
    std::uint64_t paddr = 0;
    int pat_entry = 0;             // that the leaf selects by PAT, PCD and PWT
    std::uint64_t page_bytes = 0;  // of the page that maps `la`: 4 KB, 64 KB, 2 MB or 4 MB
    bool global = false;
    unsigned levels = 0;
    std::array<entry, 4> entries{};  // the first `levels`, the leaf last
};

// Debugging reads the tables without the machine noticing; nothing is blocked then.
enum class walk_for : std::uint8_t { access, debugging };

// Walks without changing anything. Paging must be on; `la` is canonical, or below 4 GB outside long
// mode. An entry that is not in RAM reads as all ones.
page_walk walk_page_tables(const state&, environment&, std::uint64_t la,
                           walk_for = walk_for::access);

// Sets the accessed bits of the entries used and, for a write, the dirty bit of the leaf. False:
// blocked.
bool set_accessed(const page_walk&, environment&, bool dirty);

// PAE paging keeps the four page-directory pointers in the processor: loads them from `cr3`. Fault,
// with nothing changed: one of them has a reserved bit set, #GP(0).
status load_page_directory_pointers(state&, environment&, std::uint64_t cr3);

}  // namespace knc::isa

#endif
