// A monitor of a simulated card for programs, with the names and shapes of Intel's Performance
// Counter Monitor (PCM), so that a program written for it needs another include and
// `using namespace knc::pcm`. Needs the archive knc::monitor. Source: docs/monitor.md.
#ifndef KNC_MONITOR_H
#define KNC_MONITOR_H

#include <knc/monitor/pcm.h>

#endif
