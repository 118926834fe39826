// Instructions and clocks of a run by function: of the kernel and of each program, at both
// privilege levels.
//
// Models: the counts of knc/core/profile.h in the functions that platform/symbols.h knows. What
// belongs to no function counts too, so the sums are the card's instructions, and the clocks of
// all its threads. Leaves out: call chains, source lines.
#ifndef KNC_PLATFORM_FUNCTION_PROFILE_H
#define KNC_PLATFORM_FUNCTION_PROFILE_H

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <knc/card/card.h>
#include <knc/core/profile.h>

#include <platform/symbols.h>

namespace platform {

using knc::core::profile_cell;

class function_profile final : public knc::core::code_finder_if {
  public:
    explicit function_profile(symbols& s) : symbols_(s), cells_(s.programs().size()) {}

    const std::vector<program>& programs() const { return symbols_.programs(); }
    // The counts of one function; of the code in no function (function_table::none).
    profile_cell count(std::size_t program, std::size_t function, knc::base::privilege) const;
    // Of the code of no program.
    const profile_cell& of_none(knc::base::privilege p) const { return none_[p]; }

    // What find() has found last.
    const symbols::place& found_last() const { return found_; }
    // Changes whenever memory may have other code than before.
    std::uint64_t code_changes() const { return changes_; }

    // code_finder_if
    stretch find(const knc::core::code_location&) override;
    void forget() override;

  private:
    // isa::code_map::observer
    void code_marked(std::uint64_t) override {}
    void code_dropped(std::uint64_t page_number) override;

    symbols& symbols_;
    // By program and privilege level: its functions and, last, its code in no function. Empty until
    // code of the program runs at this level.
    std::vector<std::array<std::vector<profile_cell>, 2>> cells_;
    std::array<profile_cell, 2> none_{};
    symbols::place found_{};
    std::uint64_t changes_ = 0;
};

// The counts as the reports show them.
struct profile_summary {
    struct row {
        std::string program, function;
        knc::base::privilege level;
        std::uint64_t address;
        profile_cell count;
    };
    std::uint64_t instructions = 0, clocks = 0;     // of all threads
    std::array<profile_cell, 2> levels{};           // by privilege level
    std::uint64_t idle_clocks = 0, off_clocks = 0;  // in HLT; not running
    std::vector<row> programs;                      // most clocks first; no function
    std::vector<row> functions;                     // those that ran, most clocks first
};
profile_summary summarize(const function_profile&, const knc::card::card&);

nlohmann::ordered_json to_json(const profile_summary&);
void write_text(std::ostream&, const profile_summary&);

}  // namespace platform

#endif
