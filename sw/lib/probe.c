#include "lib/probe.h"

#include "lib/cpu.h"

struct access {
    u32 number;
    u64 value;
    volatile u8* address;
};

static void read_msr(void* p) {
    struct access* a = p;
    a->value = rdmsr(a->number);
}
static void write_msr(void* p) {
    const struct access* a = p;
    wrmsr(a->number, a->value);
}
static void read_counter(void* p) {
    struct access* a = p;
    a->value = rdpmc(a->number);
}
static void read_memory(void* p) {
    const struct access* a = p;
    (void)*a->address;
}
static void write_memory(void* p) {
    const struct access* a = p;
    *a->address = 0;
}
static void call(void* p) {
    const struct access* a = p;
    ((void (*)(void))(u64)a->address)();
}

static struct fault reading(void (*fn)(void*), u32 number, u64* value) {
    struct access a = {number, 0, NULL};
    const struct fault f = trap_catch(fn, &a);
    if (!f.raised && value != NULL) *value = a.value;
    return f;
}

static struct fault at(void (*fn)(void*), const volatile void* address) {
    struct access a = {0, 0, (volatile u8*)(u64)address};
    return trap_catch(fn, &a);
}

struct fault probe_rdmsr(u32 msr, u64* value) {
    return reading(read_msr, msr, value);
}

struct fault probe_wrmsr(u32 msr, u64 value) {
    struct access a = {msr, value, NULL};
    return trap_catch(write_msr, &a);
}

struct fault probe_rdpmc(u32 counter, u64* value) {
    return reading(read_counter, counter, value);
}

struct fault probe_read(const volatile void* address) {
    return at(read_memory, address);
}

struct fault probe_write(volatile void* address) {
    return at(write_memory, address);
}

struct fault probe_call(const void* code) {
    return at(call, code);
}

bool fault_is(const struct fault* f, unsigned vector, u64 error) {
    return f->raised && f->vector == vector && f->error == error;
}
