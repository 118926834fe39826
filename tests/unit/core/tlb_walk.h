// Walks made up for tests of the TLBs.
#ifndef KNC_TESTS_CORE_TLB_WALK_H
#define KNC_TESTS_CORE_TLB_WALK_H

#include <cstdint>

#include <knc/core/tlb.h>

namespace knc::core::test {

// The page of `bytes` at `la`, mapped 4 GB higher; the page table of a region of 2 MB is at its
// number times 4 KB.
inline isa::page_walk walk_to(std::uint64_t la, std::uint64_t bytes, bool global) {
    isa::page_walk w;
    w.result = isa::page_walk::outcome::mapped;
    w.page.paddr = (la & ~(bytes - 1)) + 0x1'0000'0000;
    w.page.page_bytes = bytes;
    w.page.global = global;
    if (bytes < 0x20'0000) w.table.paddr = la / 0x20'0000 * 0x1000;
    return w;
}

inline tlb_result access_data(tlb& t, std::uint8_t thread, std::uint64_t la, std::uint64_t bytes,
                              bool global) {
    return t.access_data(thread, la, walk_to(la, bytes, global));
}
inline tlb_result access_code(tlb& t, std::uint8_t thread, std::uint64_t la, std::uint64_t bytes,
                              bool global) {
    return t.access_code(thread, la, walk_to(la, bytes, global));
}

}  // namespace knc::core::test

#endif
