// The bits that an address of an instruction has.
//
// Models: truncation to the address size of 16, 32 or 64 bits. Source: Intel SDM vol. 1, 3.6.
#ifndef KNC_ISA_ADDRESS_MASK_H
#define KNC_ISA_ADDRESS_MASK_H

#include <cstdint>

#include <knc/base/bits.h>
#include <knc/isa/insn.h>

namespace knc::isa {

inline std::uint64_t address_mask(const insn& i) {
    return base::mask(8u * i.address_size);
}

}  // namespace knc::isa

#endif
