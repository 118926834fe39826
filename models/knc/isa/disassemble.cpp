#include <knc/isa/decoder.h>

#include <array>

#include <knc/isa/mvex_displacement.h>
#include <knc/isa/zydis_decoder.h>

namespace knc::isa {

std::string disassemble(code_mode m, const std::uint8_t* bytes, unsigned available,
                        std::uint64_t ip) {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(zydis_decode(zydis_decoder(m), bytes, available, i, ops))) return "(bad)";
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    std::array<char, 128> text{};
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &i, ops, i.operand_count_visible,
                                                      text.data(), text.size(), ip, nullptr)))
        return "(bad)";
    return text.data();
}

}  // namespace knc::isa
