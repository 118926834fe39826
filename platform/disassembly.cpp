#include <platform/disassembly.h>

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <knc/isa/mvex_displacement.h>
#include <knc/isa/zydis_decoder.h>

#include <platform/input_error.h>

namespace platform {

namespace isa = knc::isa;

namespace {

const ZydisFormatter& formatter(syntax s) {
    const auto make = [](ZydisFormatterStyle style) {
        ZydisFormatter f;
        ZydisFormatterInit(&f, style);
        ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
                                  ZYDIS_PADDING_DISABLED);
        return f;
    };
    static const ZydisFormatter att = make(ZYDIS_FORMATTER_STYLE_ATT);
    static const ZydisFormatter intel = make(ZYDIS_FORMATTER_STYLE_INTEL);
    return s == syntax::att ? att : intel;
}

std::string text_of(const ZydisDecodedInstruction& i, const ZydisDecodedOperand* operands, syntax s,
                    std::uint64_t address) {
    char buffer[256];
    ZydisFormatterFormatInstruction(&formatter(s), &i, operands, i.operand_count_visible, buffer,
                                    sizeof buffer, address, nullptr);
    const std::string text = buffer;
    if (i.encoding != ZYDIS_INSTRUCTION_ENCODING_VEX &&
        i.encoding != ZYDIS_INSTRUCTION_ENCODING_MVEX)
        return text;
    // Zydis gives AT&T mnemonics a suffix for the size of memory. No assembler has one for vectors.
    return ZydisMnemonicGetString(i.mnemonic) + text.substr(std::min(text.find(' '), text.size()));
}

class writer {
  public:
    writer(const image& i, const code_range& r, syntax s, std::ostream& out)
        : image_(i), range_(r), syntax_(s), out_(out) {}

    void write(const code_section& s) {
        const auto* bytes =
            reinterpret_cast<const std::uint8_t*>(image_.file.data()) + s.file_offset;
        mode_ = s.bits == 16   ? isa::code_mode::bits16
                : s.bits == 32 ? isa::code_mode::bits32
                               : isa::code_mode::bits64;
        label_ = std::lower_bound(
            image_.symbols.begin(), image_.symbols.end(), s.address,
            [](const symbol& x, std::uint64_t address) { return x.address < address; });
        for (std::uint64_t at = 0; at < s.size && s.address + at < range_.high;)
            at += line(s.address + at, bytes + at, s.size - at);
    }

  private:
    // Writes the instruction at `address` if it is asked for; returns its length.
    std::uint64_t line(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t available) {
        ZydisDecodedInstruction i;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        const bool valid = ZYAN_SUCCESS(
            isa::zydis_decode(isa::zydis_decoder(mode_), bytes, available, i, operands));
        const std::uint64_t length = valid ? i.length : 1;
        write_labels(address);
        if (address < range_.low) return length;
        std::string hex;
        for (std::uint64_t n = 0; n < length; ++n) hex += fmt::format("{:02x} ", bytes[n]);
        const std::string text =
            valid ? text_of(i, operands, syntax_, address) + remark(address, i, operands) : "(bad)";
        out_ << fmt::format("{:>10x}:  {:<31}{}\n", address, hex, text);
        return length;
    }

    void write_labels(std::uint64_t address) {
        // A label inside of an instruction is none that the code can be read by.
        for (; label_ != image_.symbols.end() && label_->address <= address; ++label_)
            if (label_->address == address && address >= range_.low)
                out_ << fmt::format("{:x} <{}>:\n", address, label_->name);
    }

    // Which symbols the operands mean that hold an address.
    std::string remark(std::uint64_t address, const ZydisDecodedInstruction& i,
                       const ZydisDecodedOperand* operands) const {
        std::string text;
        for (unsigned n = 0; n < i.operand_count_visible; ++n) {
            const ZydisDecodedOperand& o = operands[n];
            const bool branch = o.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o.imm.is_relative != 0;
            const bool fixed =
                o.type == ZYDIS_OPERAND_TYPE_MEMORY && o.mem.index == ZYDIS_REGISTER_NONE &&
                (o.mem.base == ZYDIS_REGISTER_NONE || o.mem.base == ZYDIS_REGISTER_RIP);
            ZyanU64 target = 0;
            if ((branch || fixed) &&
                ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&i, &o, address, &target)))
                text += place(target);
        }
        return text;
    }
    std::string place(std::uint64_t target) const {
        auto after = std::upper_bound(
            image_.symbols.begin(), image_.symbols.end(), target,
            [](std::uint64_t address, const symbol& x) { return address < x.address; });
        // Labels in functions have no size; what is far behind one has nothing to do with it.
        constexpr std::uint64_t far = 0x1'0000;
        if (after == image_.symbols.begin()) return {};
        const symbol& s = *--after;
        const std::uint64_t offset = target - s.address;
        if (offset != 0 && offset >= (s.size != 0 ? s.size : far)) return {};
        return offset == 0 ? fmt::format("  <{}>", s.name)
                           : fmt::format("  <{}+{:#x}>", s.name, offset);
    }

    const image& image_;
    const code_range range_;
    const syntax syntax_;
    std::ostream& out_;
    isa::code_mode mode_ = isa::code_mode::bits64;
    std::vector<symbol>::const_iterator label_;
};

std::uint64_t address_of(const image& i, const std::string& text) {
    if (const symbol* s = i.find(text)) return s->address;
    try {
        std::size_t used = 0;
        const std::uint64_t value = std::stoull(text, &used, 0);
        if (used == text.size() && text[0] != '-') return value;
    } catch (const std::exception&) {
    }
    throw input_error(fmt::format("{}: no address and no symbol '{}'", i.name, text));
}

}  // namespace

code_range parse_code_range(const image& i, const std::string& text) {
    const auto dash = text.find('-');
    if (dash != std::string::npos)
        return {address_of(i, text.substr(0, dash)), address_of(i, text.substr(dash + 1))};
    const symbol* s = i.find(text);
    if (s == nullptr || s->size == 0)
        throw input_error(
            fmt::format("{}: no symbol '{}' with a size; A-B is a range", i.name, text));
    return {s->address, s->address + s->size};
}

decoded_text instruction_text(isa::code_mode m, const std::uint8_t* bytes, std::size_t available,
                              std::uint64_t address, syntax s) {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(isa::zydis_decode(isa::zydis_decoder(m), bytes, available, i, operands)))
        return {};
    return {i.length, text_of(i, operands, s, address)};
}

void disassemble(const image& i, const code_range& r, syntax s, std::ostream& out) {
    if (i.code.empty()) throw input_error(i.name + ": no section with instructions");
    writer w(i, r, s, out);
    for (const code_section& c : i.code) w.write(c);
}

}  // namespace platform
