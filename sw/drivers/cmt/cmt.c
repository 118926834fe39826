#include "drivers/cmt/cmt.h"

#include "lib/cpu.h"
#include "lib/lock.h"

static struct spinlock pair;

static struct cpuid_result sub_leaf(u32 leaf, u32 number) {
    struct cpuid_result r;
    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(number));
    return r;
}

bool cmt_find(struct cmt_info* info) {
    if (sub_leaf(0, 0).eax < 0xF) return false;
    if ((sub_leaf(7, 0).ebx & 1u << 12) == 0) return false;
    const struct cpuid_result all = sub_leaf(0xF, 0);
    if ((all.edx & 2) == 0) return false;
    const struct cpuid_result l3 = sub_leaf(0xF, 1);
    info->rmids = all.ebx + 1;
    info->l3_rmids = l3.ecx + 1;
    info->upscale = l3.ebx;
    info->events = l3.edx;
    return true;
}

void cmt_associate(u32 rmid) {
    wrmsr(MSR_PQR_ASSOC, rmid);
}

u32 cmt_associated(void) {
    return (u32)rdmsr(MSR_PQR_ASSOC);
}

enum cmt_result cmt_read(const struct cmt_info* info, u32 event, u32 rmid, u64 patience,
                         u64* bytes) {
    u64 value;
    spin_lock(&pair);
    wrmsr(MSR_QM_EVTSEL, (u64)rmid << 32 | event);
    do {
        value = rdmsr(MSR_QM_CTR);
    } while ((value & CMT_UNAVAILABLE) != 0 && patience-- != 0);
    spin_unlock(&pair);
    // No bit of the data means anything before these have been tested.
    if ((value & CMT_ERROR) != 0) return CMT_UNSUPPORTED;
    if ((value & CMT_UNAVAILABLE) != 0) return CMT_NO_DATA;
    *bytes = value * info->upscale;
    return CMT_OK;
}
