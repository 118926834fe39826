// Vector loads and stores of one thread: what misses the L1D. Each line of a vector access raises
// what a scalar access to it would, and the events of the vector unit. Addresses: data.cpp.

#include "prefetches.h"
#include "vector.h"

namespace knc::caches {
namespace {

using namespace base;

// ---- loads

KNC_CACHE_KERNEL(vector_data, load, VLOAD(0x400000) HALT, vector_read_from_memory);
KNC_CACHE_KERNEL(vector_data, load_of_line_in_l1, VLOAD(0x400000) VLOAD(0x400000) HALT,
                 vector_read_from_memory + vector_loads(1));
KNC_CACHE_KERNEL(vector_data, load_behind_scalar, LOAD(0x40003c) VLOAD(0x400000) HALT,
                 read_from_memory() + vector_loads(1));
KNC_CACHE_KERNEL(vector_data, scalar_behind_load, VLOAD(0x400000) LOAD(0x40003c) HALT,
                 vector_read_from_memory + loads(1));
KNC_CACHE_KERNEL(vector_data, load_from_l2, VLOAD(0x400000) CLEVICT0(0x400000) VLOAD(0x400000) HALT,
                 vector_read_from_memory + vector_read_miss + l2_read_hit_e);
KNC_CACHE_KERNEL(vector_data, operand, "vaddps 0x400000, %zmm1, %zmm2\n" HALT,
                 vector_read_from_memory);
KNC_CACHE_KERNEL(vector_data, element, "vaddps 0x400004{1to16}, %zmm1, %zmm2\n" HALT,
                 vector_read_from_memory);
KNC_CACHE_KERNEL(vector_data, elements_of_a_byte, "vmovdqa32 0x400030{uint8}, %zmm1\n" HALT,
                 vector_read_from_memory);
KNC_CACHE_KERNEL(vector_data, operand_without_lane,
                 VMASKS "vaddps 0x400000, %zmm1, %zmm2{%k3}\n" HALT, vector_read_from_memory);
// L and H touch a line each: 8 elements before the boundary, 8 behind it.
KNC_CACHE_KERNEL(vector_data, unpack,
                 "vloadunpacklps 0x400020, %zmm1\nvloadunpackhps 0x400060, %zmm1\n" HALT,
                 2 * vector_read_from_memory);
KNC_CACHE_KERNEL(vector_data, unpack_of_aligned_line,
                 "vloadunpacklps 0x400000, %zmm1\nvloadunpackhps 0x400040, %zmm1\n" HALT,
                 vector_read_from_memory);
// 9 lines are one more than a set has.
KNC_CACHE_KERNEL(vector_data, set_overfilled,
                 VEACH(0x1000, 9, "vmovaps (%rdi), %zmm1\n") VLOAD(0x400000) HALT,
                 9 * vector_read_from_memory + vector_read_miss + l2_read_hit_e);
KNC_CACHE_KERNEL(vector_data, load_of_line_under_way, STORE(0x400000) VLOAD(0x400000) HALT,
                 written_from_memory() + vector_read_miss);
// Memory that may not be cached misses each time; the L2 is not asked.
KNC_CACHE_KERNEL(vector_data, uncached, KNC_UNCACHED(0x400000) VLOAD(0x400000) VLOAD(0x400000) HALT,
                 2 * vector_read_miss);

// ---- gathers: each execution reads one line

#define GATHER "vgatherdps (%rdi,%zmm3,4), %zmm1{%k1}\n"
#define SCATTER "vscatterdps %zmm1, (%rdi,%zmm3,4){%k1}\n"
KNC_CACHE_KERNEL(vector_gather, one_execution, VINDICES GATHER HALT, vector_read_from_memory);
KNC_CACHE_KERNEL(vector_gather, both_lines, VINDICES GATHER GATHER HALT,
                 2 * vector_read_from_memory);
// The mask is empty after two: the third accesses nothing.
KNC_CACHE_KERNEL(vector_gather, once_more, VINDICES GATHER GATHER GATHER HALT,
                 2 * vector_read_from_memory);
KNC_CACHE_KERNEL(vector_gather, second_line_known, VINDICES LOAD(0x401000) GATHER GATHER HALT,
                 read_from_memory() + vector_read_from_memory + vector_loads(1));
KNC_CACHE_KERNEL(vector_gather, scatter, VINDICES SCATTER SCATTER HALT,
                 2 * vector_written_from_memory);
KNC_CACHE_KERNEL(vector_gather, scatter_behind_gather,
                 VINDICES "kmov %k1, %k4\n" GATHER GATHER "kmov %k4, %k1\n" SCATTER SCATTER HALT,
                 2 * vector_read_from_memory + vector_stores(2));

// ---- stores

KNC_CACHE_KERNEL(vector_store, line, VSTORE(0x400000) HALT, vector_written_from_memory);
KNC_CACHE_KERNEL(vector_store, behind_load, VLOAD(0x400000) VSTORE(0x400000) HALT,
                 vector_read_from_memory + vector_stores(1));
KNC_CACHE_KERNEL(vector_store, of_line_in_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VSTORE(0x400000) HALT,
                 read_from_memory() + vector_write_miss + l2_write_hit);
KNC_CACHE_KERNEL(vector_store, of_line_under_way, STORE(0x400000) VSTORE(0x400000) HALT,
                 written_from_memory() + vector_write_miss);
KNC_CACHE_KERNEL(vector_store, some_lanes, VMASKS "vmovaps %zmm1, 0x400000{%k2}\n" HALT,
                 vector_written_from_memory);
KNC_CACHE_KERNEL(vector_store, some_lanes_behind_load,
                 VMASKS LOAD(0x400000) "vmovaps %zmm1, 0x400000{%k2}\n" HALT,
                 read_from_memory() + vector_stores(1));
KNC_CACHE_KERNEL(vector_store, no_lane, VMASKS "vmovaps %zmm1, 0x400000{%k3}\n" HALT, counts());
KNC_CACHE_KERNEL(vector_store, elements_of_a_byte, "vmovdqa32 %zmm1, 0x400030{uint8}\n" HALT,
                 vector_written_from_memory);
KNC_CACHE_KERNEL(vector_store, pack,
                 "vpackstorelps %zmm1, 0x400020\nvpackstorehps %zmm1, 0x400060\n" HALT,
                 2 * vector_written_from_memory);
KNC_CACHE_KERNEL(vector_store, pack_of_aligned_line,
                 "vpackstorelps %zmm1, 0x400000\nvpackstorehps %zmm1, 0x400040\n" HALT,
                 vector_written_from_memory);
// One access only, a write.
KNC_CACHE_KERNEL(vector_store, uncached, KNC_UNCACHED(0x400000) VSTORE(0x400000) HALT,
                 vector_stores(1) + data_read_miss_or_write_miss);

// ---- prefetches of gathers and scatters are VPREFETCH0 and VPREFETCH1 of each line; not accesses

#define PREFETCH(instruction) "v" instruction "dps (%rdi,%zmm3,4){%k1}\n"
KNC_CACHE_KERNEL(vector_prefetch, one_execution, VINDICES PREFETCH("gatherpf0") HALT,
                 pf0_from_memory);
KNC_CACHE_KERNEL(vector_prefetch, ahead_of_gather,
                 VINDICES PREFETCH("gatherpf0") PREFETCH("gatherpf0") WAIT
                 "movl $0xffff, %eax\nkmov %eax, %k1\n" GATHER GATHER HALT,
                 2 * pf0_from_memory + vector_loads(2));
KNC_CACHE_KERNEL(vector_prefetch, late_for_load,
                 VINDICES PREFETCH("gatherpf0") VLOAD(0x400000) HALT,
                 pf0_from_memory + late_load + vpu_data_read);
KNC_CACHE_KERNEL(vector_prefetch, to_l2, VINDICES PREFETCH("gatherpf1") WAIT VLOAD(0x400000) HALT,
                 pf1_from_memory + vector_read_miss + l2_read_hit_e);
KNC_CACHE_KERNEL(vector_prefetch, to_write,
                 VINDICES PREFETCH("scatterpf0") WAIT VSTORE(0x400000) HALT,
                 pfe0_from_memory + vector_stores(1));
KNC_CACHE_KERNEL(vector_prefetch, to_write_to_l2,
                 VINDICES PREFETCH("scatterpf1") WAIT VSTORE(0x400000) HALT,
                 pfe1_from_memory + vector_write_miss + l2_write_hit);
KNC_CACHE_KERNEL(vector_prefetch, without_lane, VINDICES "vgatherpf0dps (%rdi,%zmm3,4){%k3}\n" HALT,
                 counts());
KNC_CACHE_KERNEL(vector_prefetch, hint, VINDICES "vgatherpf0hintdps (%rdi,%zmm3,4){%k1}\n" HALT,
                 counts());
KNC_CACHE_KERNEL(vector_prefetch, ahead_of_vector_load,
                 VPREFETCH0(0x400000) WAIT VLOAD(0x400000) HALT, pf0_from_memory + vector_loads(1));

}  // namespace
}  // namespace knc::caches
