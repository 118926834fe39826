#include <platform/scenario_list.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/run_options.h>
#include <platform/scenario.h>

namespace platform {

namespace fs = std::filesystem;

namespace {

struct listed {
    std::string name, image, description;
};

listed read_one(const fs::path& file) {
    const scenario s = read_scenario(read_file(file.string()), file.string());
    return {file.stem().string(), fs::path{s.image.value_or("")}.stem().string(), s.description};
}

std::vector<fs::path> files_of(const fs::path& directory) {
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator i{directory, error}, end; !error && i != end; i.increment(error))
        if (i->path().extension() == scenario_suffix) files.push_back(i->path());
    if (error) throw input_error(directory.string() + ": " + error.message());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

void list_scenarios(std::ostream& out, const fs::path& directory) {
    std::vector<listed> all;
    for (const fs::path& file : files_of(directory)) all.push_back(read_one(file));
    std::size_t name = 0, image = 0;
    for (const listed& l : all) {
        name = std::max(name, l.name.size());
        image = std::max(image, l.image.size());
    }
    out << fmt::format("knc-vp run {}/NAME.toml\n", directory.string());
    for (const listed& l : all)
        out << fmt::format("{:<{}}  {:<{}}  {}\n", l.name, name, l.image, image, l.description);
}

fs::path scenario_directory() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) throw input_error("the program's own file: " + error.message());
    return program.parent_path().parent_path() / "share" / "knc" / "scenarios";
}

}  // namespace platform
