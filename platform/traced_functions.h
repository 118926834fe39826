// The functions that traced threads execute: numbers for a waveform, names for its viewer.
//
// Models no hardware. It is asked in traced clocks only, and changes nothing. Leaves out: programs
// whose pages of memory get other code while they are traced.
#ifndef KNC_PLATFORM_TRACED_FUNCTIONS_H
#define KNC_PLATFORM_TRACED_FUNCTIONS_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <knc/core/profile.h>

namespace platform {

class traced_functions final : public knc::core::function_numbers_if {
  public:
    // `names` must outlive this. `known`: they get the first numbers, from 1 on, so that the
    // numbers do not depend on what is traced.
    traced_functions(knc::core::code_names_if& names, const std::vector<std::string>& known);

    // The number of the function that has the instruction.
    std::uint64_t number(const knc::core::code_location&) override;

    // Names of those that were asked for, by number; 0: unknown.
    const std::map<std::uint64_t, std::string>& functions() const { return functions_; }
    // All instructions that were asked for: FUNCTION+OFFSET. If programs have different functions
    // at an address: those of all, with "|" between them.
    const std::map<std::uint64_t, std::string>& instructions() const { return instructions_; }

  private:
    std::uint64_t find(const knc::core::code_location&);

    knc::core::code_names_if& names_;
    std::map<std::uint64_t, std::string> functions_{{0, "-"}};
    std::unordered_map<std::string, std::uint64_t> numbers_;
    std::map<std::uint64_t, std::string> instructions_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> known_;  // by ip and paddr
};

}  // namespace platform

#endif
