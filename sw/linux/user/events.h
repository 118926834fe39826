// Event specifications of the perf programs: NAME[:FILTER] or rCODE[:FILTER], comma-separated. NAME
// is an event of models/knc/base/events.def, in upper or lower case, an event that the kernel knows
// for all processors (cycles, instructions, branch-misses, ...), or a software event of the kernel.
// CODE is hexadecimal, as in perf: event select in bits 7:0, unit mask in 15:8, edge 18, invert 23,
// counter mask 31:24. FILTER: u, k (only ring 3, only ring 0), p, pp, ppp (how exact the address of
// a sample has to be).
#ifndef KNC_SW_LINUX_USER_EVENTS_H
#define KNC_SW_LINUX_USER_EVENTS_H

#include "sys.h"

struct event {
    char name[72];  // as printed, with its filter
    u32 type;       // PERF_TYPE_RAW, PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE
    u64 config;
    unsigned precise;  // the letters p
    bool exclude_user, exclude_kernel;
    bool counter0_only;  // Linux puts it on counter 0
};

// The number of events; it ends the program if the text cannot be used.
#define EVENTS 80
int events_parse(const char* text, struct event events[EVENTS]);

// Prints the hardware's events: code, name, meaning.
void events_list(void);

// An attribute that selects the event, everything else 0.
struct perf_event_attr event_attr(const struct event* e);

#endif
