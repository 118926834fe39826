// Threads that share lines through vector loads, unaligned loads, gathers, stores under masks,
// scatters, unaligned stores and streaming stores of both kinds. In each phase every word of one
// array becomes a word of the other and a number; each thread writes some words of each line. The
// results do not depend on time.
//
// Command line: cores=, step=, threads= (lib/team.h), phases=N (default 16), race: the threads also
// write and read one line without order, and print a digest of what they found.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/team.h"

#define VECTOR 16  // words
#define LINES 24
#define WORDS (LINES * VECTOR)
#define MOST_MEMBERS 16
// The first lines that are written by scatters, by unaligned stores, by streaming stores.
#define SCATTERED 8
#define PACKED 16
#define STREAMED 20

typedef u32 vector[VECTOR] __attribute__((aligned(64)));

void share_gather(const u32* from, const u32* index, u32 mask);
void share_load(const u32* from, u32 mask);
void share_unpack(const u32* from, u32 mask);
void share_add(const u32* numbers);
void share_store(u32* to);
void share_scatter(u32* to, const u32* index);
void share_pack(u32* to);
void share_stream(u32* to);
void share_stream_weakly(u32* to);
void share_sum(u32* to);

static u32* words[2];  // arrays: phase p reads p % 2 and writes the other
static u64 size, phases;
static bool race;
static vector sums[MOST_MEMBERS];
static vector contested;
static u64 digests[MOST_MEMBERS];

// Where word w comes from.
static u32 origin(u64 phase, u32 w) {
    return (phase % 2 != 0 ? w + VECTOR : 7 * w + 13 * (u32)phase) % WORDS;
}
static u32 number(u64 phase, u32 w) {
    return w * 0x9E3779B1u + (u32)phase;
}

struct chunk {
    vector from, to;  // byte offsets
    vector numbers;
};
static void add_word(struct chunk* c, u32 lane, u64 phase, u32 w) {
    c->from[lane] = 4 * origin(phase, w);
    c->to[lane] = 4 * w;
    c->numbers[lane] = number(phase, w);
}

// Lines of which each thread writes some lanes.
static void store_lines(u64 member, u64 phase, const u32* from, u32* to) {
    for (u32 line = 0; line < SCATTERED; ++line) {
        struct chunk c;
        u32 mask = 0;
        for (u32 n = 0; n < VECTOR; ++n) {
            add_word(&c, n, phase, line * VECTOR + n);
            if (n % size == (member + phase) % size) mask |= 1u << n;
        }
        if (phase % 2 != 0)
            share_load(from + c.from[0] / 4, mask);
        else
            share_gather(from, c.from, mask);
        share_add(c.numbers);
        share_store(to + line * VECTOR);
    }
}

// Words of many lines at a time.
static void scatter_words(u64 member, u64 phase, const u32* from, u32* to) {
    struct chunk c;
    u32 lanes = 0;
    for (u32 w = SCATTERED * VECTOR; w <= PACKED * VECTOR; ++w) {
        if (w < PACKED * VECTOR && w % size == (member + phase) % size)
            add_word(&c, lanes++, phase, w);
        if (lanes != VECTOR && (w != PACKED * VECTOR || lanes == 0)) continue;
        share_gather(from, c.from, (1u << lanes) - 1);
        share_add(c.numbers);
        share_scatter(to, c.to);
        lanes = 0;
    }
}

// Parts of unequal length, whose borders lie within lines.
static void pack_part(u64 member, u64 phase, const u32* from, u32* to) {
    const u32 all = (STREAMED - PACKED) * VECTOR;
    const u32 begin = PACKED * VECTOR + (u32)(all * member / size);
    const u32 end = PACKED * VECTOR + (u32)(all * (member + 1) / size);
    for (u32 w = begin; w < end; w += VECTOR) {
        const u32 count = end - w < VECTOR ? end - w : VECTOR;
        struct chunk c;
        for (u32 n = 0; n < VECTOR; ++n) add_word(&c, n, phase, w + (n < count ? n : 0));
        const u32 mask = (1u << count) - 1;
        if (phase % 2 != 0)
            share_unpack(from + c.from[0] / 4, mask);
        else
            share_gather(from, c.from, mask);
        share_add(c.numbers);
        share_pack(to + w);
    }
}

// Lines that belong to another thread in each phase.
static void stream_lines(u64 member, u64 phase, const u32* from, u32* to) {
    for (u32 line = STREAMED; line < LINES; ++line) {
        if ((line + phase) % size != member) continue;
        struct chunk c;
        for (u32 n = 0; n < VECTOR; ++n) add_word(&c, n, phase, line * VECTOR + n);
        share_gather(from, c.from, 0xFFFF);
        share_add(c.numbers);
        if ((line + phase / 2) % 2 != 0)
            share_stream(to + line * VECTOR);
        else
            share_stream_weakly(to + line * VECTOR);
    }
}

static void contest(u64 member, u64 phase) {
    vector numbers;
    for (u32 n = 0; n < VECTOR; ++n) numbers[n] = (u32)(member << 16 | phase << 8 | n);
    for (u32 n = 0; n < 8; ++n) {
        share_load(numbers, 0x1111u << (member + n) % 4);
        share_store(contested);
        if (n == 5) share_stream_weakly(contested);
        share_load(contested, 0xFFFF);
        vector found;
        knc_vmovaps_store(found, 1);
        for (u32 i = 0; i < VECTOR; ++i) digests[member] = digests[member] * 31 + found[i];
    }
}

static void work(u64 member) {
    share_sum(sums[member]);
    for (u64 phase = 0; phase < phases; ++phase) {
        const u32* const from = words[phase % 2];
        u32* const to = words[1 - phase % 2];
        store_lines(member, phase, from, to);
        scatter_words(member, phase, from, to);
        pack_part(member, phase, from, to);
        stream_lines(member, phase, from, to);
        if (race) contest(member, phase);
        // Also for the weakly ordered stores.
        memory_barrier();
        team_wait();
    }
    share_sum(sums[member]);
}

// The same with integers.
static void check_results(void) {
    static u32 model[2][WORDS];
    u32 sum = 0, total = 0;
    for (u32 w = 0; w < WORDS; ++w) model[0][w] = w * w;
    for (u64 phase = 0; phase < phases; ++phase)
        for (u32 w = 0; w < WORDS; ++w) {
            const u32 value = model[phase % 2][origin(phase, w)] + number(phase, w);
            model[1 - phase % 2][w] = value;
            sum += value;
        }
    u64 digest = 0;
    for (u32 n = 0; n < 2; ++n)
        for (u32 w = 0; w < WORDS; ++w) {
            CHECK_EQ(words[n][w], model[n][w]);
            digest = digest * 31 + words[n][w];
        }
    for (u64 member = 0; member < size; ++member)
        for (u32 n = 0; n < VECTOR; ++n) {
            total += sums[member][n];
            digest = digest * 31 + sums[member][n];
        }
    CHECK_EQ(total, sum);
    printf("digest %016lx\n", digest);
    for (u64 member = 0; race && member < size; ++member)
        printf("member %lu found %016lx\n", member, digests[member]);
}

int main(void) {
    phases = option_number("phases", 16);
    race = option("race");
    size = team_start();
    if (!CHECK(size >= 1 && size <= MOST_MEMBERS)) return check_summary();
    for (u32 n = 0; n < 2; ++n) {
        words[n] = heap_allocate(WORDS * 4, 64);
        if (!CHECK(words[n] != NULL)) return check_summary();
    }
    for (u32 w = 0; w < WORDS; ++w) words[0][w] = w * w;
    team_run(work);
    check_results();
    return check_summary();
}
