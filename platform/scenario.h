// Scenario and preset files: TOML tables of configuration keys and, in a scenario, what to run and
// what to expect of it. The format is described in docs/usage.md.
#ifndef KNC_PLATFORM_SCENARIO_H
#define KNC_PLATFORM_SCENARIO_H

#include <optional>
#include <string>
#include <vector>

#include <platform/console_end.h>
#include <platform/expectation.h>
#include <platform/msr_script.h>
#include <platform/session.h>
#include <platform/settings.h>

namespace platform {

// One key set by a file.
struct assignment {
    std::string key, text;
    std::string place;  // FILE:LINE
};

// The end of the name of a scenario's file.
inline constexpr const char* scenario_suffix = ".toml";

struct scenario {
    std::optional<std::string> preset, image, cmdline, initrd;
    std::string description;           // one line, for `knc-vp list scenarios`
    std::vector<std::string> symbols;  // files
    std::vector<assignment> keys;
    std::vector<expectation> expectations;
    std::optional<console_choice> console;
    std::vector<session_step> session;
    std::optional<std::string> msr_socket;
    std::vector<msr_access> msr;
};

// Reads scenario `text`; `file` names it in messages. Throws input_error with file, line and key.
scenario read_scenario(const std::string& text, const std::string& file);

// Sets the keys in order. Throws input_error with file, line and key.
void set_all(settings&, const std::vector<assignment>&);

// Reads `text`, which may hold keys only, and sets them. Throws input_error.
void apply_keys(settings&, const std::string& text, const std::string& file);

}  // namespace platform

#endif
