// AT&T: $1  %zmm1  label  %fs:8(%rax,%rbx,4)
#include "expressions.h"
#include "operands.h"
#include "text.h"

namespace knc_as {
namespace {

ZydisRegister needed_register(const std::string& text, const syntax& s) {
    const ZydisRegister r = find_register(text, s);
    if (r == ZYDIS_REGISTER_NONE) throw statement_error("'" + text + "' is no register");
    return r;
}

// Where the parenthesis that the text's last character closes opens; npos: it ends in none.
std::size_t last_group(const std::string& text) {
    if (text.empty() || text.back() != ')') return std::string::npos;
    int depth = 0;
    for (std::size_t at = text.size(); at-- > 0;) {
        if (text[at] == ')') ++depth;
        if (text[at] == '(' && --depth == 0) return at;
    }
    throw statement_error("parentheses do not match");
}

void parse_group(const std::string& inside, const syntax& s, operand& o) {
    const auto parts = comma_separated(inside);
    if (parts.size() > 3) throw statement_error("too many registers in an address");
    if (!parts[0].empty()) o.base = needed_register(parts[0], s);
    if (parts.size() > 1 && !parts[1].empty()) o.index = needed_register(parts[1], s);
    if (parts.size() < 3 || parts[2].empty()) return;
    const expression scale = parse_expression(parts[2]);
    if (!scale.symbolic.empty() ||
        (scale.value != 1 && scale.value != 2 && scale.value != 4 && scale.value != 8))
        throw statement_error("a scale is 1, 2, 4 or 8");
    o.scale = static_cast<std::uint8_t>(scale.value);
}

bool holds_registers(const std::string& inside, const syntax& s) {
    const auto parts = comma_separated(inside);
    return !parts.empty() && (parts.size() > 1 || parts[0].find('%') == 0 ||
                              find_register(parts[0], s) != ZYDIS_REGISTER_NONE);
}

}  // namespace

operand parse_att(const std::string& text, const syntax& s, bool branch) {
    operand o;
    if (text[0] == '$') {
        o.kind = operand_kind::immediate;
        o.number = parse_expression(text.substr(1));
        return o;
    }
    o.reg = find_register(text, s);
    if (o.reg != ZYDIS_REGISTER_NONE) return o;
    if (text[0] == '%' && text.find(':') == std::string::npos &&
        text.find('(') == std::string::npos)
        throw statement_error("'" + text + "' is no register of a vector or mask instruction");

    o.kind = branch ? operand_kind::target : operand_kind::memory;
    std::string rest = text;
    const auto colon = rest.find(':');
    if (colon != std::string::npos) {
        o.segment = needed_register(trimmed(rest.substr(0, colon)), s);
        rest = trimmed(rest.substr(colon + 1));
    }
    const auto open = last_group(rest);
    if (open != std::string::npos) {
        const std::string inside = rest.substr(open + 1, rest.size() - open - 2);
        if (holds_registers(inside, s)) {
            o.kind = operand_kind::memory;
            parse_group(inside, s, o);
            rest = trimmed(rest.substr(0, open));
        }
    }
    if (!rest.empty() || open == std::string::npos) o.number = parse_expression(rest);
    return o;
}

}  // namespace knc_as
