// Checks a value change dump against the grammar of IEEE 1364-2005, clause 18 (four-state VCD).
//
// Checks: the declaration commands and their order, scope nesting, timescale, variable types,
// widths and identifier codes, duplicate names, the width and the digits of every value change,
// that changes name declared variables, and that time never runs backwards. Aliases (one identifier
// code declared for several names) are accepted when type and width agree. Leaves out: extended VCD
// (port directions and strengths).
#ifndef KNC_VCD_CHECKER_H
#define KNC_VCD_CHECKER_H

#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vcd {

// The first rule the input breaks: its line, from 1, and what is wrong, which ends where it would
// be too long to read.
struct malformed : std::runtime_error {
    malformed(std::uint64_t l, const std::string& what);
    std::uint64_t line;
};

struct variable {
    std::string name;           // with its scopes, dotted
    std::string type;           // wire, real, ...
    unsigned width;             // bits
    std::uint64_t changes = 0;  // times its value became another one; the first value is no change
};

struct summary {
    std::string timescale;  // e.g. "1 ps"
    std::vector<variable> variables;
    std::uint64_t first_time = 0, last_time = 0;  // in units of the timescale
    std::uint64_t times = 0;                      // time stamps
    std::uint64_t value_changes = 0;              // records, initial values included
};

// Reads `in` to its end. Throws malformed at the first violation.
summary check(std::istream& in);

// Variables whose full name is `name` or ends in "." + `name`.
std::vector<const variable*> find(const summary&, std::string_view name);

}  // namespace vcd

#endif
