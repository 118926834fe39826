// The named configurations the program knows: platform/presets/*.toml, compiled in.
#ifndef KNC_PLATFORM_PRESET_H
#define KNC_PLATFORM_PRESET_H

#include <string>
#include <string_view>
#include <vector>

#include <platform/settings.h>

namespace platform {

struct preset {
    std::string_view name;
    std::string_view
        text;  // TOML: tables of configuration keys, the first line a comment that says what it is
};

const std::vector<preset>& presets();

inline constexpr std::string_view default_preset = "mini";

// The settings of preset `name`. Throws input_error with the names there are.
settings preset_settings(std::string_view name);

// What the preset is, in one line.
std::string_view description(const preset&);

}  // namespace platform

#endif
