// From the axes of a sweep to its runs: the product of the axes, groups of which advance together.
#ifndef KNC_PLATFORM_SWEEP_POINTS_H
#define KNC_PLATFORM_SWEEP_POINTS_H

#include <string>
#include <vector>

#include <platform/run_options.h>
#include <platform/sweep_file.h>

namespace platform {

// The values of one run, in the order of the axes.
using sweep_point = std::vector<std::string>;

// The last axis changes fastest; a group stands where its first axis does. Throws input_error where
// axes of one group differ in length, or there are too many runs.
std::vector<sweep_point> expand(const sweep_file&);

// `command_line` with the word WORD=VALUE in the place of each WORD=..., or at its end.
std::string with_word(const std::string& command_line, const std::string& word,
                      const std::string& value);

// The run at `point`, as arguments of `knc-vp run`; out is left empty. Throws input_error where the
// scenario cannot be read.
run_options options_at(const sweep_file&, const sweep_point& point);

// "card.tiles=2 cmdline.threads=4"
std::string point_text(const sweep_file&, const sweep_point& point);

}  // namespace platform

#endif
