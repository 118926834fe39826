#include <platform/whole_file.h>

#include <fstream>
#include <stdexcept>
#include <system_error>

namespace platform {

void write_whole(const std::filesystem::path& path, const std::string& content) {
    const std::filesystem::path part = path.string() + ".part";
    std::ofstream out{part, std::ios::binary};
    out << content;
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(part, path, error);
    if (!out || error) throw std::runtime_error(path.string() + " cannot be written");
}

}  // namespace platform
