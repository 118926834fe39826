// Litmus tests: the orders in which threads may see each other's loads and stores. x86-TSO lets a
// load pass earlier stores of its own thread to other places, and nothing else; a locked or
// serializing instruction in between forbids that, too.
//
// Each test runs many times with different places, delays and cache states, and counts and prints
// the outcomes. Those that TSO forbids must not occur; the one that TSO adds to sequential
// consistency must occur.
//
// Command line: a=ID b=ID c=ID d=ID (threads of the four roles, default 1, 4, 2, 5; never the boot
// thread), rounds=N, seed=N.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/thread.h"

#define ROLES 4
#define LINE 64
#define PLACES 8
#define MOST_OUTCOMES 192
#define START_CLOCKS 1200  // from the last thread's arrival to the start of a round

typedef volatile u32* place;

// What one role has read, and what the two places hold at the end.
struct outcome {
    u8 read[ROLES][2];
    u8 x, y;
};

struct test {
    const char* name;
    void (*roles[ROLES])(place x, place y, u32 gap, u8* read);
    bool (*forbidden)(const struct outcome*);
    bool (*sought)(const struct outcome*);  // must occur; NULL: nothing in particular
};

static struct {
    u32 value[LINE / 4];
} __attribute__((aligned(LINE))) volatile pool[PLACES], clutter[ROLES];

static struct {
    const struct test* test;
    place x, y;
    volatile u64 start;  // clock of the roles' start; 0: not known yet
    volatile u64 arrived;
} __attribute__((aligned(LINE))) now;
static struct outcome found;
static struct barrier barrier;
static u64 seed;

static u32 next_random(u64* state) {
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return (u32)(*state >> 33);
}

// About two clocks for each of `n`.
static inline void pass(u32 n) {
    __asm__ volatile("1:\n\tsubl $1, %0\n\tjns 1b" : "+r"(n) : : "cc");
}
static inline void exchange(place at, u32 value) {
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
}
static inline void locked_add(place at, u32 value) {
    __asm__ volatile("lock addl %1, %0" : "+m"(*at) : "r"(value) : "memory", "cc");
}

// ---- roles: x and y are zero before

#define ROLE(name, body)                                    \
    static void name(place x, place y, u32 gap, u8* read) { \
        (void)x, (void)y, (void)gap, (void)read;            \
        body                                                \
    }
#define READ(n, at) read[n] = (u8)at[0];

ROLE(store_x, *x = 1;)
ROLE(store_y, *y = 1;)
ROLE(store_x2, *x = 2;)
ROLE(store_xy, *x = 1; pass(gap); *y = 1;)
ROLE(store_x1y2, *x = 1; pass(gap); *y = 2;)
ROLE(store_y1x2, *y = 1; pass(gap); *x = 2;)
ROLE(store_x2y1, *x = 2; pass(gap); *y = 1;)
ROLE(read_xy, READ(0, x) pass(gap); READ(1, y))
ROLE(read_yx, READ(0, y) pass(gap); READ(1, x))
ROLE(read_xx, READ(0, x) pass(gap); READ(1, x))
ROLE(read_x_store_y, READ(0, x) pass(gap); *y = 1;)
ROLE(read_y_store_x, READ(0, y) pass(gap); *x = 1;)
// Store buffering: no access other than those of the test may come between.
ROLE(sb_x, *x = 1; READ(0, y))
ROLE(sb_y, *y = 1; READ(0, x))
ROLE(sb_x_locked, *x = 1; memory_barrier(); READ(0, y))
ROLE(sb_y_locked, *y = 1; memory_barrier(); READ(0, x))
ROLE(sb_x_cpuid, *x = 1; cpuid(0); READ(0, y))
ROLE(sb_y_cpuid, *y = 1; cpuid(0); READ(0, x))
ROLE(sb_x_xchg, exchange(x, 1); READ(0, y))
ROLE(sb_y_xchg, exchange(y, 1); READ(0, x))
ROLE(sb_x_add, locked_add(x, 1); READ(0, y))
ROLE(sb_y_add, locked_add(y, 1); READ(0, x))
// A thread sees its own stores at once.
ROLE(sb_own_x, *x = 1; READ(0, x) READ(1, y))
ROLE(sb_own_y, *y = 1; READ(0, y) READ(1, x))

// ---- outcomes

#define READS(role, first, second) (o->read[role][0] == (first) && o->read[role][1] == (second))

static bool sb_none(const struct outcome* o) {
    (void)o;
    return false;
}
static bool sb_both_zero(const struct outcome* o) {
    return o->read[0][0] == 0 && o->read[1][0] == 0;
}
static bool sb_own_missed(const struct outcome* o) {
    return o->read[0][0] != 1 || o->read[1][0] != 1;
}
static bool sb_own_both_zero(const struct outcome* o) {
    return READS(0, 1, 0) && READS(1, 1, 0);
}
static bool mp_flag_before_data(const struct outcome* o) {
    return READS(1, 1, 0);
}
static bool lb_both_one(const struct outcome* o) {
    return o->read[0][0] == 1 && o->read[1][0] == 1;
}
static bool iriw_two_orders(const struct outcome* o) {
    return READS(2, 1, 0) && READS(3, 1, 0);
}
static bool wrc_effect_before_cause(const struct outcome* o) {
    return o->read[1][0] == 1 && READS(2, 1, 0);
}
static bool corr_back(const struct outcome* o) {
    return READS(1, 1, 0);
}
// Whether readers disagree on the order of two stores, or memory ends with the earlier one.
static bool co_two_orders(const struct outcome* o) {
    for (u32 r = 2; r < 4; ++r) {
        const u8 *read = o->read[r], *other = o->read[5 - r];
        if (read[0] != 0 && read[1] == 0) return true;
        if (read[0] == 0 || read[0] == read[1]) continue;
        if (read[0] == o->x || (other[0] == read[1] && other[1] == read[0])) return true;
    }
    return false;
}
static bool ww_both_first(const struct outcome* o) {
    return o->x == 1 && o->y == 1;
}
static bool s_overtaken(const struct outcome* o) {
    return o->read[1][0] == 1 && o->x == 2;
}

static const struct test tests[] = {
    {"sb", {sb_x, sb_y}, sb_none, sb_both_zero},
    {"sb+own", {sb_own_x, sb_own_y}, sb_own_missed, sb_own_both_zero},
    {"sb+lock", {sb_x_locked, sb_y_locked}, sb_both_zero, NULL},
    {"sb+cpuid", {sb_x_cpuid, sb_y_cpuid}, sb_both_zero, NULL},
    {"sb+xchg", {sb_x_xchg, sb_y_xchg}, sb_both_zero, NULL},
    {"sb+lock add", {sb_x_add, sb_y_add}, sb_both_zero, NULL},
    {"mp", {store_xy, read_yx}, mp_flag_before_data, NULL},
    {"lb", {read_x_store_y, read_y_store_x}, lb_both_one, NULL},
    {"wrc", {store_x, read_x_store_y, read_yx}, wrc_effect_before_cause, NULL},
    {"iriw", {store_x, store_y, read_xy, read_yx}, iriw_two_orders, NULL},
    {"corr", {store_x, read_xx}, corr_back, NULL},
    {"co", {store_x, store_x2, read_xx, read_xx}, co_two_orders, NULL},
    {"2+2w", {store_x1y2, store_y1x2}, ww_both_first, NULL},
    {"s", {store_x2y1, read_y_store_x}, s_overtaken, NULL},
};

// ---- rounds

// Brings the place into the thread's caches in some state, or not at all.
static void warm(place at, u32 choice) {
    if (choice == 0) return;
    if (choice == 1)
        locked_add(at, 0);
    else
        (void)*at;
}

// All roles meet, and continue in nearly the same clock.
static void meet(void) {
    if (atomic_fetch_add(&now.arrived, 1) + 1 == ROLES) now.start = rdtsc() + START_CLOCKS;
    while (now.start == 0) {
    }
    while (rdtsc() < now.start) {
    }
}

static void worker(struct thread* t) {
    const u32 role = t->index - 1;
    u64 random = seed * 1000003 + role;
    for (;;) {
        barrier_wait(&barrier);
        const struct test* test = now.test;
        if (test == NULL) return;
        u8 read[2] = {0, 0};
        const u32 dice = next_random(&random);
        warm(now.x, dice & 3);
        warm(now.y, dice >> 2 & 3);
        // Most rounds begin close together, some far apart.
        const u32 before = (dice >> 4 & 3) == 0 ? dice >> 6 & 0xFF : dice >> 6 & 0xF;
        const u32 gap = (dice >> 14 & 3) == 0 ? dice >> 16 & 0x7F : 0;
        meet();
        pass(before);
        // Another store on the way makes those of the test queue behind it.
        if ((dice >> 23 & 3) == 0) clutter[role].value[0] = dice;
        if (test->roles[role] != NULL) test->roles[role](now.x, now.y, gap, read);
        memcpy(found.read[role], read, sizeof(read));
        barrier_wait(&barrier);
    }
}

static struct {
    struct outcome what;
    u64 times;
} table[MOST_OUTCOMES];
static u32 outcomes;

static void count(void) {
    u32 n = 0;
    while (n < outcomes && memcmp(&table[n].what, &found, sizeof(found)) != 0) ++n;
    if (n == outcomes) {
        if (!CHECK(outcomes < MOST_OUTCOMES)) return;
        table[outcomes].what = found;
        table[outcomes++].times = 0;
    }
    ++table[n].times;
}

static void one_round(const struct test* test, u64* random) {
    const u32 dice = next_random(random);
    const u32 x = dice % PLACES,
              y = dice >> 8 & 3 ? (x + 1 + (dice >> 10) % (PLACES - 1)) % PLACES : x;
    for (u32 n = 0; n < ROLES; ++n) clutter[n].value[0] = 0;
    now.test = test;
    now.x = &pool[x].value[0];
    now.y = &pool[y].value[8];
    now.start = now.arrived = 0;
    *now.x = *now.y = 0;
    memset(&found, 0, sizeof(found));
    barrier_wait(&barrier);
    barrier_wait(&barrier);
    found.x = (u8)*now.x;
    found.y = (u8)*now.y;
    count();
}

static void show(const struct test* test) {
    for (u32 n = 0; n < outcomes; ++n) {
        const struct outcome* o = &table[n].what;
        printf("%s:", test->name);
        for (u32 r = 0; r < ROLES; ++r)
            if (test->roles[r] != NULL) printf(" %u%u", o->read[r][0], o->read[r][1]);
        printf(" x=%u y=%u %lu%s\n", o->x, o->y, table[n].times,
               test->forbidden(o) ? " FORBIDDEN" : "");
    }
}

static void run(const struct test* test, u64 rounds, u64* random) {
    outcomes = 0;
    for (u64 n = 0; n < rounds; ++n) one_round(test, random);
    show(test);
    u64 forbidden = 0, sought = 0;
    for (u32 n = 0; n < outcomes; ++n) {
        if (test->forbidden(&table[n].what)) forbidden += table[n].times;
        if (test->sought != NULL && test->sought(&table[n].what)) sought += table[n].times;
    }
    CHECK_EQ(forbidden, 0);
    if (test->sought != NULL) CHECK(sought != 0);
    // One outcome alone would say nothing about order.
    CHECK(outcomes > 1);
}

int main(void) {
    const u32 ids[ROLES] = {
        (u32)option_number("a", 1),
        (u32)option_number("b", 4),
        (u32)option_number("c", 2),
        (u32)option_number("d", 5),
    };
    const u64 rounds = option_number("rounds", 100);
    seed = option_number("seed", 1);
    barrier.members = ROLES + 1;
    for (u32 n = 0; n < ROLES; ++n)
        if (!CHECK(thread_boot(ids[n], worker) != NULL)) return check_summary();
    u64 random = seed;
    for (u32 n = 0; n < sizeof(tests) / sizeof(tests[0]); ++n) run(&tests[n], rounds, &random);
    now.test = NULL;
    barrier_wait(&barrier);
    return check_summary();
}
