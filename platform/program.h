// Which program runs.
#ifndef KNC_PLATFORM_PROGRAM_H
#define KNC_PLATFORM_PROGRAM_H

#include <string>

namespace platform {

// The path of its file.
std::string program_file();
// Its version, and the beginning of the SHA-256 of its file: the version stays the same between two
// releases.
std::string program_version();

}  // namespace platform

#endif
