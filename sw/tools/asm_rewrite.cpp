// Turns gcc's x86-64 assembly (AT&T) into assembly for a core without CMOV:
//   asm_rewrite IN.s OUT.s
//
//   cmovCC source, dest   -> a jump on the opposite condition over a MOV; both keep the flags. The
//                            32-bit form clears the upper half of dest even when the condition is
//                            false, so that case moves dest onto itself. The result reads a memory
//                            source only when the condition holds: the compiler uses this form
//                            only for loads that it may speculate, so it may also omit them.
//   rep bsf / rep bsr     -> bsf / bsr: with the prefix the bytes are TZCNT / LZCNT.
//
// Exit status 1 with one line naming the input line when a CMOV cannot be rewritten.
#include <array>
#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>

namespace {

const std::map<std::string, std::string> opposite = {
    {"o", "no"}, {"no", "o"},  {"b", "ae"}, {"c", "nc"},   {"nae", "nc"}, {"ae", "b"},
    {"nb", "b"}, {"nc", "c"},  {"e", "ne"}, {"z", "nz"},   {"ne", "e"},   {"nz", "z"},
    {"be", "a"}, {"na", "a"},  {"a", "be"}, {"nbe", "be"}, {"s", "ns"},   {"ns", "s"},
    {"p", "np"}, {"pe", "np"}, {"np", "p"}, {"po", "p"},   {"l", "ge"},   {"nge", "ge"},
    {"ge", "l"}, {"nl", "l"},  {"le", "g"}, {"ng", "g"},   {"g", "le"},   {"nle", "le"}};

struct cmov {
    std::string inverse;  // condition under which nothing is moved
    std::string source;
    std::string dest;
};

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Position of the comma between the operands: the last one outside parentheses.
std::size_t operand_comma(const std::string& operands) {
    int depth = 0;
    for (std::size_t i = operands.size(); i-- > 0;) {
        if (operands[i] == ')') ++depth;
        if (operands[i] == '(') --depth;
        if (operands[i] == ',' && depth == 0) return i;
    }
    return std::string::npos;
}

std::optional<cmov> parse(const std::string& statement) {
    const auto blank = statement.find_first_of(" \t");
    if (blank == std::string::npos) return std::nullopt;
    const auto cc = opposite.find(statement.substr(4, blank - 4));
    const std::string operands = trimmed(statement.substr(blank));
    const auto comma = operand_comma(operands);
    if (cc == opposite.end() || comma == std::string::npos) return std::nullopt;
    return cmov{cc->second, trimmed(operands.substr(0, comma)),
                trimmed(operands.substr(comma + 1))};
}

// Names of the 32-bit registers: %eax .. %edi, %r8d .. %r15d.
bool is_32_bit(const std::string& reg) {
    return reg.rfind("%e", 0) == 0 || (reg.rfind("%r", 0) == 0 && reg.back() == 'd');
}

void write(std::ostream& out, const cmov& c, unsigned label) {
    const std::string skip = ".Lcmov" + std::to_string(label);
    out << "\tj" << c.inverse << '\t' << skip << "\n\tmov\t" << c.source << ", " << c.dest << '\n';
    if (!is_32_bit(c.dest)) {
        out << skip << ":\n";
        return;
    }
    out << "\tjmp\t" << skip << "d\n" << skip << ":\n\tmov\t" << c.dest << ", " << c.dest << '\n';
    out << skip << "d:\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: asm_rewrite IN.s OUT.s\n";
        return 1;
    }
    std::ifstream in(argv[1]);
    std::ofstream out(argv[2]);
    if (!in || !out) {
        std::cerr << "asm_rewrite: cannot open " << (in ? argv[2] : argv[1]) << '\n';
        return 1;
    }
    std::string line;
    unsigned labels = 0;
    for (unsigned number = 1; std::getline(in, line); ++number) {
        const std::string statement = trimmed(line);
        if (statement.rfind("cmov", 0) == 0) {
            const auto c = parse(statement);
            if (!c) {
                std::cerr << argv[1] << ':' << number << ": cannot rewrite '" << statement << "'\n";
                return 1;
            }
            write(out, *c, labels++);
        } else if (statement.rfind("rep bs", 0) == 0 || statement.rfind("rep; bs", 0) == 0) {
            out << '\t' << trimmed(statement.substr(statement.find("bs"))) << '\n';
        } else {
            out << line << '\n';
        }
    }
    out.flush();
    return out ? 0 : 1;
}
