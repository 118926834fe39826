// Tiles that fight for lines. Where the programs take turns, every count follows; where they do
// not, what is lost here is found there.

#include "harness.h"

namespace knc::caches {
namespace {

using namespace base;

// The owner's L2 has the line in M; what its L1D has written goes back first.
const counts taken_from_writer = counts{snp_hitm_l2} + data_cache_lines_written_back;

// ---- false sharing: two tiles, each with a word of its own in one line, 50 rounds in turns

// Whoever waits for the other counts its loads in ESI, and leaves their number in a line of its
// own.
const counts count_left = written_from_memory();

// Writes the round into its word, waits for the other's.
KNC_PROGRAM64(ping,
              "xorl %esi, %esi\nmovl $1, %ebx\n1: movl %ebx, 0x400000\n"
              "2: incl %esi\ncmpl %ebx, 0x400004\njne 2b\nincl %ebx\ncmpl $51, %ebx\njne 1b\n"
              "movl %esi, 0x404000\n" HALT);
KNC_PROGRAM64(pong, AT(3000) "xorl %esi, %esi\nmovl $1, %ebx\n"
                              "2: incl %esi\ncmpl %ebx, 0x400000\njne 2b\n"
                              "movl %ebx, 0x400004\nincl %ebx\ncmpl $51, %ebx\njne 2b\n"
                              "movl %esi, 0x405000\n" HALT);
// Ping's first store fills the line; its first look at pong's word finds it on its way. From then
// on a line that is watched is in S with the watcher, in O with the one who wrote last. A store
// takes the line away from the other, without a fill; the other reads it again, from the one who
// stored. So each round each tile reads it once from the other, is read from in M once, and loses
// it once while it holds it in O. Nobody takes pong's last store away. Of the 50 stores each, all
// but ping's first find the line.
const kernel false_sharing("contention", "false_sharing", {{0, 0, ping}, {1, 0, pong}},
                           {{0, 0,
                             written_from_memory() + read_miss() + 50 * read_from_tile() +
                                 stores(49) + 50 * taken_from_writer + 50 * counts{snp_hitm_l2} +
                                 count_left,
                             0x404000},
                            {1, 0,
                             50 * read_from_tile() + stores(50) + 50 * taken_from_writer +
                                 49 * counts{snp_hitm_l2} + count_left,
                             0x405000}});
// The same with a line each: a tile that writes has its own line in O, the other one reads it.
KNC_PROGRAM64(ping_apart,
              "xorl %esi, %esi\nmovl $1, %ebx\n1: movl %ebx, 0x400000\n"
              "2: incl %esi\ncmpl %ebx, 0x401000\njne 2b\nincl %ebx\ncmpl $51, %ebx\njne 1b\n"
              "movl %esi, 0x404000\n" HALT);
KNC_PROGRAM64(pong_apart, AT(3000) "xorl %esi, %esi\nmovl $1, %ebx\n"
                                    "2: incl %esi\ncmpl %ebx, 0x400000\njne 2b\n"
                                    "movl %ebx, 0x401000\nincl %ebx\ncmpl $51, %ebx\njne 2b\n"
                                    "movl %esi, 0x405000\n" HALT);
// Ping has pong's line from memory in E, and loses it clean to pong's first store, and in S to each
// further one. Pong loses its S of ping's line to the second store and on. The first store of each
// misses.
const kernel line_each("contention", "line_each", {{0, 0, ping_apart}, {1, 0, pong_apart}},
                       {{0, 0,
                         written_from_memory() + read_from_memory() + 50 * read_from_tile() +
                             stores(49) + 50 * taken_from_writer + 50 * counts{snp_hit_l2} +
                             count_left,
                         0x404000},
                        {1, 0,
                         50 * read_from_tile() + written_from_tile() + stores(49) +
                             50 * taken_from_writer + 49 * counts{snp_hit_l2} + count_left,
                         0x405000}});

// ---- producer and consumer: data, flag, and the consumer's answer in lines of their own. The
// producer lets the data be written before it sets the flag: of two stores that wait for their
// lines the later one's may come first, and be lost again before its turn.

KNC_PROGRAM64(producer, "xorl %esi, %esi\nmovl $1, %ebx\n"
                        "1: movl %ebx, 0x402000\n" DELAY(1000) "movl %ebx, 0x400000\n"
                        "2: incl %esi\ncmpl %ebx, 0x401000\njne 2b\n"
                        "incl %ebx\ncmpl $21, %ebx\njne 1b\nmovl %esi, 0x404000\n" HALT);
KNC_PROGRAM64(consumer, AT(3000) "xorl %esi, %esi\nmovl $1, %ebx\n"
                                  "2: incl %esi\ncmpl %ebx, 0x400000\njne 2b\n"
                                  "incl %esi\naddl 0x402000, %edx\nmovl %ebx, 0x401000\n"
                                  "incl %ebx\ncmpl $21, %ebx\njne 2b\n"
                                  "movl %edx, 0x403000\nmovl %esi, 0x405000\n" HALT);
void all_consumed(machine& m) {
    EXPECT_EQ(m.read(0x403000), 20u * 21 / 2);
}
// The flag is not seen before the data, so each message costs the consumer two lines and the
// producer one; each of them is in M with the other. The first stores to data and flag are filled
// by memory, all others are upgrades, which the other's S does not survive.
const kernel messages(
    "contention", "producer_consumer", {{0, 0, producer}, {1, 0, consumer}},
    {{0, 0,
      2 * written_from_memory() + read_from_memory() + 20 * read_from_tile() + stores(38) +
          40 * taken_from_writer + 20 * counts{snp_hit_l2} + count_left,
      0x404000},
     {1, 0,
      40 * read_from_tile() + written_from_tile() + stores(19) + 20 * taken_from_writer +
          38 * counts{snp_hit_l2} + written_from_memory() + count_left,
      0x405000}},
    checked(all_consumed));

}  // namespace
}  // namespace knc::caches
