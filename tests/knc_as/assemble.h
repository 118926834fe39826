// Helpers of these tests: bytes of a line, text of bytes.
#ifndef KNC_TESTS_KNC_AS_ASSEMBLE_H
#define KNC_TESTS_KNC_AS_ASSEMBLE_H

#include <cstdint>
#include <string>
#include <vector>

#include <Zydis/Zydis.h>

namespace knc_as::test {

using bytes = std::vector<std::uint8_t>;

enum class language { att, intel };

// What the assembler makes of the directives that stand in place of `line`, for code at address 0.
// Empty, with a test failure, if there are none.
bytes assembled(const std::string& line, language l);

// The first message about `line`.
std::string message_about(const std::string& line);

// Decoder of Knights Corner, and its view of `b`.
struct decoded {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};
bool decode(const bytes& b, decoded& d);

// Text of the decoder's library for an instruction at address 0. Its AT&T mnemonics have a suffix
// for the size of memory, which no assembler takes; the plain mnemonic stands in their place.
std::string text_of(const decoded& d, language l);

std::string hex(const bytes& b);
bytes from_hex(const std::string& text);

}  // namespace knc_as::test

#endif
