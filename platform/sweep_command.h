// `knc-vp sweep`: expands a sweep file, has the runs done that are not done yet, and joins their
// results.
//
// Source: docs/sweep.md.
#ifndef KNC_PLATFORM_SWEEP_COMMAND_H
#define KNC_PLATFORM_SWEEP_COMMAND_H

#include <cstddef>
#include <iosfwd>
#include <string>

namespace platform {

struct sweep_options {
    std::string file;
    std::string out;  // empty: the file's name without suffix, with .sweep
    std::string engine = "auto";
    std::size_t jobs = 0;  // at a time; 0: as many as the engine has room for
    bool dry_run = false;
};

// Returns the exit status: 0, 1 where a run's is not 0, 3 where runs are missing. Throws
// input_error before anything is written.
int sweep(const sweep_options&, std::ostream& out);

}  // namespace platform

#endif
