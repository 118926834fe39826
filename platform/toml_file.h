// A TOML file that a user wrote: parsed, with one-line messages that say file, line and key.
//
// Leaves out: what the keys mean; scenarios, presets and sweeps have readers of their own.
#ifndef KNC_PLATFORM_TOML_FILE_H
#define KNC_PLATFORM_TOML_FILE_H

#include <cstdint>
#include <string>
#include <vector>

#include <toml.hpp>

#include <platform/scenario.h>

namespace platform {

class toml_file {
  public:
    // `file` names the text in messages. Throws input_error, as all members do.
    toml_file(const std::string& text, const std::string& file);

    const toml::table& root() const { return root_; }
    const std::string& name() const { return file_; }

    [[noreturn]] void fail(const toml::value&, const std::string& what) const;
    // FILE:LINE
    std::string place(const toml::value&) const;

    std::string text(const std::string& key, const toml::value&) const;
    // Without a line break.
    std::string line(const std::string& key, const toml::value&) const;
    std::vector<std::string> texts(const std::string& key, const toml::value&) const;
    std::uint64_t number(const std::string& key, const toml::value&) const;
    double real(const std::string& key, const toml::value&) const;
    // The text that set_key() takes for it. A list of texts becomes one with commas.
    std::string scalar(const std::string& key, const toml::value&) const;
    // Tables of keys: [core] issue_interval = 2 is key core.issue_interval.
    void keys(const std::string& path, const toml::value&, std::vector<assignment>& out) const;
    // The tables [[name]].
    const toml::array& tables(const std::string& name, const toml::value&) const;

  private:
    toml::table parse(const std::string& text) const;

    std::string file_;
    toml::table root_;
};

// The parser's tables have no order of their own: by name, so that messages do not vary.
void sort_by_key(std::vector<assignment>&);

}  // namespace platform

#endif
