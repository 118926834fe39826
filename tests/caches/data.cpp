// Loads and stores of one thread: misses, hits in each state of the L2, replacement, write-backs.
//
// Addresses: lines 4 KB apart share a set of the L1D, lines 64 KB apart also one of the L2; both
// caches have 8 ways.

#include "harness.h"

namespace knc::caches {
namespace {

using namespace base;

// ---- loads

KNC_CACHE_KERNEL(data, nothing, HALT, counts());
KNC_CACHE_KERNEL(data, load, LOAD(0x400000) HALT, read_from_memory());
// The other words of the line are there, too.
KNC_CACHE_KERNEL(data, loads_of_one_line, LOADS(0x400000, 4, 16) HALT,
                 read_from_memory() + loads(15));
KNC_CACHE_KERNEL(data, loads_of_lines, LOADS(0x400000, 64, 5) HALT, 5 * read_from_memory());
// Bytes of two lines, one access to each.
KNC_CACHE_KERNEL(data, load_across_lines, LOAD(0x40003e) HALT, 2 * read_from_memory());
// 8 lines of a set stay.
KNC_CACHE_KERNEL(data, set_filled, LOADS(0x400000, 0x1000, 8) LOADS(0x400000, 0x1000, 8) HALT,
                 8 * read_from_memory() + loads(8));
// The ninth takes the place of the first, which only the L2 has then: as memory has it, E.
KNC_CACHE_KERNEL(data, set_overfilled, LOADS(0x400000, 0x1000, 9) LOAD(0x400000) HALT,
                 9 * read_from_memory() + read_miss() + l2_read_hit_e);
// With 9 lines in turn every one is replaced before it is used again.
KNC_CACHE_KERNEL(data, cyclic, LOADS(0x400000, 0x1000, 9) LOADS(0x400000, 0x1000, 9) HALT,
                 9 * read_from_memory() + 9 * (read_miss() + l2_read_hit_e));
// The line used least recently goes: the second, since the first has been used again.
KNC_CACHE_KERNEL(data, least_recent_goes,
                 LOADS(0x400000, 0x1000, 8) LOAD(0x400000) LOAD(0x408000) LOAD(0x400000)
                     LOAD(0x401000) HALT,
                 9 * read_from_memory() + loads(2) + read_miss() + l2_read_hit_e);

// ---- stores

KNC_CACHE_KERNEL(data, store, STORE(0x400000) HALT, written_from_memory());
// The line came in E: it may be written without a word to the L2.
KNC_CACHE_KERNEL(data, store_behind_load, LOAD(0x400000) STORE(0x400000) HALT,
                 read_from_memory() + stores(1));
KNC_CACHE_KERNEL(data, load_behind_store, STORE(0x400000) WAIT LOAD(0x400000) HALT,
                 written_from_memory() + loads(1));
// The second store finds no valid line either: it is on its way, asked for once.
KNC_CACHE_KERNEL(data, stores_to_line_under_way, STORE(0x400000) STORE(0x400004) HALT,
                 written_from_memory() + write_miss());
// So does a load.
KNC_CACHE_KERNEL(data, load_from_line_under_way, STORE(0x400000) LOAD(0x400004) HALT,
                 written_from_memory() + read_miss());
// The L2 has the line in E when the L1D has replaced it: a request to write it hits.
KNC_CACHE_KERNEL(data, write_hit_in_l2_on_e, LOADS(0x400000, 0x1000, 9) STORE(0x400000) HALT,
                 9 * read_from_memory() + write_miss() + l2_write_hit);
// A load and a store that is one instruction: the load misses, the store finds its line. What asks
// the L2 for the line asks for it to be written.
KNC_CACHE_KERNEL(data, read_modify_write, "incl 0x400000\n" HALT,
                 read_miss() + l2_data_write_miss_mem_fill + stores(1));
KNC_CACHE_KERNEL(data, locked, "lock incl 0x400000\n" HALT,
                 read_miss() + l2_data_write_miss_mem_fill + stores(1));
KNC_CACHE_KERNEL(data, read_modify_write_hit_in_l2,
                 LOADS(0x400000, 0x1000, 9) "incl 0x400000\n" HALT,
                 9 * read_from_memory() + read_miss() + l2_write_hit + stores(1));

// ---- dirty lines

// M leaves the L1D for the L2.
const counts written_back = counts{l2_victim_req_with_data} + data_cache_lines_written_back;
KNC_CACHE_KERNEL(data, dirty_line_replaced, STORE(0x400000) WAIT LOADS(0x401000, 0x1000, 8) HALT,
                 written_from_memory() + 8 * read_from_memory() + written_back);
// One that was only read is not.
KNC_CACHE_KERNEL(data, clean_line_replaced, LOAD(0x400000) LOADS(0x401000, 0x1000, 8) HALT,
                 9 * read_from_memory());
// Of 9 dirty lines, twice in turn, 8 are still there in the end.
KNC_CACHE_KERNEL(data, dirty_lines_replaced,
                 KNC_EACH(0x400000, 0x1000, 9, "movl %eax, knc_at\n" WAIT)
                     KNC_EACH(0x400000, 0x1000, 9, "movl %eax, knc_at\n" WAIT) HALT,
                 9 * written_from_memory() + 9 * (write_miss() + l2_write_hit) + 10 * written_back);
// Then the L2 has it in M.
KNC_CACHE_KERNEL(data, read_hit_in_l2_on_m,
                 STORE(0x400000) WAIT LOADS(0x401000, 0x1000, 8) LOAD(0x400000) HALT,
                 written_from_memory() + 8 * read_from_memory() + written_back + read_miss() +
                     l2_read_hit_m);
KNC_CACHE_KERNEL(data, write_hit_in_l2_on_m,
                 STORE(0x400000) WAIT LOADS(0x401000, 0x1000, 8) STORE(0x400000) HALT,
                 written_from_memory() + 8 * read_from_memory() + written_back + write_miss() +
                     l2_write_hit);

// ---- the L2 includes the L1

// Line 0 is used again, so the L1D would keep it. The L2 does not see that use: the ninth line of
// its set takes the place of line 0, and the L1D loses it, too.
KNC_CACHE_KERNEL(data, back_invalidation,
                 LOADS(0x400000, 0x10000, 8) LOAD(0x400000) LOAD(0x480000) LOAD(0x400000) HALT,
                 10 * read_from_memory() + loads(1));
// In sets of the L1D of their own, 8 lines stay in both.
KNC_CACHE_KERNEL(data, set_of_l2_filled,
                 LOADS(0x400000, 0x10000, 8) LOADS(0x400000, 0x10000, 8) HALT,
                 8 * read_from_memory() + loads(8));
// What the L1D has written goes back with it; that is no victim of the L1D's own.
KNC_CACHE_KERNEL(data, back_invalidation_of_dirty_line,
                 STORE(0x400000) WAIT LOADS(0x410000, 0x10000, 8) WAIT LOAD(0x400000) HALT,
                 written_from_memory() + 9 * read_from_memory() + data_cache_lines_written_back);

// ---- page walks: what is read of the tables goes through the caches, but is no access of the
// program

// The line of the last table; the others' are in the L1D.
const counts walk_from_memory = counts{l2_read_miss} + l2_data_read_miss_mem_fill;
KNC_CACHE_KERNEL(data, page_walk, LOAD(0x800000) HALT, walk_from_memory + read_from_memory());
// The walk marks the page as accessed and dirty: the table's line, in E, is written.
KNC_CACHE_KERNEL(data, page_walk_that_writes, STORE(0x801000) WAIT CLEVICT0(0xc000) HALT,
                 walk_from_memory + written_from_memory() + written_back);

// ---- cache control

KNC_CACHE_KERNEL(data, clevict0_of_clean_line,
                 LOAD(0x400000) CLEVICT0(0x400000) LOAD(0x400000) HALT,
                 read_from_memory() + read_miss() + l2_read_hit_e);
KNC_CACHE_KERNEL(data, clevict0_of_dirty_line,
                 STORE(0x400000) WAIT CLEVICT0(0x400000) LOAD(0x400000) HALT,
                 written_from_memory() + written_back + read_miss() + l2_read_hit_m);
KNC_CACHE_KERNEL(data, clevict0_of_absent_line, CLEVICT0(0x400000) HALT, counts());
KNC_CACHE_KERNEL(data, clevict1_of_clean_line,
                 LOAD(0x400000) CLEVICT1(0x400000) LOAD(0x400000) HALT, 2 * read_from_memory());
KNC_CACHE_KERNEL(data, clevict1_of_dirty_line,
                 STORE(0x400000) WAIT CLEVICT1(0x400000) LOAD(0x400000) HALT,
                 written_from_memory() + data_cache_lines_written_back + read_from_memory());

// ---- event entries

// #UD. Its entry has read the gate, which the L1D has, when the descriptor of the code segment has
// to come: it is tried again, and the gate counts once. The frame goes to a third line.
// Before, the gate and the operand of LIDT are stored, two stores to a line each, and LIDT reads.
KNC_CACHE_KERNEL(data, entry_that_waits,
                 "movl $(8f - data_entry_that_waits_text_begin + 0x80800), 0x400060\n"
                 "movl $0x108e00, 0x400064\nmovl $0xfff, 0x402000\nmovl $0x40, 0x402004\n"
                 "movl $0x405000, %esp\n" WAIT "lidt 0x402000\n" CLEVICT1(0x8000) "ud2\n8:\n" HALT,
                 2 * (written_from_memory() + write_miss()) + loads(1) + loads(1) +
                     read_from_memory() + written_from_memory());

}  // namespace
}  // namespace knc::caches
