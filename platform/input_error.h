// What the user gave cannot be used: one line for the terminal, exit status 2, nothing written.
#ifndef KNC_PLATFORM_INPUT_ERROR_H
#define KNC_PLATFORM_INPUT_ERROR_H

#include <stdexcept>

namespace platform {

struct input_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace platform

#endif
