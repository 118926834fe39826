// Driver of cache monitoring: how much of the L3 a monitoring ID (RMID) has. Ring 0. The machine
// has it if cmt_find() says so (preset perfmon).
//
// The pair of registers that selects and reads belongs to all threads of the machine, so the driver
// holds a lock from the selection to the read.
#ifndef KNC_SW_DRIVERS_CMT_CMT_H
#define KNC_SW_DRIVERS_CMT_CMT_H

#include "lib/types.h"

#define MSR_QM_EVTSEL 0xC8D
#define MSR_QM_CTR 0xC8E
#define MSR_PQR_ASSOC 0xC8F

#define CMT_OCCUPANCY 1u
#define CMT_TOTAL_BANDWIDTH 2u
#define CMT_LOCAL_BANDWIDTH 3u

#define CMT_UNAVAILABLE (1ul << 62)
#define CMT_ERROR (1ul << 63)

struct cmt_info {
    u32 rmids;     // of a thread's register
    u32 l3_rmids;  // of these, the L3 tells apart
    u32 upscale;   // bytes for one unit of data
    u32 events;    // bit n: event n + 1 exists
};

// False when the machine has no cache monitoring.
bool cmt_find(struct cmt_info* info);
// The calling thread's requests belong to `rmid` from now on.
void cmt_associate(u32 rmid);
u32 cmt_associated(void);

enum cmt_result { CMT_OK, CMT_UNSUPPORTED, CMT_NO_DATA };
// Bytes of an event of an RMID. Waits for data at most `patience` reads, then returns CMT_NO_DATA.
// `bytes` is unchanged without data.
enum cmt_result cmt_read(const struct cmt_info* info, u32 event, u32 rmid, u64 patience,
                         u64* bytes);

#endif
