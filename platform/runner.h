// Runs one image on one card and writes what came of it.
#ifndef KNC_PLATFORM_RUNNER_H
#define KNC_PLATFORM_RUNNER_H

#include <optional>
#include <string>
#include <vector>

#include <platform/checkpoint_file.h>
#include <platform/console_end.h>
#include <platform/expectation.h>
#include <platform/gdb_server.h>
#include <platform/image.h>
#include <platform/log_choice.h>
#include <platform/msr_script.h>
#include <platform/session.h>
#include <platform/settings.h>

namespace platform {

// Monitors are served at socket `path`; empty: none.
struct monitor_choice {
    std::string path;
    bool wait = false;  // for the first one
};

// Everything a run needs, checked.
struct run_request {
    std::string preset;
    std::vector<std::string> files;  // that it was made of, as paths
    settings config;
    image firmware;
    std::string cmdline;
    std::string initrd;          // its bytes; empty: none
    std::vector<image> symbols;  // more programs whose functions are known
    std::vector<expectation> expectations;
    console_choice console;
    std::vector<session_step> session;
    std::string msr;  // the socket that serves MSRs; empty: none
    std::vector<msr_access> msr_accesses;
    monitor_choice monitor;
    gdb_choice gdb;
    log_choice log;
    knc::card::fast_forward_control fast_forward;
    std::optional<checkpoint_file> restored;  // the run continues from there
    std::string out;                          // directory for the results; empty: none are written
    bool quiet = false;                       // no progress line, no summary
};

// Runs and reports; returns the exit status of the program: 0, 1 or 3. Throws input_error before
// anything is written; std::runtime_error where a result cannot be written. Once per process.
int run(const run_request&);

}  // namespace platform

#endif
