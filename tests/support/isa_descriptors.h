// Entries of descriptor tables, built from their fields.
#ifndef KNC_TESTS_SUPPORT_ISA_DESCRIPTORS_H
#define KNC_TESTS_SUPPORT_ISA_DESCRIPTORS_H

#include <cstdint>

#include <knc/isa/segmentation.h>

namespace knc::isa::test {

// `access`: bits 47:40, present, DPL, S and type; `flags`: G = 8, D/B = 4, L = 2, AVL = 1.
inline std::uint64_t descriptor_of(std::uint32_t base, std::uint32_t limit, unsigned access,
                                   unsigned flags) {
    return (std::uint64_t{limit} & 0xffff) | (std::uint64_t{base} & 0xff'ffff) << 16 |
           std::uint64_t{access} << 40 | (std::uint64_t{limit} >> 16 & 15) << 48 |
           std::uint64_t{flags} << 52 | (std::uint64_t{base} >> 24) << 56;
}

// A gate that is present; of one of long mode the low eight bytes.
inline std::uint64_t gate_of(unsigned type, unsigned dpl, std::uint16_t selector,
                             std::uint64_t offset, unsigned ist = 0) {
    return (offset & 0xffff) | std::uint64_t{selector} << 16 | std::uint64_t{ist} << 32 |
           std::uint64_t{0x80 | dpl << 5 | type} << 40 | (offset >> 16 & 0xffff) << 48;
}

// A segment register after a load of `selector`, whose descriptor is `low`: the load sets the
// accessed bit.
inline segment loaded_segment(std::uint64_t low, std::uint16_t selector) {
    descriptor d;
    d.low = low | std::uint64_t{1} << 40;
    return d.as_segment(selector);
}

}  // namespace knc::isa::test

#endif
