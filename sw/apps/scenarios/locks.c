// Contention for a lock: every member of a team takes it `rounds` times and increments a number.
// First with test-and-set, where all wait by exchanges of the lock's word; then with tickets, where
// each takes a number once and waits by loads.
//
// Command line: cores=, threads= (lib/team.h), rounds=N (default 50). All of it is at ring 3. Marks
// 1 and 2: test-and-set; 3 and 4: tickets.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/team.h"
#include "lib/user.h"

static USER_BSS volatile u32 word __attribute__((aligned(64)));
static USER_BSS struct counter next_ticket, serving, number;
static USER_BSS u64 rounds;
static USER_BSS u64 last_owner, handovers;  // protected by the lock

static void critical_section(u64 member) {
    number.value = number.value + 1;
    handovers += last_owner != member;
    last_owner = member;
}

static u64 by_test_and_set(u64 me) {
    for (u64 i = 0; i < rounds; ++i) {
        while (atomic_exchange(&word, 1) != 0) {
        }
        critical_section(me);
        __asm__ volatile("" : : : "memory");
        word = 0;
    }
    return 0;
}

static u64 by_ticket(u64 me) {
    for (u64 i = 0; i < rounds; ++i) {
        const u64 mine = atomic_fetch_add(&next_ticket.value, 1);
        while (serving.value != mine) {
        }
        critical_section(me);
        __asm__ volatile("" : : : "memory");
        serving.value = mine + 1;
    }
    return 0;
}

static void test_and_set(u64 member) {
    user_call(by_test_and_set, member);
}
static void ticket(u64 member) {
    user_call(by_ticket, member);
}

static u64 measure(const char* name, void (*work)(u64), u32 first_mark, u64 members) {
    number.value = handovers = 0;
    platform_marker(first_mark);
    const u64 clocks = team_run(work);
    platform_marker(first_mark + 1);
    CHECK_EQ(number.value, members * rounds);
    printf("%s: %lu times each of %lu members, %lu clocks, %lu handovers\n", name, rounds, members,
           clocks, handovers);
    return handovers;
}

int main(void) {
    rounds = option_number("rounds", 50);
    const u64 members = team_start();
    const u64 unfair = measure("test-and-set", test_and_set, 1, members);
    // Who releases takes a ticket behind all others: no member has the lock twice in a row while
    // others wait.
    CHECK(measure("ticket", ticket, 3, members) > unfair);
    CHECK_EQ(serving.value, members * rounds);
    return check_summary();
}
