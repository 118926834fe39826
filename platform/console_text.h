// What a console has shown, made fit for messages.
#ifndef KNC_PLATFORM_CONSOLE_TEXT_H
#define KNC_PLATFORM_CONSOLE_TEXT_H

#include <cstddef>
#include <string>

namespace platform {

// On one line: control characters, quotes and backslashes as in C.
std::string escaped(const std::string&);

// The last `lines` lines, with a line end behind the last one. Other control characters than tabs
// are left out, so that the text changes nothing on a terminal.
std::string last_lines(const std::string&, std::size_t lines);

}  // namespace platform

#endif
