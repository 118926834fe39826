/* What the platform and the clients of its MSR socket say to each other; C and C++.
 *
 * A client sends requests over a Unix stream socket, in the host's byte order. Each gets one
 * answer, in order. A client selects a hardware thread first. Source: docs/msr.md. */
#ifndef KNC_PLATFORM_MSR_PROTOCOL_H
#define KNC_PLATFORM_MSR_PROTOCOL_H

#include <stdint.h>

enum {
    knc_msr_threads = 0, /* the answer's value is the number of hardware threads */
    knc_msr_select = 1, /* from now on, hardware thread `number` is meant; `value`: knc_msr_may_* */
    knc_msr_read = 2,   /* RDMSR of `number` */
    knc_msr_write = 3,  /* WRMSR of `value` to `number` */
    knc_msr_seek = 4,   /* the connection's position becomes `value` */
    knc_msr_tell = 5    /* the answer's value is the position; 0 at first */
};

/* What the client may do after a select; none of the two: both. */
enum { knc_msr_may_read = 1, knc_msr_may_write = 2 };

struct knc_msr_request {
    uint32_t operation;
    uint32_t number;
    uint64_t value; /* of a select, a write, and a seek; else 0 */
};

struct knc_msr_answer {
    uint32_t error; /* 0, ENXIO (no such thread), EBADF (may not) or EIO (#GP) */
    uint32_t reserved;
    uint64_t value; /* of a read, a tell, and of knc_msr_threads; else 0 */
};

#endif
