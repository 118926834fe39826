// What the manual's pages of the integer instructions leave undefined: flags, and whole results.
// The model follows Intel's processors there (docs/isa_flags.md); other hosts differ.
#ifndef KNC_TESTS_ISA_DIFFERENTIAL_OPEN_H
#define KNC_TESTS_ISA_DIFFERENTIAL_OPEN_H

#include <cstdint>

#include <Zydis/Zydis.h>

namespace knc::isa::test {

// The undefined flags of an instruction whose first operand has `width` bits. `count`: that of a
// shift or rotation, masked as the processor masks it.
std::uint32_t undefined_flags(ZydisMnemonic, unsigned width, unsigned count);

// Whether what it writes is undefined too. BSF and BSR of 0 leave their destination alone on every
// processor known.
bool undefined_result(ZydisMnemonic, unsigned width, unsigned count);

}  // namespace knc::isa::test

#endif
