// The MSRs of a thread: which exist, which values they take, and their values after boot, on the
// boot thread and on a started one.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/probe.h"
#include "lib/thread.h"

enum kind { READ_ONLY, WRITABLE, CLEARABLE };

struct row {
    u32 number, count;  // consecutive numbers, `step` apart
    u32 step;
    enum kind kind;
    u64 value;     // found there
    u64 accepted;  // a value WRMSR takes
    u64 refused;   // a value it refuses; equal to `accepted` if there is none
};

#define ANY 0x5AA5F00F0FF0A55Aul
#define BIT(n) (1ul << (n))

static const struct row rows[] = {
    {0x000, 2, 1, READ_ONLY, 0, 0, 0},                        // P5_MC_ADDR, P5_MC_TYPE
    {0x002, 1, 1, WRITABLE, 0, 0xFFFFFFFF, BIT(32)},          // TR1
    {0x004, 6, 1, WRITABLE, 0, 0xFFFFFFFF, BIT(32)},          // TR2-TR7
    {0x00B, 4, 1, WRITABLE, 0, 0xFFFFFFFF, BIT(32)},          // TR9-TR12
    {0x0FE, 1, 1, READ_ONLY, 0x508, 0, 0},                    // MTRRCAP
    {0x179, 1, 1, READ_ONLY, 0x103, 0, 0},                    // MCG_CAP
    {0x17A, 1, 1, WRITABLE, 0, 7, 8},                         // MCG_STATUS
    {0x17B, 1, 1, WRITABLE, 0, ANY, ANY},                     // MCG_CTL
    {0x204, 6, 2, WRITABLE, 0, 0xFFFFFFF006, BIT(40) | 6},    // PHYSBASE2-7
    {0x204, 6, 2, WRITABLE, 0, 0xFFFFFFF005, 2},              // no type 2
    {0x205, 6, 2, WRITABLE, 0, 0xFFFFFFF000, BIT(10)},        // PHYSMASK2-7
    {0x250, 1, 1, WRITABLE, 0, 0x0605040100060504, 0x07},     // FIX64K
    {0x258, 2, 1, WRITABLE, 0, 0x0605040100060504, BIT(57)},  // FIX16K
    {0x268, 8, 1, WRITABLE, 0, 0x0605040100060504, 0x0200},   // FIX4K
    {0x277, 1, 1, WRITABLE, 0x0007040600070406, 0x0706050401000706, 0x02},  // PAT
    {0x2FF, 1, 1, WRITABLE, 0x806, 0xC06, 0x906},                           // DEF_TYPE
    {0x342, 1, 1, WRITABLE, 0, 0x1F, 0x20},                                 // CC6_STATUS
    {0x400, 3, 4, WRITABLE, 0, ANY, ANY},                                   // MC0-2_CTL
    {0x401, 3, 4, CLEARABLE, 0, 0, 1},                                      // MC0-2_STATUS
    {0x402, 3, 4, CLEARABLE, 0, 0, 1},                                      // MC0-2_ADDR
    {0x403, 3, 4, CLEARABLE, 0, 0, 1},                                      // MC0-2_MISC
};

// SPU_BASE, CESR, PLATFORM_ID, more counters and event selects, BIOS_SIGN_ID, SYSENTER_CS,
// CBOX_SPU_PA, MISC_ENABLE, a ninth range, a gap in the fixed ranges, a fourth bank, CSTAR,
// TSC_AUX.
static const u32 absent[] = {0x03,  0x0A,  0x1C,       0x11,       0x17,      0x22,
                             0x2A,  0x8B,  0x174,      0x17E,      0x1A0,     0x210,
                             0x251, 0x40C, 0xC0000083, 0xC0000104, 0xFFFFFFFF};

static void check_row(const struct row* r, u32 number) {
    u64 value = ~r->value;
    struct fault f = probe_rdmsr(number, &value);
    bool good = CHECK(!f.raised);
    good = CHECK_EQ(value, r->value) && good;
    if (r->kind == READ_ONLY) {
        f = probe_wrmsr(number, r->value);
        good = CHECK(fault_is(&f, TRAP_GP, 0)) && good;
    } else {
        f = probe_wrmsr(number, r->accepted);
        good = CHECK(!f.raised) && good;
        if (r->refused != r->accepted) {
            f = probe_wrmsr(number, r->refused);
            good = CHECK(fault_is(&f, TRAP_GP, 0)) && good;
        }
        good = CHECK_EQ(rdmsr(number), r->accepted) && good;
        wrmsr(number, r->value);
    }
    if (!good) printf("  MSR 0x%x\n", number);
}

static void check_all(void) {
    for (u32 i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        for (u32 n = 0; n < rows[i].count; ++n)
            check_row(&rows[i], rows[i].number + n * rows[i].step);
    for (u32 i = 0; i < sizeof absent / sizeof absent[0]; ++i) {
        struct fault f = probe_rdmsr(absent[i], NULL);
        if (!CHECK(fault_is(&f, TRAP_GP, 0))) printf("  MSR 0x%x\n", absent[i]);
        f = probe_wrmsr(absent[i], 0);
        CHECK(fault_is(&f, TRAP_GP, 0));
    }
    // The boot code's ranges: the device hole below 4 GB, in two aligned blocks.
    CHECK_EQ(rdmsr(0x200), 0xFEE00000);
    CHECK_EQ(rdmsr(0x201), 0xFFFFE00800);
    CHECK_EQ(rdmsr(0x202), 0xFF000000);
    CHECK_EQ(rdmsr(0x203), 0xFFFF000800);
}

static volatile u32 done;

static void other_thread(struct thread* t) {
    (void)t;
    check_all();
    done = 1;
}

int main(void) {
    check_all();
    CHECK(thread_boot(this_thread()->apic_id + 1, other_thread) != NULL);
    while (!done) {
    }
    return check_summary();
}
