// Programs that access lines at random, of which no count is known: but counts have to go together.
//
// Each thread makes 2000 accesses to 1024 lines, twice what an L1D holds, shared by four tiles. A
// linear congruential generator, of which the host can tell how often each kind comes up, chooses
// address and kind: bits 28-31 of its value.

#include <algorithm>

#include <knc/pmu/event_table.h>

#include "harness.h"

namespace knc::caches {
namespace {

using namespace base;

constexpr unsigned tiles = 4;
constexpr unsigned accesses = 2000;
#define ACCESSES "2000"

// `body`: for the kind in EDX, acts on the word at RBX and goes on at 8.
#define RANDOM(seed, body)                                                             \
    "movl $" #seed ", %ebp\nmovl $" ACCESSES                                           \
    ", %ecx\n1: imull $1664525, %ebp, %ebp\naddl $1013904223, %ebp\nmovl %ebp, %ebx\n" \
    "shrl $10, %ebx\nandl $0xfffc, %ebx\naddl $0x400000, %ebx\nmovl %ebp, %edx\n"      \
    "shrl $28, %edx\n" body "8: decl %ecx\njnz 1b\n" HALT

#define BY_RBX(vex, opcode, digit) ".byte 0xc5, " vex ", " opcode ", 0x03 + 8 * " #digit "\n"
#define PREFETCH0_RBX BY_RBX("0xf8", "0x18", 1)
#define PREFETCH1_RBX BY_RBX("0xf8", "0x18", 2)
#define PREFETCHE0_RBX BY_RBX("0xf8", "0x18", 5)
#define CLEVICT0_RBX BY_RBX("0xfb", "0xae", 7)
#define CLEVICT1_RBX BY_RBX("0xfa", "0xae", 7)

// How often a program with this seed comes to a kind in [from, to).
std::uint64_t executed(std::uint32_t seed, std::uint32_t from, std::uint32_t to) {
    std::uint64_t n = 0;
    for (unsigned k = 0; k < accesses; ++k) {
        seed = seed * 1664525 + 1013904223;
        n += seed >> 28 >= from && seed >> 28 < to;
    }
    return n;
}

card::parameters roomy() {
    card::parameters p = standard_parameters(tiles);
    p.cache.mshrs = 64;  // no prefetch is dropped for want of room
    return p;
}

using sum = std::uint64_t;

// Fills of reads, by whomever.
sum read_fills(const machine& m, unsigned t) {
    return m.count(t, l2_data_read_miss_mem_fill) + m.count(t, l2_data_read_miss_cache_fill) +
           m.count(t, l2_code_read_miss_mem_fill) + m.count(t, l2_code_read_miss_cache_fill);
}
sum read_hits(const machine& m, unsigned t) {
    return m.count(t, l2_read_hit_e) + m.count(t, l2_read_hit_m) + m.count(t, l2_read_hit_s);
}
sum cache_fills(const machine& m, unsigned t) {
    return m.count(t, l2_data_read_miss_cache_fill) + m.count(t, l2_code_read_miss_cache_fill) +
           m.count(t, l2_data_write_miss_cache_fill);
}
template <class Count>
sum over_tiles(const machine& m, Count count) {
    sum n = 0;
    for (unsigned t = 0; t < tiles; ++t) n += count(m, t);
    return n;
}
// Of events that belong to no thread, a tile's count is in each thread's.
sum of_tile(const machine& m, unsigned t, event e) {
    return m.count(t, 0u, e);
}

// ---- loads (0-7), VPREFETCH0 (8; 9: then a load of the same word), VPREFETCH1 (10-11; 12: twice;
// 13: then a load), CLEVICT0 (14), CLEVICT1 (15), one thread of each tile. While an eviction is
// under way the L2 cannot ask for the line: the program waits for its end, so that no prefetch is
// dropped for it.

#define READS                                                                                      \
    "cmpl $8, %edx\njb 2f\ncmpl $10, %edx\njb 3f\ncmpl $14, %edx\njb 4f\nje 5f\n" CLEVICT1_RBX     \
    "rdtsc\nleal 1000(%rax), %esi\n7: rdtsc\ncmpl %esi, %eax\njb 7b\njmp 8f\n"                     \
    "5: " CLEVICT0_RBX "jmp 8f\n4: " PREFETCH1_RBX "cmpl $12, %edx\njb 8f\njne 2f\n" PREFETCH1_RBX \
    "jmp 8f\n"                                                                                     \
    "3: " PREFETCH0_RBX "cmpl $9, %edx\njne 8f\n2: movl (%rbx), %eax\n"
KNC_PROGRAM64(reads_0, RANDOM(1, READS));
KNC_PROGRAM64(reads_1, RANDOM(2, READS));
KNC_PROGRAM64(reads_2, RANDOM(3, READS));
KNC_PROGRAM64(reads_3, RANDOM(4, READS));
const std::vector<guest> readers = {
    {0, 0, reads_0}, {1, 0, reads_1}, {2, 0, reads_2}, {3, 0, reads_3}};

void expect_reads(const machine& m) {
    for (unsigned t = 0; t < tiles; ++t) {
        SCOPED_TRACE(t);
        // Executed, and seen by the L1.
        EXPECT_EQ(m.count(t, data_read),
                  executed(t + 1, 0, 8) + executed(t + 1, 9, 10) + executed(t + 1, 13, 14));
        EXPECT_EQ(m.count(t, l1_data_pf1), executed(t + 1, 8, 10));
        EXPECT_EQ(m.count(t, l1_data_pf2), executed(t + 1, 10, 14) + executed(t + 1, 12, 13));
        // Most VPREFETCH1 are seen by the L2, too. Those that are not, and those that miss it, have
        // missed the L1. Of VPREFETCH0, what has missed the L1 is not dropped.
        const sum dropped_by_core = m.count(t, l1_data_pf2) - m.count(t, l2_data_pf2);
        EXPECT_GT(dropped_by_core, 0u);
        EXPECT_LE(dropped_by_core, executed(t + 1, 12, 13) + 5);
        EXPECT_GE(m.count(t, l1_data_pf1_drop),
                  dropped_by_core + m.count(t, l2_data_pf2_miss) + m.count(t, l2_data_pf2_drop));
        EXPECT_LE(m.count(t, l1_data_pf1_drop),
                  m.count(t, l1_data_pf2) + m.count(t, l1_data_pf1) - m.count(t, l1_data_pf1_miss));
        EXPECT_EQ(m.count(t, data_read_miss_or_write_miss), m.count(t, data_read_miss));
        EXPECT_EQ(m.count(t, data_write_miss), 0u);
        EXPECT_GT(m.count(t, data_read_miss), 500u);
        EXPECT_GT(m.count(t, l1_data_hit_inflight_pf1), 0u);
        EXPECT_GT(m.count(t, l2_data_hit_inflight_pf2), 0u);
        // The L2 looks up what the L1 misses, demand and VPREFETCH0, and the VPREFETCH1 it does not
        // drop. A thread waits for its load, so no two of them are one request.
        EXPECT_EQ(read_hits(m, t) + m.count(t, l2_read_miss),
                  m.count(t, data_read_miss) + m.count(t, code_cache_miss) +
                      m.count(t, l1_data_pf1_miss) + m.count(t, l2_data_pf2) -
                      m.count(t, l2_data_pf2_drop));
        // A miss is filled, unless a VPREFETCH1 is being filled for it.
        EXPECT_EQ(m.count(t, l2_read_miss),
                  read_fills(m, t) + m.count(t, l2_data_hit_inflight_pf2));
        // Nothing is written.
        EXPECT_EQ(m.count(t, l2_read_hit_m), 0u);
        EXPECT_EQ(of_tile(m, t, data_cache_lines_written_back), 0u);
        EXPECT_EQ(of_tile(m, t, snp_hitm_l2), 0u);
    }
}

TEST(sums, of_loads_and_prefetches) {
    machine m("machine", roomy(), readers, {});
    m.run();
    expect_reads(m);
    // There is always room.
    for (unsigned t = 0; t < tiles; ++t) EXPECT_EQ(m.count(t, l2_data_pf2_drop), 0u);
    // What comes from another tile costs one a snoop; there is no other reason for snoops.
    EXPECT_EQ(over_tiles(m, cache_fills), over_tiles(m, [](const machine& c, unsigned t) {
                  return of_tile(c, t, snp_hit_l2);
              }));
    EXPECT_GT(over_tiles(m, cache_fills), 500u);
}

// Besides, the prefetcher follows streams. What it asks for is filled for nobody, unless a load or
// fetch meets it on the way; then that has missed. Its requests are snoops to others.
TEST(sums, of_loads_prefetches_and_streams) {
    card::parameters p = roomy();
    p.cache.prefetch.streams = 16;
    machine m("machine", p, readers, {});
    m.run();
    expect_reads(m);
    const auto snoops = [](const machine& c, unsigned t) { return of_tile(c, t, snp_hit_l2); };
    const auto requests = [](const machine& c, unsigned t) { return of_tile(c, t, hwp_l2miss); };
    EXPECT_GT(over_tiles(m, requests), 100u);
    EXPECT_GE(over_tiles(m, snoops), over_tiles(m, cache_fills));
    EXPECT_LE(over_tiles(m, snoops), over_tiles(m, cache_fills) + over_tiles(m, requests));
}

// ---- loads (0-7), stores (8-11), locked additions (12), VPREFETCH0 or VPREFETCHE0 (13), CLEVICT0
// (14), CLEVICT1 (15); two threads of each tile

#define MIXED(prefetch)                                                              \
    "cmpl $8, %edx\njb 2f\ncmpl $12, %edx\njb 3f\nje 4f\ncmpl $14, %edx\njb 5f\nje " \
    "6f\n" CLEVICT1_RBX "jmp 8f\n6: " CLEVICT0_RBX "jmp 8f\n5: " prefetch            \
    "jmp 8f\n4: lock xaddl %eax, (%rbx)\njmp 8f\n3: movl %ecx, (%rbx)\njmp 8f\n"     \
    "2: movl (%rbx), %eax\n"
#define EIGHT_MIXED(name, prefetch)                                                        \
    KNC_PROGRAM64(name##_0, RANDOM(11, MIXED(prefetch)));                                  \
    KNC_PROGRAM64(name##_1, RANDOM(12, MIXED(prefetch)));                                  \
    KNC_PROGRAM64(name##_2, RANDOM(13, MIXED(prefetch)));                                  \
    KNC_PROGRAM64(name##_3, RANDOM(14, MIXED(prefetch)));                                  \
    KNC_PROGRAM64(name##_4, RANDOM(15, MIXED(prefetch)));                                  \
    KNC_PROGRAM64(name##_5, RANDOM(16, MIXED(prefetch)));                                  \
    KNC_PROGRAM64(name##_6, RANDOM(17, MIXED(prefetch)));                                  \
    KNC_PROGRAM64(name##_7, RANDOM(18, MIXED(prefetch)));                                  \
    const std::vector<guest> name = {{0, 0, name##_0}, {0, 1, name##_1}, {1, 0, name##_2}, \
                                     {1, 1, name##_3}, {2, 0, name##_4}, {2, 1, name##_5}, \
                                     {3, 0, name##_6}, {3, 1, name##_7}}
EIGHT_MIXED(mixed, PREFETCH0_RBX);
EIGHT_MIXED(mixed_exclusive, PREFETCHE0_RBX);

// Of one thread; how many of the L2's misses for it to read no fill to read is counted for.
sum expect_mixed(const machine& m, unsigned t, unsigned n) {
    const std::uint32_t seed = 11 + 2 * t + n;
    EXPECT_EQ(m.count(t, n, data_read), executed(seed, 0, 8) + executed(seed, 12, 13));
    EXPECT_EQ(m.count(t, n, data_write), executed(seed, 8, 13));
    EXPECT_EQ(m.count(t, n, l1_data_pf1), executed(seed, 13, 14));
    EXPECT_EQ(m.count(t, n, data_read_miss_or_write_miss),
              m.count(t, n, data_read_miss) + m.count(t, n, data_write_miss));
    EXPECT_GT(m.count(t, n, data_write_miss), 100u);
    EXPECT_LE(m.count(t, n, l2_data_pf1_miss), m.count(t, n, l1_data_pf1_miss));
    EXPECT_LE(m.count(t, n, l1_data_pf1_miss) + m.count(t, n, l1_data_pf1_drop),
              m.count(t, n, l1_data_pf1));
    const sum fills =
        m.count(t, n, l2_data_read_miss_mem_fill) + m.count(t, n, l2_data_read_miss_cache_fill) +
        m.count(t, n, l2_code_read_miss_mem_fill) + m.count(t, n, l2_code_read_miss_cache_fill);
    EXPECT_LE(fills, m.count(t, n, l2_read_miss));
    return m.count(t, n, l2_read_miss) - fills;
}

sum expect_mixed(const machine& m) {
    sum hits = 0, hits_modified = 0, not_filled = 0;
    for (unsigned t = 0; t < tiles; ++t) {
        SCOPED_TRACE(t);
        for (unsigned n = 0; n < 2; ++n) {
            SCOPED_TRACE(n);
            not_filled += expect_mixed(m, t, n);
        }
        EXPECT_LT(of_tile(m, t, l2_victim_req_with_data),
                  of_tile(m, t, data_cache_lines_written_back));
        EXPECT_GT(of_tile(m, t, l2_victim_req_with_data), 0u);
        hits += of_tile(m, t, snp_hit_l2);
        hits_modified += of_tile(m, t, snp_hitm_l2) + of_tile(m, t, snp_hitm_bunit);
    }
    // A line that comes from another tile is a snoop there; other snoops take copies away.
    EXPECT_GT(hits_modified, 100u);
    EXPECT_GT(hits + hits_modified, over_tiles(m, cache_fills));
    return not_filled;
}

// No access of a line under way goes to the L2, so each miss is filled; but stores take over what
// VPREFETCH0 has asked for, and fill it as their own.
TEST(sums, of_loads_stores_and_locked_additions) {
    machine m("machine", roomy(), mixed, {});
    m.run();
    const sum taken = expect_mixed(m);
    EXPECT_GT(taken, 0u);
    EXPECT_LE(taken, over_tiles(m, [](const machine& c, unsigned t) {
                  return c.count(t, l1_data_hit_inflight_pf1);
              }));
}

// What is asked for to be written is no read.
TEST(sums, of_loads_stores_and_exclusive_prefetches) {
    machine m("machine", roomy(), mixed_exclusive, {});
    m.run();
    EXPECT_EQ(expect_mixed(m), 0u);
    EXPECT_GT(over_tiles(m, [](const machine& c,
                               unsigned t) { return c.count(t, l1_data_hit_inflight_pf1); }),
              0u);
}

// ---- four tiles add to one word, 200 times each, in no order

KNC_PROGRAM64(adder,
              "movl $200, %ecx\n1: movl $1, %eax\nlock xaddl %eax, 0x400000\ndecl %ecx\n"
              "jnz 1b\n" HALT);

TEST(sums, of_locked_additions_to_one_word) {
    machine m("machine", roomy(), {{0, 0, adder}, {1, 0, adder}, {2, 0, adder}, {3, 0, adder}}, {});
    m.run();
    EXPECT_EQ(m.read(0x400000), 4 * 200u);
    sum misses = 0, from_memory = 0, from_tiles = 0, taken = 0, written_back = 0;
    for (unsigned t = 0; t < tiles; ++t) {
        SCOPED_TRACE(t);
        misses += m.count(t, data_read_miss);
        from_memory += m.count(t, l2_data_write_miss_mem_fill);
        from_tiles += m.count(t, l2_data_write_miss_cache_fill);
        taken += of_tile(m, t, snp_hitm_l2);
        written_back += of_tile(m, t, data_cache_lines_written_back);
        EXPECT_GE(m.count(t, data_read_miss), 1u);
        EXPECT_LE(m.count(t, data_read_miss), 200u);
        for (const event e : {data_write_miss, l2_write_hit, l2_data_read_miss_mem_fill,
                              l2_data_read_miss_cache_fill, snp_hit_l2, l2_victim_req_with_data})
            EXPECT_EQ(m.count(t, 0, e), 0u) << pmu::info(e).name;
    }
    // The line comes from memory once, and then goes from one that has added to the next.
    EXPECT_EQ(from_memory, 1u);
    EXPECT_EQ(misses, from_memory + from_tiles);
    EXPECT_EQ(taken, from_tiles);
    EXPECT_EQ(written_back, from_tiles);
    EXPECT_GT(from_tiles, 3u);
}

}  // namespace
}  // namespace knc::caches
