// What ends the fast-forward at the beginning of a run: key fast_forward.to.
#ifndef KNC_PLATFORM_FAST_FORWARD_H
#define KNC_PLATFORM_FAST_FORWARD_H

#include <string>

#include <knc/card/run_control.h>

#include <platform/image.h>
#include <platform/settings.h>

namespace platform {

// marker N, instructions N, pc ADDRESS or symbol NAME, a function of the image; empty: there is no
// fast-forward at the beginning. Throws input_error.
knc::card::fast_forward_control fast_forward_of(const fast_forward_settings&, const image&);

// The value of option --fast-forward: the text of the key after `to=`. Throws input_error.
std::string fast_forward_end(const std::string& option);

}  // namespace platform

#endif
