// The tables [[expect]] of a scenario and [[column]] of a sweep: both name a number of a run.
#ifndef KNC_PLATFORM_EXPECTATION_FILE_H
#define KNC_PLATFORM_EXPECTATION_FILE_H

#include <platform/expectation.h>
#include <platform/toml_file.h>

namespace platform {

// One table [[expect]]. Throws input_error.
expectation read_expectation(const toml_file&, const toml::value& table);

// One table [[column]]: what an expectation of an event, a count, a metric or the console names,
// but for bounds. Throws input_error.
expectation read_column(const toml_file&, const toml::value& table);

}  // namespace platform

#endif
