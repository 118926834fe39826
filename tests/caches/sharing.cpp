// Lines that several tiles use: fills from another L2, snoops, upgrades, uncached accesses.
//
// Tile 0 acts first, tile 1 3000 clocks later, tile 2 another 3000: no access takes as long.

#include "harness.h"

namespace knc::caches {
namespace {

using namespace base;

#define SECOND AT(3000)
#define THIRD AT(6000)
#define FOURTH AT(9000)

KNC_PROGRAM64(load, LOAD(0x400000) HALT);
KNC_PROGRAM64(load_second, SECOND LOAD(0x400000) HALT);
KNC_PROGRAM64(load_third, THIRD LOAD(0x400000) HALT);
KNC_PROGRAM64(store, STORE(0x400000) HALT);
KNC_PROGRAM64(store_second, SECOND STORE(0x400000) HALT);
KNC_PROGRAM64(store_third, THIRD STORE(0x400000) HALT);
KNC_PROGRAM64(load_and_store_third, LOAD(0x400000) THIRD STORE(0x400000) HALT);
KNC_PROGRAM64(store_and_store_third, STORE(0x400000) THIRD STORE(0x400000) HALT);
KNC_PROGRAM64(load_next_line_second, SECOND LOAD(0x400040) HALT);

// The owner's L1D had written to the line: it goes back before the L2 answers.
const counts dirty_snoop = counts{snp_hitm_l2} + data_cache_lines_written_back;

// ---- two tiles

// E in tile 0 becomes S; tile 0 sends the line.
const kernel load_load("sharing", "load_load", {{0, 0, load}, {1, 0, load_second}},
                       {{0, 0, read_from_memory() + snp_hit_l2}, {1, 0, read_from_tile()}});
const kernel other_lines("sharing", "other_lines", {{0, 0, load}, {1, 0, load_next_line_second}},
                         {{0, 0, read_from_memory()}, {1, 0, read_from_memory()}});
const kernel store_load("sharing", "store_load", {{0, 0, store}, {1, 0, load_second}},
                        {{0, 0, written_from_memory() + dirty_snoop}, {1, 0, read_from_tile()}});
const kernel load_store("sharing", "load_store", {{0, 0, load}, {1, 0, store_second}},
                        {{0, 0, read_from_memory() + snp_hit_l2}, {1, 0, written_from_tile()}});
const kernel store_store("sharing", "store_store", {{0, 0, store}, {1, 0, store_second}},
                         {{0, 0, written_from_memory() + dirty_snoop},
                          {1, 0, written_from_tile()}});
// The line is lost by it: tile 0 has to fetch it back, from a tile that has written it.
KNC_PROGRAM64(load_and_load_third, LOAD(0x400000) THIRD LOAD(0x400000) HALT);
const kernel load_store_load("sharing", "load_store_load",
                             {{0, 0, load_and_load_third}, {1, 0, store_second}},
                             {{0, 0, read_from_memory() + snp_hit_l2 + read_from_tile()},
                              {1, 0, written_from_tile() + dirty_snoop}});

// ---- upgrades: the line is there, only the right to write it is not. No miss and no fill.

const kernel upgrade("sharing", "upgrade", {{0, 0, load_and_store_third}, {1, 0, load_second}},
                     {{0, 0, read_from_memory() + stores(1) + snp_hit_l2},
                      {1, 0, read_from_tile() + snp_hit_l2}});
// Tile 0 has it in O, tile 1 a clean copy.
const kernel upgrade_of_owner("sharing", "upgrade_of_owner",
                              {{0, 0, store_and_store_third}, {1, 0, load_second}},
                              {{0, 0, written_from_memory() + stores(1) + dirty_snoop},
                               {1, 0, read_from_tile() + snp_hit_l2}});
// Tile 1 has a copy; it becomes the owner, and tile 0 loses what its L2 has in O.
KNC_PROGRAM64(load_and_store_second, SECOND LOAD(0x400000) WAIT STORE(0x400000) HALT);
const kernel upgrade_of_sharer("sharing", "upgrade_of_sharer",
                               {{0, 0, store}, {1, 0, load_and_store_second}},
                               {{0, 0, written_from_memory() + dirty_snoop + snp_hitm_l2},
                                {1, 0, read_from_tile() + stores(1)}});

// While the right is on its way the copy may be read: from the L2, when the L1D has dropped it.
KNC_PROGRAM64(load_and_store_later, SECOND LOAD(0x400000) THIRD STORE(0x400000) HALT);
KNC_PROGRAM64(evict_and_load_then, AT(6100) CLEVICT0(0x400000) LOAD(0x400000) HALT);
const kernel read_during_upgrade("sharing", "read_during_upgrade",
                                 {{0, 0, load},
                                  {1, 0, load_and_store_later},
                                  {1, 2, evict_and_load_then}},
                                 {{0, 0, read_from_memory() + 2 * counts{snp_hit_l2}},
                                  {1, 0, read_from_tile() + stores(1)},
                                  {1, 2, read_miss() + l2_read_hit_s}});
// And fetched. The store makes the code void when it is performed.
KNC_PROGRAM64(back, "jmp *%rdi\n");
KNC_PROGRAM64(fetch_then, AT(6100) VISIT_BY(fetch_then, 1, 2, 0x400000) HALT);
conditions code_in_line() {
    conditions c;
    c.more.push_back({0x400000u, back});
    return c;
}
KNC_PROGRAM64(store_behind_code, SECOND LOAD(0x400000) THIRD "movl %eax, 0x400020\n" HALT);
const kernel fetch_during_upgrade("sharing", "fetch_during_upgrade",
                                  {{0, 0, load}, {1, 0, store_behind_code}, {1, 2, fetch_then}},
                                  {{0, 0, read_from_memory() + 2 * counts{snp_hit_l2}},
                                   {1, 0, read_from_tile() + stores(1)},
                                   {1, 2, counts{code_cache_miss} + l2_read_hit_s}},
                                  code_in_line());

// ---- hits in the L2 on shared lines, when the L1D has dropped its copy

KNC_PROGRAM64(load_and_again_third, LOAD(0x400000) CLEVICT0(0x400000) THIRD LOAD(0x400000) HALT);
KNC_PROGRAM64(load_second_and_again,
              SECOND LOAD(0x400000) CLEVICT0(0x400000) WAIT LOAD(0x400000) HALT);
KNC_PROGRAM64(store_and_again_third, STORE(0x400000) THIRD CLEVICT0(0x400000) LOAD(0x400000) HALT);
const kernel hit_on_s("sharing", "hit_on_s", {{0, 0, load_and_again_third}, {1, 0, load_second}},
                      {{0, 0, read_from_memory() + snp_hit_l2 + read_miss() + l2_read_hit_s},
                       {1, 0, read_from_tile()}});
const kernel hit_on_s_of_second("sharing", "hit_on_s_of_second",
                                {{0, 0, load}, {1, 0, load_second_and_again}},
                                {{0, 0, read_from_memory() + snp_hit_l2},
                                 {1, 0, read_from_tile() + read_miss() + l2_read_hit_s}});
// A line in O is shared to the core.
const kernel hit_on_o("sharing", "hit_on_o", {{0, 0, store_and_again_third}, {1, 0, load_second}},
                      {{0, 0, written_from_memory() + dirty_snoop + read_miss() + l2_read_hit_s},
                       {1, 0, read_from_tile()}});

// ---- three tiles

// The sharer after the requester, counted around, sends the line: tile 0 to tile 2.
const kernel third_reader("sharing", "third_reader",
                          {{0, 0, load}, {1, 0, load_second}, {2, 0, load_third}},
                          {{0, 0, read_from_memory() + 2 * counts{snp_hit_l2}},
                           {1, 0, read_from_tile()},
                           {2, 0, read_from_tile()}});
// One sends the line, the other is told to drop it.
const kernel third_writes("sharing", "third_writes",
                          {{0, 0, load}, {1, 0, load_second}, {2, 0, store_third}},
                          {{0, 0, read_from_memory() + 2 * counts{snp_hit_l2}},
                           {1, 0, read_from_tile() + snp_hit_l2},
                           {2, 0, written_from_tile()}});
// The owner of a dirty line sends it each time; it is written back once.
const kernel third_reader_of_dirty("sharing", "third_reader_of_dirty",
                                   {{0, 0, store}, {1, 0, load_second}, {2, 0, load_third}},
                                   {{0, 0, written_from_memory() + dirty_snoop + snp_hitm_l2},
                                    {1, 0, read_from_tile()},
                                    {2, 0, read_from_tile()}});
const kernel third_writes_dirty("sharing", "third_writes_dirty",
                                {{0, 0, store}, {1, 0, load_second}, {2, 0, store_third}},
                                {{0, 0, written_from_memory() + dirty_snoop + snp_hitm_l2},
                                 {1, 0, read_from_tile() + snp_hit_l2},
                                 {2, 0, written_from_tile()}});

// ---- threads of one tile share its caches

const kernel threads_load("sharing", "threads_load", {{0, 0, load}, {0, 1, load_second}},
                          {{0, 0, read_from_memory()}, {0, 1, loads(1)}});
const kernel threads_store("sharing", "threads_store", {{0, 0, store}, {0, 3, store_second}},
                           {{0, 0, written_from_memory()}, {0, 3, stores(1)}});
// Both miss the L1D, one request goes to the L2.
KNC_PROGRAM64(load_at_2000, AT(2000) LOAD(0x400000) HALT);
KNC_PROGRAM64(load_at_2100, AT(2100) LOAD(0x400000) HALT);
const kernel threads_load_together("sharing", "threads_load_together",
                                   {{0, 0, load_at_2000}, {0, 1, load_at_2100}},
                                   {{0, 0, read_from_memory()}, {0, 1, read_miss()}});

// ---- what the L1D has just written back waits in the core's bus unit

KNC_PROGRAM64(store_and_write_back, STORE(0x400000) WAIT CLEVICT0(0x400000) HALT);
const counts stored_and_written_back =
    written_from_memory() + l2_victim_req_with_data + data_cache_lines_written_back;
void slow_bus_unit(card::parameters& p) {
    p.cache.write_back_cycles = 100'000;
}
const kernel bus_unit("sharing", "write_back_in_bus_unit",
                      {{0, 0, store_and_write_back}, {1, 0, load_third}},
                      {{0, 0, stored_and_written_back + snp_hitm_bunit}, {1, 0, read_from_tile()}},
                      tuned(slow_bus_unit));
// 3000 clocks later it has gone on, and the L2 has the line in M.
const kernel behind_bus_unit("sharing", "write_back_gone_on",
                             {{0, 0, store_and_write_back}, {1, 0, load_third}},
                             {{0, 0, stored_and_written_back + snp_hitm_l2},
                              {1, 0, read_from_tile()}});
// It takes the 8 clocks of `cache.write_back_cycles`. The snoop of a load comes 166 clocks after
// the load: 12 to its request, 150 in the home slice, and on the ring 1 clock within a stop and 3
// from tile to tile (a hop over the controller, one more, out), in one order or the other,
// whichever tile is the home. So the snoop of a load at 3500 comes at 3666, before what the threads
// do in that clock, and finds in the bus unit a line written back from 3659 on, 7 clocks ago.
KNC_PROGRAM64(load_at_3500, AT(3000) EXACTLY(3500) LOAD(0x400000) HALT);
#define STORE_AND_WRITE_BACK_AT(n) STORE(0x400000) AT(3000) EXACTLY(n) CLEVICT0(0x400000) HALT
KNC_PROGRAM64(store_and_write_back_at_3666, STORE_AND_WRITE_BACK_AT(3666));
KNC_PROGRAM64(store_and_write_back_at_3665, STORE_AND_WRITE_BACK_AT(3665));
KNC_PROGRAM64(store_and_write_back_at_3659, STORE_AND_WRITE_BACK_AT(3659));
KNC_PROGRAM64(store_and_write_back_at_3658, STORE_AND_WRITE_BACK_AT(3658));
// The L1D still has the line: the snoop writes it back, no CLEVICT0.
const kernel before_bus_unit("sharing", "write_back_behind_snoop",
                             {{0, 0, store_and_write_back_at_3666}, {1, 0, load_at_3500}},
                             {{0, 0, written_from_memory() + dirty_snoop},
                              {1, 0, read_from_tile()}});
const kernel bus_unit_1("sharing", "write_back_1_clock_ago",
                        {{0, 0, store_and_write_back_at_3665}, {1, 0, load_at_3500}},
                        {{0, 0, stored_and_written_back + snp_hitm_bunit},
                         {1, 0, read_from_tile()}});
const kernel bus_unit_7("sharing", "write_back_7_clocks_ago",
                        {{0, 0, store_and_write_back_at_3659}, {1, 0, load_at_3500}},
                        {{0, 0, stored_and_written_back + snp_hitm_bunit},
                         {1, 0, read_from_tile()}});
const kernel bus_unit_8("sharing", "write_back_8_clocks_ago",
                        {{0, 0, store_and_write_back_at_3658}, {1, 0, load_at_3500}},
                        {{0, 0, stored_and_written_back + snp_hitm_l2}, {1, 0, read_from_tile()}});
// Another line's write-back does not matter.
KNC_PROGRAM64(store_and_write_back_other,
              STORE(0x400000) STORE(0x401000) WAIT CLEVICT0(0x401000) HALT);
const kernel other_in_bus_unit("sharing", "write_back_of_other_line",
                               {{0, 0, store_and_write_back_other}, {1, 0, load_third}},
                               {{0, 0,
                                 written_from_memory() + stored_and_written_back + dirty_snoop},
                                {1, 0, read_from_tile()}},
                               tuned(slow_bus_unit));

// ---- tile 1 sees the memory uncached; its accesses take no copy, and are no business of its L2

KNC_PROGRAM64(load_uncached, KNC_UNCACHED(0x400000) SECOND LOAD(0x400000) HALT);
KNC_PROGRAM64(store_uncached, KNC_UNCACHED(0x400000) SECOND STORE(0x400000) HALT);
const kernel uncached_load_of_clean("sharing", "uncached_load_of_clean",
                                    {{0, 0, load_and_load_third}, {1, 0, load_uncached}},
                                    {{0, 0, read_from_memory() + loads(1) + snp_hit_l2},
                                     {1, 0, read_miss()}});
// Tile 0 goes on having it, to be written again: its L1D tells the L2 what it has written then.
const kernel uncached_load_of_dirty("sharing", "uncached_load_of_dirty",
                                    {{0, 0, store_and_store_third}, {1, 0, load_uncached}},
                                    {{0, 0, written_from_memory() + stores(1) + dirty_snoop},
                                     {1, 0, read_miss()}});
const kernel uncached_load_from_memory("sharing", "uncached_load_from_memory",
                                       {{1, 0, load_uncached}}, {{1, 0, read_miss()}});
// An uncached write takes all copies away, and is a miss to one event only.
const kernel uncached_store_to_dirty("sharing", "uncached_store_to_dirty",
                                     {{0, 0, store}, {1, 0, store_uncached}},
                                     {{0, 0, written_from_memory() + dirty_snoop},
                                      {1, 0, stores(1) + data_read_miss_or_write_miss}});
const kernel uncached_store_to_clean("sharing", "uncached_store_to_clean",
                                     {{0, 0, load_and_load_third}, {1, 0, store_uncached}},
                                     {{0, 0, 2 * read_from_memory() + snp_hit_l2},
                                      {1, 0, stores(1) + data_read_miss_or_write_miss}});

}  // namespace
}  // namespace knc::caches
