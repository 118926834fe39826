// What a driver of the PMU has probably forgotten, from how its run ended.
//
// Models no hardware: the commonest mistakes, each by what it leaves behind. A hint is a guess: a
// run may end in the middle of a service. Source: docs/pmu.md and docs/apic.md for the rules;
// docs/usage.md, "Hints".
#ifndef KNC_PLATFORM_HINTS_H
#define KNC_PLATFORM_HINTS_H

#include <string>
#include <vector>

#include <platform/report.h>

namespace platform {

// One line for each mistake, with the threads that seem to have made it.
std::vector<std::string> hints_of(const std::vector<thread_report>&);

}  // namespace platform

#endif
