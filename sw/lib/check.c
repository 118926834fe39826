#include "lib/check.h"

#include "lib/lock.h"
#include "lib/printf.h"

static volatile u64 checks;
static volatile u64 failures;

bool check_true(const char* file, int line, const char* expression, bool holds) {
    atomic_fetch_add(&checks, 1);
    if (holds) return true;
    atomic_fetch_add(&failures, 1);
    printf("FAIL %s:%d: %s got false want true\n", file, line, expression);
    return false;
}

bool check_equal(const char* file, int line, const char* expression, u64 got, u64 want) {
    atomic_fetch_add(&checks, 1);
    if (got == want) return true;
    atomic_fetch_add(&failures, 1);
    printf("FAIL %s:%d: %s got 0x%lx want 0x%lx\n", file, line, expression, got, want);
    return false;
}

bool check_range(const char* file, int line, const char* expression, u64 got, u64 low, u64 high) {
    atomic_fetch_add(&checks, 1);
    if (got >= low && got <= high) return true;
    atomic_fetch_add(&failures, 1);
    printf("FAIL %s:%d: %s got %lu want %lu..%lu\n", file, line, expression, got, low, high);
    return false;
}

int check_summary(void) {
    printf("%lu checks, %lu failed\n", checks, failures);
    return checks == 0 || failures != 0 ? 1 : 0;
}
