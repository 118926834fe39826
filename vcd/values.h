// The digits of a value change.
#ifndef KNC_VCD_VALUES_H
#define KNC_VCD_VALUES_H

#include <string>
#include <string_view>

namespace vcd {

// Whether `text` is one or more of 0 1 x X z Z.
bool is_four_state(std::string_view text);
// Whether `text` is a real number as %.16g prints it.
bool is_real(const std::string& text);
// One spelling for all texts that stand for one value: lower case, without the digits left
// extension would add again.
std::string canonical(std::string_view four_state);

}  // namespace vcd

#endif
