// The checker of waveforms on any file.
#include <algorithm>
#include <sstream>

#include <vcd/checker.h>

#include "target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = fuzz::text_of(data, size);
    std::istringstream in{text};
    try {
        const vcd::summary s = vcd::check(in);
        fuzz::require(!s.variables.empty() && !s.timescale.empty(), "a well-formed file has both");
        fuzz::require(s.first_time <= s.last_time, "time runs forwards");
        std::uint64_t changes = 0;
        for (const vcd::variable& v : s.variables) {
            fuzz::require(v.changes <= s.value_changes, "a change is a record");
            fuzz::require(!vcd::find(s, v.name).empty(), "a variable is found by its name");
            changes += v.changes;
        }
        fuzz::require(changes <= s.value_changes * s.variables.size(), "changes are counted once");
    } catch (const vcd::malformed& e) {
        const auto lines =
            1 + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
        fuzz::require(e.line >= 1 && e.line <= lines, "the line is one of the file");
        fuzz::require_clear(e.what(), {});
    }
    return 0;
}
