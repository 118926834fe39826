#include <platform/program.h>

#include <filesystem>

#include <fmt/format.h>

#include <platform/digest.h>
#include <platform/run_options.h>

namespace platform {

std::string program_file() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::string program_version() {
    constexpr std::size_t digits = 16;
    static const std::string text = fmt::format(
        "{} ({})", KNC_VERSION, sha256_text(read_file(program_file())).substr(0, digits));
    return text;
}

}  // namespace platform
