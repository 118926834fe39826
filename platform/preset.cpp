#include <platform/preset.h>

#include <algorithm>

#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/scenario.h>

namespace platform {

settings preset_settings(std::string_view name) {
    const auto& all = presets();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const preset& p) { return p.name == name; });
    if (found == all.end()) {
        std::string names;
        for (const preset& p : all) names += fmt::format("{}{}", names.empty() ? "" : ", ", p.name);
        throw input_error(fmt::format("no preset '{}' (there are {})", name, names));
    }
    settings s;
    apply_keys(s, std::string{found->text}, fmt::format("preset {}", name));
    return s;
}

std::string_view description(const preset& p) {
    const std::string_view line = p.text.substr(0, p.text.find('\n'));
    return line.substr(std::min(line.find_first_not_of("# "), line.size()));
}

}  // namespace platform
