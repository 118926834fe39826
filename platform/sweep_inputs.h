// What the results of a run follow from: program, files and configuration. A run whose inputs are
// those of its results need not be repeated.
//
// Files are known by name and content, not by path. Leaves out: the libraries of the program.
#ifndef KNC_PLATFORM_SWEEP_INPUTS_H
#define KNC_PLATFORM_SWEEP_INPUTS_H

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include <platform/runner.h>

namespace platform {

// SHA-256 of the content of files, each read once.
class file_digests {
  public:
    // In hexadecimal digits, as sha256sum prints it. Throws input_error.
    const std::string& of(const std::string& path);

  private:
    std::map<std::string, std::string> known_;
};

nlohmann::ordered_json inputs_of(const run_request&, file_digests&);

}  // namespace platform

#endif
