// What single instructions of the vector unit count: their active elements, and the lines that they
// read or write. Each issues alone and takes a clock, so `stop` comes two clocks later.

#include "vector.h"

namespace knc::kernels {
namespace {

using namespace base;

// ---- VPU_ELEMENTS_ACTIVE: 16 lanes of 32 bits, 8 of 64 bits, those that the writemask selects

#define KNC_LANES(name, text, lanes) \
    KNC_VECTOR(vector_elements, name, text, 2, issues(1, 0) + vectors(1) + elements(lanes))
KNC_LANES(no_mask, "vaddps %zmm1, %zmm2, %zmm3", 16);
KNC_LANES(partial_mask, "vaddps %zmm1, %zmm2, %zmm3{%k1}", 8);
KNC_LANES(empty_mask, "vaddps %zmm1, %zmm2, %zmm3{%k2}", 0);
KNC_LANES(full_mask, "vaddps %zmm1, %zmm2, %zmm3{%k3}", 16);
KNC_LANES(integer, "vpaddd %zmm1, %zmm2, %zmm3{%k1}", 8);
// 64-bit lanes have the low 8 bits of a mask: 4 of %k1's.
KNC_LANES(doubles, "vaddpd %zmm1, %zmm2, %zmm3", 8);
KNC_LANES(doubles_partial_mask, "vaddpd %zmm1, %zmm2, %zmm3{%k1}", 4);
KNC_LANES(doubles_empty_mask, "vmulpd %zmm1, %zmm2, %zmm3{%k2}", 0);
KNC_LANES(doubles_full_mask, "vmulpd %zmm1, %zmm2, %zmm3{%k3}", 8);
KNC_LANES(quadwords, "vporq %zmm1, %zmm2, %zmm3{%k1}", 4);
// Between the two sizes, lanes are those of 64 bits.
KNC_LANES(to_doubles, "vcvtps2pd %zmm1, %zmm3{%k1}", 4);
KNC_LANES(from_doubles, "vcvtpd2ps %zmm1, %zmm3", 8);
KNC_LANES(from_doubles_partial_mask, "vcvtpd2ps %zmm1, %zmm3{%k1}", 4);
// A blend takes the lanes of the mask from one source and the others from the other.
KNC_LANES(blend, "vblendmps %zmm1, %zmm2, %zmm3{%k1}", 8);
KNC_LANES(blend_without_lane, "vblendmps %zmm1, %zmm2, %zmm3{%k2}", 0);
KNC_LANES(blend_of_doubles, "vblendmpd %zmm1, %zmm2, %zmm3{%k1}", 4);
// A comparison has as many, whatever its result.
KNC_LANES(comparison, "vcmpltps %zmm1, %zmm2, %k4{%k1}", 8);
KNC_LANES(comparison_of_doubles, "vcmplepd %zmm1, %zmm2, %k4", 8);
KNC_LANES(test, "vptestmd %zmm1, %zmm2, %k4{%k1}", 8);
KNC_LANES(carry, "vpadcd %zmm1, %k4, %zmm3{%k1}", 8);
KNC_LANES(move, "vmovaps %zmm1, %zmm3{%k1}", 8);
KNC_LANES(permutation, "vpermf32x4 $1, %zmm1, %zmm3{%k1}", 8);
KNC_LANES(alignment, "valignd $1, %zmm1, %zmm2, %zmm3{%k1}", 8);
KNC_LANES(swizzle, "vaddps %zmm1{aaaa}, %zmm2, %zmm3{%k1}", 8);
KNC_LANES(fused_of_four, "vfmadd233ps %zmm1, %zmm2, %zmm3{%k1}", 8);
// Masks are no elements.
KNC_LANES(mask_operation, "kor %k1, %k4", 0);
KNC_LANES(mask_move, "kmov %eax, %k4", 0);
KNC_LANES(mask_test, "kortest %k1, %k1", 0);
KNC_VECTOR(vector_elements, mask_branch, "jkzd 1f, %k1\n1:", 2,
           issues(1, 0) + vectors(1) + raises(branches, 1));

// ---- neither vectors nor masks: no event of the unit

#define KNC_SCALAR(name, text, ...) \
    KNC_VECTOR(vector_none, name, text, 2, issues(1, 0) + __VA_ARGS__)
KNC_SCALAR(addition, "addl %edi, %edi", none);
KNC_SCALAR(load, "movl (%rbx), %edi", reads(1));
KNC_SCALAR(store, "movl %edi, (%rbx)", writes(1));
KNC_SCALAR(prefetch, "vprefetch0 (%rbx)", none);
KNC_SCALAR(prefetch_as_mvex, "{mvex} vprefetch0 (%rbx)", none);
KNC_SCALAR(evict, "clevict0 (%rbx)", none);
KNC_SCALAR(bit_count, "popcnt %edi, %edi", none);
// Scalar instructions of several accesses and of the x87 unit.
KNC_VECTOR(vector_none, x87, "fld1\nfnop", 4, issues(2, 0) + held(1));

// ---- VPU_DATA_READ: one for each line

#define KNC_READS(name, text, lanes, lines) \
    KNC_VECTOR(vector_read, name, text, 2,  \
               issues(1, 0) + vectors(1) + elements(lanes) + vector_reads(lines))
KNC_READS(load, "vmovaps (%rbx), %zmm3", 16, 1);
KNC_READS(load_of_doubles, "vmovapd (%rbx), %zmm3", 8, 1);
KNC_READS(operand, "vaddps (%rbx), %zmm1, %zmm3", 16, 1);
KNC_READS(operand_of_comparison, "vcmpltps (%rbx), %zmm1, %k4", 16, 1);
// An operand is read in full, whatever the mask.
KNC_READS(load_partial_mask, "vmovaps (%rbx), %zmm3{%k1}", 8, 1);
KNC_READS(load_empty_mask, "vmovaps (%rbx), %zmm3{%k2}", 0, 1);
KNC_READS(operand_empty_mask, "vaddps (%rbx), %zmm1, %zmm3{%k2}", 0, 1);
// One element, four elements, elements of 1 and 2 bytes, half a line.
KNC_READS(one_to_16, "vaddps 4(%rbx){1to16}, %zmm1, %zmm3", 16, 1);
KNC_READS(four_to_16, "vaddps 16(%rbx){4to16}, %zmm1, %zmm3", 16, 1);
KNC_READS(bytes, "vmovdqa32 (%rbx){uint8}, %zmm3", 16, 1);
KNC_READS(halves, "vaddps (%rbx){float16}, %zmm1, %zmm3", 16, 1);
KNC_READS(half_line, "vcvtps2pd 32(%rbx), %zmm3", 8, 1);
KNC_READS(broadcast, "vbroadcastss (%rbx), %zmm3{%k1}", 8, 1);
KNC_READS(broadcast_of_four, "vbroadcastf32x4 (%rbx), %zmm3", 16, 1);
KNC_READS(broadcast_of_double, "vbroadcastsd (%rbx), %zmm3", 8, 1);
// Unpacked elements of one line: those before the boundary for L, those behind it for H, for which
// the address is a line further.
KNC_READS(unpack_low_aligned, "vloadunpacklps (%rbx), %zmm3", 16, 1);
KNC_READS(unpack_high_aligned, "vloadunpackhps 64(%rbx), %zmm3", 16, 0);
KNC_READS(unpack_low, "vloadunpacklps 4(%rbx), %zmm3", 16, 1);
KNC_READS(unpack_high, "vloadunpackhps 68(%rbx), %zmm3", 16, 1);
// 8 elements from byte 32 on end with the line.
KNC_READS(unpack_low_partial_mask, "vloadunpacklps 32(%rbx), %zmm3{%k1}", 8, 1);
KNC_READS(unpack_high_partial_mask, "vloadunpackhps 96(%rbx), %zmm3{%k1}", 8, 0);
KNC_READS(unpack_low_empty_mask, "vloadunpacklps (%rbx), %zmm3{%k2}", 0, 0);
KNC_READS(unpack_doubles, "vloadunpackhpd 72(%rbx), %zmm3", 8, 1);
KNC_READS(unpack_bytes, "vloadunpackld 48(%rbx){uint8}, %zmm3", 16, 1);

// ---- VPU_DATA_WRITE

#define KNC_WRITES(name, text, lanes, lines) \
    KNC_VECTOR(vector_write, name, text, 2,  \
               issues(1, 0) + vectors(1) + elements(lanes) + vector_writes(lines))
KNC_WRITES(store, "vmovaps %zmm1, (%rbx)", 16, 1);
KNC_WRITES(store_of_doubles, "vmovapd %zmm1, (%rbx)", 8, 1);
// Only active lanes are written; without one there is no access.
KNC_WRITES(partial_mask, "vmovaps %zmm1, (%rbx){%k1}", 8, 1);
KNC_WRITES(empty_mask, "vmovaps %zmm1, (%rbx){%k2}", 0, 0);
KNC_WRITES(doubles_partial_mask, "vmovapd %zmm1, (%rbx){%k1}", 4, 1);
KNC_WRITES(bytes, "vmovdqa32 %zmm1, (%rbx){uint8}", 16, 1);
KNC_WRITES(halves, "vmovaps %zmm1, (%rbx){float16}", 16, 1);
KNC_WRITES(streaming, "vmovnraps %zmm1, (%rbx)", 16, 1);
KNC_WRITES(streaming_without_order, "vmovnrngoaps %zmm1, (%rbx)", 16, 1);
KNC_WRITES(streaming_doubles, "vmovnrapd %zmm1, (%rbx)", 8, 1);
KNC_WRITES(pack_low_aligned, "vpackstorelps %zmm1, (%rbx)", 16, 1);
KNC_WRITES(pack_high_aligned, "vpackstorehps %zmm1, 64(%rbx)", 16, 0);
KNC_WRITES(pack_low, "vpackstorelps %zmm1, 4(%rbx)", 16, 1);
KNC_WRITES(pack_high, "vpackstorehps %zmm1, 68(%rbx)", 16, 1);
KNC_WRITES(pack_low_empty_mask, "vpackstorelps %zmm1, (%rbx){%k2}", 0, 0);
KNC_WRITES(pack_high_partial_mask, "vpackstorehps %zmm1, 96(%rbx){%k1}", 8, 0);

// ---- memory that may not be cached: each line makes the thread wait 300 clocks (uncached.cpp)

#define KNC_UNCACHED(name, body, clocks, ...)                                 \
    KNC_KERNEL(vector_uncached, name, 64,                                     \
               KNC_VECTOR_SETUP                                               \
               "\nmovl $0x204, %ecx\nxorl %edx, %edx\nmovl $0x200000, %eax\n" \
               "wrmsr\nincl %ecx\nmovl $0xff, %edx\nmovl $0xfffff800, %eax\n" \
               "wrmsr\nmovl $0x200000, %ebx\nmovl (%rbx), %edi",              \
               body, "", clocks, __VA_ARGS__, prepared(put_indices))
const counts missed_read = vector_reads(1) + raises(data_read_miss, 1) +
                           raises(vpu_data_read_miss, 1) + raises(data_read_miss_or_write_miss, 1);
KNC_UNCACHED(load, "vmovaps (%rbx), %zmm3", 301,
             issues(1, 0) + vectors(1) + elements(16) + waits(300) + missed_read);
KNC_UNCACHED(gather, "vgatherdps (%rbx,%zmm10,4), %zmm3{%k1}", 301,
             issues(1, 0) + vectors(1) + elements(8) + waits(300) + missed_read);
KNC_UNCACHED(scalar_load, "movl (%rbx), %edi", 301,
             issues(1, 0) + waits(300) + reads(1) + raises(data_read_miss, 1) +
                 raises(data_read_miss_or_write_miss, 1));
// A write is no write miss there.
KNC_UNCACHED(store, "vmovaps %zmm1, (%rbx)", 301,
             issues(1, 0) + vectors(1) + elements(16) + waits(300) + vector_writes(1) +
                 raises(data_read_miss_or_write_miss, 1));
// The result comes 4 clocks after the wait, in 304; the thread could issue in 301.
KNC_UNCACHED(use, "vmovaps (%rbx), %zmm3\nvaddps %zmm3, %zmm3, %zmm4", 306,
             issues(2, 0) + vectors(2) + elements(32) + waits(300) + stall(3) + missed_read);

}  // namespace
}  // namespace knc::kernels
