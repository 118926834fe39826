// A vector instruction in U and a scalar access in V: the L1D has 8 banks of 4 bytes, bank 0 at
// 0x4000, 0x4020, 0x4040, ... A bank serves V a clock after U, which hides behind the 2 clocks to
// the next issue.

#include "vector.h"

namespace knc::kernels {
namespace {

using namespace base;

#define KNC_LOAD(offset) "\nmovl " offset "(%rbx), %edi"
#define KNC_BOTH(name, u, v, ...) \
    KNC_VECTOR(vector_banks, name, u v, 2, issues(2, 1) + vectors(1) + __VA_ARGS__)

const counts both = raises(memory_accesses_in_both_pipes, 1);
const counts conflict = both + raises(bank_conflicts, 1) + held(1);
const counts load = elements(16) + vector_reads(1) + reads(1);

// 4 bytes need bank 0. The next word is in bank 1, the same word serves both.
#define KNC_BROADCAST "vbroadcastss (%rbx), %zmm3"
KNC_BOTH(element_other_bank, KNC_BROADCAST, KNC_LOAD("4"), load + both);
KNC_BOTH(element_same_word, KNC_BROADCAST, KNC_LOAD("0"), load + both);
KNC_BOTH(element_same_bank, KNC_BROADCAST, KNC_LOAD("32"), load + conflict);
KNC_BOTH(element_of_operand, "vaddps 4(%rbx){1to16}, %zmm1, %zmm3", KNC_LOAD("32"), load + both);
KNC_BOTH(element_of_comparison, "vcmpltps (%rbx){1to16}, %zmm1, %k4", KNC_LOAD("32"),
         load + conflict);
// 16 bytes of elements of a byte need banks 0 to 3.
KNC_BOTH(bytes_other_bank, "vmovdqa32 (%rbx){uint8}, %zmm3", KNC_LOAD("48"), load + both);
KNC_BOTH(bytes_same_bank, "vmovdqa32 (%rbx){uint8}, %zmm3", KNC_LOAD("44"), load + conflict);
// A line needs each bank for two words.
KNC_BOTH(line, "vmovaps (%rbx), %zmm3", KNC_LOAD("0x44"), load + conflict);
KNC_BOTH(same_line, "vmovaps (%rbx), %zmm3", KNC_LOAD("4"), load + conflict);
KNC_BOTH(store_of_line, "vmovaps %zmm1, (%rbx)", KNC_LOAD("0x44"),
         elements(16) + vector_writes(1) + reads(1) + conflict);
KNC_BOTH(store_in_v, "vmovaps (%rbx), %zmm3", "\nmovl %edi, 0x44(%rbx)",
         elements(16) + vector_reads(1) + writes(1) + conflict);
// Lanes 0 to 3 and 8 to 11 need banks 0 to 3, for two words each.
#define KNC_SOME "vmovaps %zmm1, (%rbx){%k1}"
const counts some = elements(8) + vector_writes(1) + reads(1);
KNC_BOTH(some_lanes_other_bank, KNC_SOME, KNC_LOAD("0x50"), some + both);
KNC_BOTH(some_lanes_same_bank, KNC_SOME, KNC_LOAD("0x4c"), some + conflict);
#define KNC_GATHER "vgatherdps (%rbx,%zmm10,4), %zmm3{%k1}"
const counts gather = elements(8) + vector_reads(1) + reads(1);
KNC_BOTH(gather_other_bank, KNC_GATHER, KNC_LOAD("0x50"), gather + both);
KNC_BOTH(gather_same_bank, KNC_GATHER, KNC_LOAD("0x4c"), gather + conflict);
// No lane, no access: V has the only one.
KNC_BOTH(store_of_no_lane, "vmovaps %zmm1, (%rbx){%k2}", KNC_LOAD("32"), reads(1));
KNC_BOTH(gather_of_no_lane, "vgatherdps (%rbx,%zmm10,4), %zmm3{%k2}", KNC_LOAD("32"), reads(1));
KNC_BOTH(unpack_of_no_line, "vloadunpackhps 64(%rbx), %zmm3", KNC_LOAD("32"),
         elements(16) + reads(1));
// Nor has a prefetch one.
KNC_BOTH(prefetch, "vgatherpf0dps (%rbx,%zmm10,4){%k1}", KNC_LOAD("32"), elements(8) + reads(1));
KNC_BOTH(register_alone, "vaddps %zmm1, %zmm2, %zmm3", KNC_LOAD("32"), elements(16) + reads(1));

}  // namespace
}  // namespace knc::kernels
