// The line whose states are signals: key trace.line.
#ifndef KNC_PLATFORM_TRACED_LINE_H
#define KNC_PLATFORM_TRACED_LINE_H

#include <cstdint>
#include <string>

#include <platform/image.h>

namespace platform {

// The physical address that `text` names: a number, or a symbol of the image. Throws input_error.
std::uint64_t traced_line(const std::string& text, const image&);

}  // namespace platform

#endif
