// Files that are there whole or not at all.
#ifndef KNC_PLATFORM_WHOLE_FILE_H
#define KNC_PLATFORM_WHOLE_FILE_H

#include <filesystem>
#include <string>

namespace platform {

// Replaces file `path`. Throws std::runtime_error.
void write_whole(const std::filesystem::path& path, const std::string& content);

}  // namespace platform

#endif
