// The declaration section of a VCD file, up to and including $enddefinitions.
#ifndef KNC_VCD_DECLARATIONS_H
#define KNC_VCD_DECLARATIONS_H

#include <cstddef>
#include <string>
#include <unordered_map>

#include <vcd/checker.h>
#include <vcd/token_reader.h>

namespace vcd {

inline constexpr unsigned widest_variable = 1 << 20;

struct declarations {
    std::string timescale;
    std::vector<variable> variables;
    // Identifier code -> the variables it stands for, indices into `variables`.
    std::unordered_map<std::string, std::vector<std::size_t>> codes;
};

// Reads the section. Throws malformed.
declarations read_declarations(token_reader&);

// Skips to the $end of the command `keyword`. Throws malformed where the input ends before it.
void skip_command(token_reader&, const std::string& keyword);

}  // namespace vcd

#endif
