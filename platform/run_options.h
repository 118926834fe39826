// From the arguments of `knc-vp run` to a checked request.
#ifndef KNC_PLATFORM_RUN_OPTIONS_H
#define KNC_PLATFORM_RUN_OPTIONS_H

#include <optional>
#include <string>
#include <vector>

#include <platform/runner.h>

namespace platform {

// The arguments as they were given.
struct run_options {
    std::string file;                  // scenario or image
    std::optional<std::string> image;  // in the place of the scenario's
    std::optional<std::string> preset, cmdline, initrd, trace, log, console, msr, monitor, gdb,
        host_threads, fast_forward, checkpoint, restore;
    std::vector<std::string> set;      // key=value
    std::vector<std::string> symbols;  // files
    std::string out;
    bool profile = false;
    bool timeline = false;
    bool quiet = false;
};

// Reads the files and applies, in this order, preset, scenario and arguments. Throws input_error.
run_request prepare(const run_options&);

// A file that scenario `plan` names: relative to it, so that it can be run from anywhere.
std::string beside(const std::string& plan, const std::string& file);

// The content of file `path`. Throws input_error.
std::string read_file(const std::string& path);

}  // namespace platform

#endif
