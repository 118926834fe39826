// Which signals a trace shows.
#ifndef KNC_PLATFORM_SIGNAL_FILTER_H
#define KNC_PLATFORM_SIGNAL_FILTER_H

#include <string>

#include <knc/base/signal.h>

namespace platform {

// The signals `scopes` names: a comma list of "all", names, prefixes that end at a dot of the name,
// and shell patterns (* ? [...]; * also matches dots). In the order of `all`. Throws input_error
// where a part names nothing.
knc::base::signal_list select_signals(const knc::base::signal_list& all, const std::string& scopes);

}  // namespace platform

#endif
