// Intel: 1  zmm1  label  zmmword ptr fs:[rax + 4*rbx + 8]  table[rip]
#include <utility>

#include "expressions.h"
#include "operands.h"
#include "text.h"

namespace knc_as {
namespace {

// What stands in front of brackets, what in them, and what behind: the parts of one sum.
class address {
  public:
    address(const syntax& s, operand& o) : syntax_(s), o_(o) {}

    void add(const std::string& sum) {
        std::string term;
        char sign = '+';
        int depth = 0;
        for (const char c : sum) {
            if (c == '(') ++depth;
            if (c == ')') --depth;
            const bool operation = depth == 0 && (c == '+' || c == '-') && ends_a_term(term);
            if (operation) {
                add_term(sign, trimmed(term));
                term.clear();
                sign = c;
            } else {
                term += c;
            }
        }
        if (!trimmed(term).empty()) add_term(sign, trimmed(term));
    }

    void finish() {
        // A stack pointer cannot be an index.
        if (o_.scale == 1 && ZydisRegisterGetId(o_.index) == 4 &&
            ZydisRegisterGetClass(o_.index) != ZYDIS_REGCLASS_ZMM)
            std::swap(o_.base, o_.index);
        if (!displacement_.empty()) o_.number = parse_expression(displacement_);
    }

  private:
    // Whether a sign behind `term` is an operation; otherwise it is the sign of a number.
    static bool ends_a_term(const std::string& term) {
        const std::string t = trimmed(term);
        return !t.empty() && (is_name(t.back()) || t.back() == ')');
    }

    void add_term(char sign, const std::string& term) {
        const auto times = term.find('*');
        const ZydisRegister whole = find_register(term, syntax_);
        if (whole != ZYDIS_REGISTER_NONE) return add_register(sign, whole);
        if (times != std::string::npos) {
            const std::string left = term.substr(0, times), right = term.substr(times + 1);
            ZydisRegister r = find_register(left, syntax_);
            if (r != ZYDIS_REGISTER_NONE) return add_index(sign, r, right);
            r = find_register(right, syntax_);
            if (r != ZYDIS_REGISTER_NONE) return add_index(sign, r, left);
        }
        displacement_ += sign + ("(" + term + ")");
    }
    void add_register(char sign, ZydisRegister r) {
        if (sign == '-') throw statement_error("an address cannot subtract a register");
        const bool vector = ZydisRegisterGetClass(r) == ZYDIS_REGCLASS_ZMM;
        if (o_.base == ZYDIS_REGISTER_NONE && !vector)
            o_.base = r;
        else if (o_.index == ZYDIS_REGISTER_NONE)
            o_.index = r;
        else
            throw statement_error("too many registers in an address");
    }
    void add_index(char sign, ZydisRegister r, const std::string& scale) {
        const expression by = parse_expression(scale);
        const bool valid = by.symbolic.empty() &&
                           (by.value == 1 || by.value == 2 || by.value == 4 || by.value == 8);
        if (sign == '-' || !valid) throw statement_error("a scale is 1, 2, 4 or 8");
        // The base may come behind the index.
        if (o_.index != ZYDIS_REGISTER_NONE && o_.base == ZYDIS_REGISTER_NONE && o_.scale == 1)
            std::swap(o_.base, o_.index);
        if (o_.index != ZYDIS_REGISTER_NONE)
            throw statement_error("too many registers in an address");
        o_.index = r;
        o_.scale = static_cast<std::uint8_t>(by.value);
    }

    const syntax& syntax_;
    operand& o_;
    std::string displacement_;
};

// Takes "zmmword ptr" off the front. The size follows from the instruction and its conversion.
bool take_size(std::string& text) {
    const std::string low = lower(text);
    const auto ptr = low.find("ptr");
    if (ptr == std::string::npos || ptr + 3 >= low.size() || is_name(low[ptr + 3])) return false;
    const std::string size = trimmed(low.substr(0, ptr));
    for (const char* known : {"byte", "word", "dword", "qword", "xmmword", "ymmword", "zmmword"}) {
        if (size != known) continue;
        text = trimmed(text.substr(ptr + 3));
        return true;
    }
    return false;
}

}  // namespace

operand parse_intel(const std::string& text, const syntax& s, bool branch) {
    operand o;
    o.reg = find_register(text, s);
    if (o.reg != ZYDIS_REGISTER_NONE) return o;

    std::string rest = text;
    const bool sized = take_size(rest);
    const auto colon = rest.find(':');
    if (colon != std::string::npos) {
        o.segment = find_register(rest.substr(0, colon), s);
        if (o.segment == ZYDIS_REGISTER_NONE) throw statement_error("cannot read '" + text + "'");
        rest = trimmed(rest.substr(colon + 1));
    }
    if (rest.find('[') == std::string::npos) {
        o.number = parse_expression(rest);
        const bool memory =
            sized || colon != std::string::npos || (!branch && !o.number.symbolic.empty());
        o.kind = memory   ? operand_kind::memory
                 : branch ? operand_kind::target
                          : operand_kind::immediate;
        return o;
    }
    o.kind = operand_kind::memory;
    address a(s, o);
    while (!rest.empty()) {
        const auto open = rest.find('[');
        const auto close = rest.find(']');
        if (open == std::string::npos) {
            a.add(rest);
            break;
        }
        if (close == std::string::npos || close < open)
            throw statement_error("brackets do not match");
        a.add(rest.substr(0, open));
        a.add(rest.substr(open + 1, close - open - 1));
        rest = trimmed(rest.substr(close + 1));
    }
    a.finish();
    return o;
}

}  // namespace knc_as
