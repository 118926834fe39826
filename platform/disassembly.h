// `knc-vp disassemble`: the code of an image as text.
//
// Models: each section with instructions, as a Knights Corner core decodes it (also where the
// assembler's own tools do not know an instruction), with the symbols of the image at labels and
// behind the addresses of branches and data. Leaves out: source lines, data.
#ifndef KNC_PLATFORM_DISASSEMBLY_H
#define KNC_PLATFORM_DISASSEMBLY_H

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>

#include <knc/isa/state.h>

#include <platform/image.h>

namespace platform {

// Addresses from `low` on, below `high`.
struct code_range {
    std::uint64_t low = 0, high = std::numeric_limits<std::uint64_t>::max();
};

// "A-B" with numbers or symbols, or one symbol that has a size. Throws input_error.
code_range parse_code_range(const image&, const std::string& text);

enum class syntax { att, intel };

// The first instruction of `bytes`, which begins at `address`; length 0: none can be decoded.
struct decoded_text {
    unsigned length = 0;
    std::string text;
};
decoded_text instruction_text(knc::isa::code_mode, const std::uint8_t* bytes, std::size_t available,
                              std::uint64_t address, syntax);

// Instructions that begin in the range. A mnemonic of the vector unit has no suffix, as knc-as
// takes it.
void disassemble(const image&, const code_range&, syntax, std::ostream&);

}  // namespace platform

#endif
