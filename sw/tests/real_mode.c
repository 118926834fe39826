// Real mode on a thread that a start-up message starts; this file checks the results.
//
// Command line: other=ID of the thread (default 1).
#include "tests/real_mode.h"

#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/string.h"

extern char real_mode_program[], real_mode_program_end[];

static u32 result(u32 offset) {
    return *(volatile u32*)(u64)(RESULTS_PAGE + offset);
}

static bool stage(u32 wanted) {
    for (u32 i = 0; i < 10000 && result(RESULT_STAGE) != wanted; ++i) platform_delay(100);
    return result(RESULT_STAGE) == wanted;
}

static void settle(void) {
    for (u32 i = 0; i < 20; ++i) platform_delay(500);
}

static const char text[] = "Knights Corner starts here";
_Static_assert(sizeof text - 1 == TEXT_BYTES, "real_mode.h");

static u32 text_sum(void) {
    u32 sum = 0;
    for (const char* s = text; *s != '\0'; ++s) sum += (u8)*s;
    return sum;
}

static void put_pointer(u32 at, u16 limit, u32 base) {
    memcpy((void*)(u64)(PROGRAM_PAGE + at), &limit, sizeof limit);
    memcpy((void*)(u64)(PROGRAM_PAGE + at + 2), &base, sizeof base);
}

static void put_program(void) {
    static const u64 descriptors[] = {0, 0x00CF93000000FFFF};
    memset((void*)RESULTS_PAGE, 0, 0x100);
    memcpy((void*)PROGRAM_PAGE, real_mode_program,
           (size_t)(real_mode_program_end - real_mode_program));
    memcpy((void*)(PROGRAM_PAGE + PROGRAM_TEXT), text, TEXT_BYTES);
    memcpy((void*)(PROGRAM_PAGE + DESCRIPTORS), descriptors, sizeof descriptors);
    put_pointer(DESCRIPTORS_POINTER, sizeof descriptors - 1, PROGRAM_PAGE + DESCRIPTORS);
    put_pointer(MOVED_TABLE_POINTER, 0x3FF, MOVED_TABLE);
    put_pointer(LOW_TABLE_POINTER, 0x3FF, 0);
}

int main(void) {
    const u32 id = (u32)option_number("other", 1);
    put_program();
    *(volatile u8*)(PROGRAM_PAGE + 0xFFFF) = 0x5A;
    // Addresses do not wrap to 0: the image lies at 1 MB.
    const u32 high = *(volatile u32*)HIGH_ADDRESS;
    *(volatile u32*)UNREAL_ADDRESS = 0xCAFE5EED;
    *(volatile u32*)(UNREAL_ADDRESS + 4) = 0x0DDBA115;
    memory_barrier();

    apic_send_init(id);
    settle();
    apic_send_startup(id, PROGRAM_PAGE >> 12);
    const bool waits = stage(STAGE_WAITS);
    printf("stage 0x%x\n", result(RESULT_STAGE));
    if (!CHECK(waits)) return check_summary();

    // CS of the start is the page, IP 0; EDX has the processor's signature since INIT.
    CHECK_EQ(result(RESULT_CS_IP) & 0xFFFF, PROGRAM_PAGE >> 4);
    CHECK_EQ(result(RESULT_CS_IP) >> 16, cpuid(1).eax & 0xFFFF);
    CHECK_EQ(result(RESULT_STRING), text_sum());
    CHECK_EQ(result(RESULT_WIDE), 0x09ABCDF0u ^ 0xFFFFCDF0u);
    CHECK_EQ(result(RESULT_SEGMENT), 0x13572468);
    CHECK_EQ(result(RESULT_FAR_CALL), 0);
    CHECK_EQ(result(RESULT_INT), 0x0123 + 0x0456);
    // IF and TF are off in the handler; IF is on again after it.
    CHECK_EQ(result(RESULT_FLAGS), 0x200);
    // Faults save the IP of the instruction itself.
    CHECK_EQ(result(RESULT_DIVIDE), 0);
    CHECK_EQ(result(RESULT_LIMIT), 0);
    CHECK_EQ(result(RESULT_STACK), 0);
    CHECK_EQ(result(RESULT_UNDEFINED), 0);
    CHECK_EQ(result(RESULT_BOUND), 0x11);
    CHECK_EQ(result(RESULT_SINGLE_STEP), 5);
    CHECK_EQ(result(RESULT_LAST_BYTE), 0x5A);
    CHECK_EQ(result(RESULT_HIGH), high);
    CHECK_EQ(result(RESULT_TABLE), 0x4456);
    CHECK_EQ(result(RESULT_PROTECTED) & 1, 1);
    CHECK_EQ(result(RESULT_UNREAL), 0xCAFE5EED);
    CHECK_EQ(result(RESULT_UNREAL_MOVED), 0x0DDBA115);

    settle();
    CHECK_EQ(result(RESULT_STAGE), STAGE_WAITS);
    apic_send_fixed(id, INTERRUPT_VECTOR);
    CHECK(stage(STAGE_NMI));
    CHECK_EQ(result(RESULT_INTERRUPT), 1);
    // HLT with interrupts off: the NMI only.
    settle();
    CHECK_EQ(result(RESULT_STAGE), STAGE_NMI);
    apic_send_nmi(id);
    CHECK(stage(STAGE_DONE));
    CHECK_EQ(result(RESULT_NMI), 0x200);
    return check_summary();
}
