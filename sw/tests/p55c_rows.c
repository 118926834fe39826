#include "tests/p55c_rows.h"

extern u32 boot_information;

int asked_for(const char* word) {
    const u32* const b = (const u32*)boot_information;
    if (b == 0 || (b[0] & 4) == 0) return 0;
    for (const char* s = (const char*)b[4]; *s != '\0'; ++s) {
        u32 n = 0;
        while (word[n] != '\0' && s[n] == word[n]) ++n;
        if (word[n] == '\0') return 1;
    }
    return 0;
}

void measure(kernel* k, u32 field0, u32 field1, u64 v[P55C_COUNTERS]) {
    k(0);
    p55c_start(0, 0, 0);
    k(p55c_control(field0, field1));
    p55c_stop(v);
}

void measure_clocks(kernel* k, u32 first, u32 second, u64 v[P55C_COUNTERS]) {
    const u32 cc = P55C_ALL | P55C_CLOCKS;
    measure(k, p55c_field(first, cc, 0), p55c_field(second, cc, 0), v);
}

u64 count(kernel* k, u32 event, u32 n, u32 cc) {
    const u32 field = p55c_field(event, cc, 0);
    u64 v[P55C_COUNTERS];
    measure(k, n == 0 ? field : 0, n == 1 ? field : 0, v);
    check(__LINE__, "the other counter is off", v[1 - n] == 0);
    return v[n];
}

// The counters have different events of these codes.
static int has_twins(u32 event) {
    static const u8 twins[] = {0x2B, 0x2D, 0x2F, 0x31, 0x32, 0x34,
                               0x35, 0x36, 0x37, 0x38, 0x39, 0x3B};
    for (u32 i = 0; i < sizeof twins; ++i)
        if (twins[i] == event) return 1;
    return 0;
}

static void check_row(const struct row* r) {
    for (u32 n = 0; n < P55C_COUNTERS; ++n) {
        if ((r->counters >> n & 1) == 0 && has_twins(r->event)) continue;
        const u32 want = (r->counters >> n & 1) != 0 ? r->expected : 0;
        const u32 got = (u32)count(r->k, r->event, n, r->cc);
        check(r->line, "a count", got == want);
        if (got == want) continue;
        print("  event ");
        print_hex(r->event);
        print(" counter ");
        print_hex(n);
        print(" counts ");
        print_hex(got);
        print(" want ");
        print_hex(want);
        print("\n");
    }
}

void check_rows(const struct row* r, u32 rows) {
    for (u32 i = 0; i < rows; ++i) check_row(&r[i]);
}
