/* What the platform and the clients of its MSR socket say to each other; C and C++.
 *
 * A client sends requests over a Unix stream socket, in the host's byte order. Each gets one
 * answer, in order. A client selects a hardware thread first. Source: docs/msr.md. */
#ifndef KNC_PLATFORM_MSR_PROTOCOL_H
#define KNC_PLATFORM_MSR_PROTOCOL_H

#include <stdint.h>

enum {
    knc_msr_threads = 0, /* the answer's value is the number of hardware threads */
    knc_msr_select = 1,  /* from now on, hardware thread `number` is meant */
    knc_msr_read = 2,    /* RDMSR of `number` */
    knc_msr_write = 3    /* WRMSR of `value` to `number` */
};

struct knc_msr_request {
    uint32_t operation;
    uint32_t number;
    uint64_t value; /* of a write; else 0 */
};

struct knc_msr_answer {
    uint32_t error; /* 0, ENXIO (no such thread) or EIO (#GP) */
    uint32_t reserved;
    uint64_t value; /* of a read and of knc_msr_threads; else 0 */
};

#endif
