// Reads the state of a card into a report.
#ifndef KNC_PLATFORM_COLLECT_H
#define KNC_PLATFORM_COLLECT_H

#include <vector>

#include <knc/card/card.h>

#include <platform/report.h>

namespace platform {

// Outcome, times (except the host's) and the threads' counts.
void collect(const knc::card::card&, report&);
// The threads' counts only.
std::vector<thread_report> collect_threads(const knc::card::card&);

}  // namespace platform

#endif
