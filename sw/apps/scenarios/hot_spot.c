// A hot spot on the ring: every member of a team but the owners reads lines that other caches have
// modified. First all lines are in the L2 of one core, then in those of several.
//
// Command line: cores=, step= (lib/team.h; the first `owners` cores own lines, the others read
// them), owners=N (default 4), lines=N (of each reader, default 64). The reads are at ring 3. Marks
// 1 and 2: one core owns all; 3 and 4: the owners share them.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/heap.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/team.h"
#include "lib/user.h"
#include "lib/vm.h"

#define LINE 64ul

static USER_BSS u64 lines;
static u64 owners, readers, first_part;
static u8* arrays[2];

static u8* first_line(u64 part, u64 reader) {
    return arrays[part] + reader * lines * LINE;
}

// The lines of a reader belong to one owner.
static void own(u64 member) {
    for (u64 part = 0; part < 2; ++part) {
        const u64 sharing = part == 0 ? 1 : owners;
        if (member >= sharing) continue;
        for (u64 r = member; r < readers; r += sharing)
            for (u64 l = 0; l < lines; ++l) *(volatile u64*)(first_line(part, r) + l * LINE) = r;
    }
}

static u64 read(u64 at) {
    u64 sum = 0;
    for (u64 l = 0; l < lines; ++l) sum += *(volatile u64*)(at + l * LINE);
    return sum;
}

static void read_part(u64 member) {
    if (member < owners) return;
    const u64 reader = member - owners;
    CHECK_EQ(user_call(read, (u64)first_line(first_part, reader)), reader * lines);
}

static u64 measure(u64 part, u32 first_mark) {
    first_part = part;
    platform_marker(first_mark);
    const u64 clocks = team_run(read_part);
    platform_marker(first_mark + 1);
    return clocks;
}

int main(void) {
    owners = option_number("owners", 4);
    lines = option_number("lines", 64);
    const u64 members = team_start();
    if (!CHECK(members > owners)) return check_summary();
    readers = members - owners;
    for (u64 part = 0; part < 2; ++part) {
        arrays[part] = heap_allocate(readers * lines * LINE, VM_PAGE);
        CHECK(vm_protect(arrays[part], readers * lines * LINE, VM_USER | VM_WRITE));
    }
    team_run(own);
    const u64 one = measure(0, 1), several = measure(1, 3);
    printf("%lu readers of %lu lines: %lu clocks from one core, %lu from %lu\n", readers, lines,
           one, several, owners);
    return check_summary();
}
