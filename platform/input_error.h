// What the user gave cannot be used: one line for the terminal, exit status 2, nothing written.
#ifndef KNC_PLATFORM_INPUT_ERROR_H
#define KNC_PLATFORM_INPUT_ERROR_H

#include <stdexcept>
#include <string>

namespace platform {

// The message stays one line of a length that can be read, whatever names from files are in it.
struct input_error : std::runtime_error {
    explicit input_error(const std::string& what);
};

}  // namespace platform

#endif
