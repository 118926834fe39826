// Gathers and scatters: one execution for each line, and their wait for index and mask.
//
// In clock 4 a mask or index of clock 0 can be read; the addresses take core.agi_cycles = 1 clock
// more, so an instruction that forms them issues in clock 5, 3 clocks late.

#include "vector.h"

namespace knc::kernels {
namespace {

using namespace base;

#define KNC_GATHER(index, mask) "vgatherdps (%rbx,%" index ",4), %zmm3{%" mask "}\n"
#define KNC_SCATTER(index, mask) "vscatterdps %zmm1, (%rbx,%" index ",4){%" mask "}\n"

// ---- one execution

#define KNC_ONE(name, text, lanes, ...)      \
    KNC_VECTOR(vector_gather, name, text, 2, \
               issues(1, 0) + vectors(1) + elements(lanes) + __VA_ARGS__)
// All lanes still to do are active; one line is read, whichever are in it.
KNC_ONE(one_line, KNC_GATHER("zmm10", "k3"), 16, vector_reads(1));
KNC_ONE(first_of_two_lines, KNC_GATHER("zmm11", "k3"), 16, vector_reads(1));
KNC_ONE(first_of_sixteen_lines, KNC_GATHER("zmm12", "k3"), 16, vector_reads(1));
KNC_ONE(some_lanes, KNC_GATHER("zmm10", "k1"), 8, vector_reads(1));
KNC_ONE(no_lane, KNC_GATHER("zmm10", "k2"), 0, none);
KNC_ONE(bytes, "vgatherdps (%rbx,%zmm10){uint8}, %zmm3{%k3}", 16, vector_reads(1));
// 8 lanes of 64 bits; of %k1, 4.
KNC_ONE(doubles, "vgatherdpd (%rbx,%zmm10,8), %zmm3{%k3}", 8, vector_reads(1));
KNC_ONE(some_doubles, "vgatherdpd (%rbx,%zmm10,8), %zmm3{%k1}", 4, vector_reads(1));
KNC_ONE(scatter, KNC_SCATTER("zmm10", "k3"), 16, vector_writes(1));
KNC_ONE(scatter_of_some_lanes, KNC_SCATTER("zmm10", "k1"), 8, vector_writes(1));
KNC_ONE(scatter_of_no_lane, KNC_SCATTER("zmm10", "k2"), 0, none);
KNC_ONE(scatter_of_doubles, "vscatterdpd %zmm1, (%rbx,%zmm10,8){%k3}", 8, vector_writes(1));
// Prefetches read nothing. The hints leave the mask as it is.
KNC_ONE(prefetch, "vgatherpf0dps (%rbx,%zmm10,4){%k3}", 16, none);
KNC_ONE(prefetch_to_l2, "vgatherpf1dps (%rbx,%zmm10,4){%k1}", 8, none);
KNC_ONE(prefetch_to_write, "vscatterpf0dps (%rbx,%zmm10,4){%k1}", 8, none);
KNC_ONE(hint, "vgatherpf0hintdps (%rbx,%zmm10,4){%k1}", 8, none);
KNC_ONE(hint_of_doubles, "vscatterpf0hintdpd (%rbx,%zmm10,8){%k1}", 4, none);

// ---- the wait for index and mask

#define KNC_WAITS(name, first, second, lanes, ...)        \
    KNC_VECTOR(vector_sparse, name, first "\n" second, 7, \
               issues(2, 0) + vectors(2) + elements(lanes) + sparse_stall(3) + __VA_ARGS__)
#define KNC_INDEX "vpaddd %zmm10, %zmm1, %zmm4"
#define KNC_MASK "kmov %eax, %k4"
KNC_WAITS(index, KNC_INDEX, KNC_GATHER("zmm4", "k3"), 32, vector_reads(1));
KNC_WAITS(loaded_index, "vmovdqa32 0x5000, %zmm4", KNC_GATHER("zmm4", "k3"), 32, vector_reads(2));
KNC_WAITS(mask, KNC_MASK, KNC_GATHER("zmm10", "k4"), 8, vector_reads(1));
KNC_WAITS(compared_mask, "vcmpleps %zmm1, %zmm1, %k4", KNC_GATHER("zmm10", "k4"), 32,
          vector_reads(1));
KNC_WAITS(scatter_index, KNC_INDEX, KNC_SCATTER("zmm4", "k3"), 32, vector_writes(1));
KNC_WAITS(scatter_mask, KNC_MASK, KNC_SCATTER("zmm10", "k4"), 8, vector_writes(1));
KNC_WAITS(prefetch_index, KNC_INDEX, "vgatherpf0dps (%rbx,%zmm4,4){%k3}", 32, none);
KNC_WAITS(prefetch_mask, KNC_MASK, "vscatterpf1dps (%rbx,%zmm10,4){%k4}", 8, none);
// The second execution waits for the mask that the first leaves: of two lines, 8 lanes.
KNC_WAITS(second_line, KNC_GATHER("zmm11", "k3"), KNC_GATHER("zmm11", "k3"), 24, vector_reads(2));
// The index of VEXP223PS' 8 clocks (which are the same without a lane): in clock 9.
KNC_VECTOR(vector_sparse, late_index, "vexp223ps %zmm1, %zmm4{%k2}\n" KNC_GATHER("zmm4", "k1"), 11,
           issues(2, 0) + vectors(2) + elements(8) + held(1) + sparse_stall(7) + vector_reads(1));

// A register that forms no address is a wait as any other: the destination, what is scattered.
KNC_VECTOR(vector_sparse, destination, "vaddps %zmm1, %zmm2, %zmm3\n" KNC_GATHER("zmm10", "k3"), 6,
           issues(2, 0) + vectors(2) + elements(32) + stall(2) + vector_reads(1));
KNC_VECTOR(vector_sparse, source, "vaddps %zmm3, %zmm2, %zmm1\n" KNC_SCATTER("zmm10", "k3"), 8,
           issues(2, 0) + vectors(2) + elements(32) + stall(4) + vector_writes(1));
// So it is if that comes last: in 8, the mask of KMOV, in V, in 4 + 1.
KNC_VECTOR(vector_sparse, late_destination,
           "vexp223ps %zmm1, %zmm3\n" KNC_MASK "\n" KNC_GATHER("zmm10", "k4"), 10,
           issues(3, 1) + vectors(3, 1) + elements(16 + 8) + held(1) + stall(6) + vector_reads(1));
// Both are there.
KNC_VECTOR(vector_sparse, two_between,
           KNC_INDEX "\nnegl %edi\nnegl %edi\n" KNC_GATHER("zmm4", "k3"), 8,
           issues(4, 0) + vectors(2) + elements(32) + vector_reads(1));
// A general register is an address generation interlock of the other kind.
KNC_VECTOR(vector_sparse, base, "leal (%rbx), %ebx\n" KNC_GATHER("zmm10", "k3"), 5,
           issues(2, 0) + vectors(1) + elements(16) + waits(1) + raises(pipeline_agi_stalls, 1) +
               vector_reads(1));

// ---- until the mask is empty: one execution for each line

// Gather in 0, JKNZD in 4, not taken.
#define KNC_LOOP(index) "1:\n" KNC_GATHER(index, "k3") "jknzd 1b, %k3"
KNC_VECTOR(vector_gather_loop, one_line, KNC_LOOP("zmm10"), 6,
           issues(2, 0) + vectors(2) + elements(16) + vector_reads(1) + stall(2) +
               raises(branches, 1));
// JKNZD is taken without an entry in the branch target buffer in 4, which costs 3 clocks beyond its
// own, in U. Gather in 8, the mask has been there; JKNZD in 12, predicted and not taken: 3 again.
KNC_VECTOR(vector_gather_loop, two_lines, KNC_LOOP("zmm11"), 16,
           issues(4, 0) + vectors(4) + elements(16 + 8) + vector_reads(2) + stalls(2, 2) +
               raises(branches, 2) + raises(pipeline_flushes, 2) +
               raises(branches_mispredicted, 1) + waits(3 + 3));
// Sixteen executions, each of a lane less than the one before. The first in 0, JKNZD in 4, the
// second in 8. From then on the branch is predicted: JKNZD in 12, 18, ... and the next gather 2
// clocks later, if it had its mask: that is there 4 clocks after the last gather. So 14 more, 6
// clocks each, and the last JKNZD in 8 + 14 * 6 + 4, mispredicted.
KNC_VECTOR(vector_gather_loop, sixteen_lines, KNC_LOOP("zmm12"), 8 + 14 * 6 + 4 + 4,
           issues(32, 0) + vectors(32) + elements(16 * 17 / 2) + vector_reads(16) + stalls(16, 2) +
               raises(branches, 16) + raises(pipeline_flushes, 2) +
               raises(branches_mispredicted, 1) + waits(3 + 3));
KNC_VECTOR(vector_gather_loop, scatter, "1:\n" KNC_SCATTER("zmm10", "k3") "jknzd 1b, %k3", 6,
           issues(2, 0) + vectors(2) + elements(16) + vector_writes(1) + stall(2) +
               raises(branches, 1));

}  // namespace
}  // namespace knc::kernels
