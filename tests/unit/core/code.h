// Decoded instructions for the tests of the pipelines.
#ifndef KNC_TESTS_CORE_CODE_H
#define KNC_TESTS_CORE_CODE_H

#include <initializer_list>

#include <knc/isa/decoder.h>

namespace knc::core::test {

// The instruction in `bytes`; 64-bit code unless `mode` says otherwise.
inline isa::insn decode(std::initializer_list<std::uint8_t> bytes,
                        isa::code_mode mode = isa::code_mode::bits64,
                        isa::profile p = isa::profile::knc) {
    isa::insn i;
    isa::decode(p, mode, bytes.begin(), static_cast<unsigned>(bytes.size()), i);
    return i;
}

}  // namespace knc::core::test

#endif
