#include "rewriter.h"

#include <cctype>
#include <cstdio>

#include "mnemonics.h"
#include "operands.h"
#include "text.h"

namespace knc_as {
namespace {

// Labels, prefixes in braces, mnemonic or directive, operands.
struct parts {
    std::string labels;
    std::string prefixes;
    std::string word;
    std::string rest;
};

std::size_t end_of_name(const std::string& code, std::size_t at) {
    while (at < code.size() && is_name(code[at])) ++at;
    return at;
}

parts split(const std::string& code) {
    parts p;
    std::size_t at = 0;
    for (;;) {
        const auto first = code.find_first_not_of(" \t", at);
        if (first == std::string::npos) return p;
        const std::size_t end = end_of_name(code, first);
        const auto colon = code.find_first_not_of(" \t", end);
        if (end == first || colon == std::string::npos || code[colon] != ':') break;
        at = colon + 1;
    }
    p.labels = code.substr(0, at);
    std::size_t begin = code.find_first_not_of(" \t", at);
    while (code[begin] == '{') {
        const auto close = code.find('}', begin);
        const auto next =
            close == std::string::npos ? close : code.find_first_not_of(" \t", close + 1);
        if (next == std::string::npos) return p;
        p.prefixes += code.substr(begin, next - begin);
        begin = next;
    }
    const std::size_t end = end_of_name(code, begin);
    p.word = code.substr(begin, end - begin);
    p.rest = trimmed(code.substr(end));
    return p;
}

encoding_choice choice_of(const std::string& prefixes) {
    const std::string p = lower(trimmed(prefixes));
    if (p.empty()) return encoding_choice::shortest;
    if (p == "{vex}") return encoding_choice::vex;
    if (p == "{vex3}") return encoding_choice::vex3;
    if (p == "{mvex}") return encoding_choice::mvex;
    throw statement_error("unknown prefix " + p);
}

instruction parse(const parts& p, const meaning& m, const syntax& s) {
    instruction i;
    i.mnemonic = m.mnemonic;
    i.register_bits = m.register_bits;
    i.choice = choice_of(p.prefixes);
    parse_operands(p.rest, s, i);
    if (m.predicate >= 0) {
        operand predicate;
        predicate.kind = operand_kind::immediate;
        predicate.number.value = m.predicate;
        i.operands.push_back(predicate);
    }
    return i;
}

std::string byte_directive(const std::vector<std::uint8_t>& bytes, std::size_t begin,
                           std::size_t end) {
    std::string text;
    for (std::size_t n = begin; n < end; ++n) {
        char hex[8];
        std::snprintf(hex, sizeof hex, "0x%02x", static_cast<unsigned>(bytes[n]));
        text += (n == begin ? ".byte " : ",") + std::string(hex);
    }
    return text;
}

}  // namespace

std::string directives(const encoded& e) {
    if (!e.hole) return byte_directive(e.bytes, 0, e.bytes.size());
    const std::size_t behind = e.hole->at + 4;
    std::string text = byte_directive(e.bytes, 0, e.hole->at);
    if (e.hole->relative) {
        text +=
            "; .long (" + e.hole->value + ") - . - " + std::to_string(e.bytes.size() - e.hole->at);
    } else {
        // Not `.long value`, which the linker would extend with zeros: it must refuse what the
        // processor extends otherwise.
        text += "; .reloc ., R_X86_64_32S, " + e.hole->value + "; .long 0";
    }
    if (behind < e.bytes.size()) text += "; " + byte_directive(e.bytes, behind, e.bytes.size());
    return text;
}

std::string rewriter::rewrite(const std::string& line) {
    ++input_line_;
    ++marked_line_;
    if (take_line_marker(line)) return line;
    std::string out;
    bool first = true;
    for (const statement& s : scanner_.split(line)) {
        if (!first) out += ';';
        first = false;
        const auto other = replacement(s);
        out += s.head + (other ? *other : s.raw) + s.tail;
    }
    return out;
}

// # 12 "file.S" 2
bool rewriter::take_line_marker(const std::string& line) {
    unsigned number = 0;
    int quote = 0;
    if (std::sscanf(line.c_str(), "# %u \"%n", &number, &quote) != 1 || quote == 0) return false;
    const auto end = line.find('"', static_cast<std::size_t>(quote));
    if (end == std::string::npos) return false;
    // An empty name ends what the compiler marked: the lines of its own output follow.
    marked_ = line.substr(static_cast<std::size_t>(quote), end - static_cast<std::size_t>(quote));
    marked_line_ = number - 1;
    return true;
}

std::string rewriter::place() const {
    return marked_.empty() ? input_ + ':' + std::to_string(input_line_)
                           : marked_ + ':' + std::to_string(marked_line_);
}

void rewriter::directive(const std::string& name, const std::string& arguments) {
    const bool intel = name == ".intel_syntax";
    if (intel || name == ".att_syntax") {
        syntax_.intel = intel;
        syntax_.prefix = lower(arguments) != "noprefix";
    } else if (name == ".code64" || name == ".code32" || name == ".code16") {
        bits_ = static_cast<unsigned>(std::stoul(name.substr(5)));
    }
}

std::optional<std::string> rewriter::replacement(const statement& s) {
    const parts p = split(s.code);
    if (!p.word.empty() && p.word[0] == '.') {
        directive(lower(p.word), trimmed(p.rest));
        return std::nullopt;
    }
    const auto m = find_mnemonic(p.word);
    // NAME = VALUE defines a symbol.
    if (!m || (!p.rest.empty() && p.rest[0] == '=')) return std::nullopt;
    try {
        if (bits_ != 64) throw statement_error("this instruction needs 64-bit code");
        const std::string bytes = directives(encode(parse(p, *m, syntax_)));
        return p.labels + '\t' + bytes + " /* " + trimmed(s.code.substr(p.labels.size())) + " */ ";
    } catch (const statement_error& e) {
        errors_.push_back(place() + ": knc-as: " + e.what() + ": " +
                          trimmed(s.code.substr(p.labels.size())));
        return std::nullopt;
    }
}

}  // namespace knc_as
