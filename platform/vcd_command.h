// `knc-vp vcd check`.
#ifndef KNC_PLATFORM_VCD_COMMAND_H
#define KNC_PLATFORM_VCD_COMMAND_H

#include <iosfwd>
#include <string>
#include <vector>

namespace platform {

// Checks each of `files` and that in each, for every name of `changing`, a signal of that name (or
// that ends in it) changes; one line per file to `out`, one per problem to `problems`. Returns 0,
// or 1 where something is wrong, or 2 where a file cannot be read.
int check_waveforms(const std::vector<std::string>& files, const std::vector<std::string>& changing,
                    std::ostream& out, std::ostream& problems);

}  // namespace platform

#endif
