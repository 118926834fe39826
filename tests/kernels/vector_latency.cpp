// When results of the vector unit can be read. An instruction that finds one missing loses its
// slot, and its thread waits: one VPU_STALL_REG, and FE_STALLED in each clock from that slot on.
//
// A producer issues in clock 0 and its thread again in clock 2; a consumer of a result that can be
// read in clock N issues in clock N, N - 2 clocks late, and `stop` in clock N + 2.

#include "vector.h"

namespace knc::kernels {
namespace {

using namespace base;

// Results that can be read in clock `n`: what the two instructions raise besides.
#define KNC_RESULT(suite, name, n, producer, consumer, ...) \
    KNC_VECTOR(suite, name, producer "\n" consumer, n + 2,  \
               issues(2, 0) + vectors(2) + stall(n - 2) + __VA_ARGS__)
// In no clock in which the thread could issue before: no wait.
#define KNC_NO_WAIT(suite, name, first, second, ...) \
    KNC_VECTOR(suite, name, first "\n" second, 4, issues(2, 0) + vectors(2) + __VA_ARGS__)

#define KNC_ADD "vaddps %zmm1, %zmm2, %zmm3"
#define KNC_USE "vaddps %zmm3, %zmm3, %zmm4"
const counts both = elements(32), one = elements(16);

// ---- 4 clocks

#define KNC_OF(name, producer, ...) \
    KNC_RESULT(vector_result, name, 4, producer, KNC_USE, __VA_ARGS__)
KNC_OF(add, KNC_ADD, both);
KNC_OF(add_double, "vaddpd %zmm1, %zmm2, %zmm3", elements(8 + 16));
KNC_OF(multiply, "vmulps %zmm1, %zmm2, %zmm3", both);
KNC_OF(fused, "vfmadd213ps %zmm1, %zmm2, %zmm3", both);
KNC_OF(integer_multiply, "vpmulld %zmm1, %zmm2, %zmm3", both);
KNC_OF(logic, "vpxord %zmm1, %zmm2, %zmm3", both);
KNC_OF(shift, "vpslld $1, %zmm1, %zmm3", both);
KNC_OF(permutation, "vpermd %zmm1, %zmm2, %zmm3", both);
KNC_OF(conversion, "vcvtps2pd %zmm1, %zmm3", elements(8 + 16));
KNC_OF(reciprocal, "vrcp23ps %zmm1, %zmm3", both);
KNC_OF(root, "vrsqrt23ps %zmm1, %zmm3", both);
KNC_OF(logarithm, "vlog2ps %zmm1, %zmm3", both);
KNC_OF(move, "vmovaps %zmm1, %zmm3", both);
KNC_OF(load, "vmovaps (%rbx), %zmm3", both + vector_reads(1));
KNC_OF(broadcast, "vbroadcastss (%rbx), %zmm3", both + vector_reads(1));
KNC_OF(load_with_conversion, "vmovaps (%rbx){uint8}, %zmm3", both + vector_reads(1));
KNC_OF(operand, "vaddps (%rbx), %zmm1, %zmm3", both + vector_reads(1));
KNC_OF(unpack, "vloadunpacklps (%rbx), %zmm3", both + vector_reads(1));
KNC_OF(gather, "vgatherdps (%rbx,%zmm10,4), %zmm3{%k3}", both + vector_reads(1));
// Each of four in turn: in clocks 0, 4, 8 and 12.
KNC_VECTOR(vector_result, chain, ".rept 4\nvaddps %zmm3, %zmm3, %zmm3\n.endr", 14,
           vector_issues(4) + stalls(3, 2));
// A third operand and an accumulator are read like any other.
KNC_RESULT(vector_result, accumulator, 4, KNC_ADD, "vfmadd231ps %zmm1, %zmm2, %zmm3", both);
// VEXP223PS: 8 clocks, of which it holds the E stage for two.
KNC_RESULT(vector_result, exponential, 8, "vexp223ps %zmm1, %zmm3", KNC_USE, both + held(1));

// ---- masks: 4 clocks too

KNC_RESULT(vector_mask, of_mask, 4, "knot %k1, %k4", "kand %k1, %k4", none);
KNC_RESULT(vector_mask, of_register, 4, "kmov %eax, %k4", "knot %k4, %k5", none);
KNC_RESULT(vector_mask, of_comparison, 4, "vcmpltps %zmm1, %zmm2, %k4", "knot %k4, %k5", one);
KNC_RESULT(vector_mask, of_test, 4, "vptestmd %zmm1, %zmm2, %k4", "kmov %k4, %k5", one);
// As a writemask: the inverse of %k1.
KNC_RESULT(vector_mask, as_writemask, 4, "knot %k1, %k4", "vaddps %zmm1, %zmm2, %zmm3{%k4}",
           elements(8));
KNC_RESULT(vector_mask, as_mask_of_store, 4, "knot %k1, %k4", "vmovaps %zmm1, (%rbx){%k4}",
           elements(8) + vector_writes(1));
KNC_RESULT(vector_mask, as_selector, 4, "knot %k1, %k4", "vblendmps %zmm1, %zmm2, %zmm3{%k4}",
           elements(8));
KNC_RESULT(vector_mask, to_register, 4, "knot %k1, %k4", "kmov %k4, %edi", none);
KNC_RESULT(vector_mask, to_flags, 4, "knot %k1, %k4", "kortest %k4, %k4", none);
KNC_RESULT(vector_mask, to_jkzd, 4, "knot %k1, %k4", "jkzd 1f, %k4\n1:", raises(branches, 1));
KNC_RESULT(vector_mask, to_jknzd, 4, "knot %k3, %k4", "jknzd 1f, %k4\n1:", raises(branches, 1));
// The branch in V waits for U's sake as well: neither issues before.
KNC_VECTOR(vector_mask, to_jkzd_in_v, "knot %k1, %k4\nadcl %edi, %edi\njkzd 1f, %k4\n1:", 6,
           issues(3, 1) + vectors(2, 1) + stall(2) + raises(branches, 1));
// A carry mask is read and written.
KNC_RESULT(vector_mask, carry, 4, "vpadcd %zmm1, %k4, %zmm3", "vpadcd %zmm1, %k4, %zmm5", both);
// A general register and the flags are there in the next issue; an address waits for one as always.
KNC_VECTOR(vector_mask, to_register_and_on, "kmov %k1, %edi\nincl %edi", 4,
           issues(2, 0) + vectors(1));
KNC_VECTOR(vector_mask, to_address, "kmov %k1, %edi\nmovl (%rdi), %edx", 5,
           issues(2, 0) + vectors(1) + reads(1) + waits(1) + raises(pipeline_agi_stalls, 1));

// ---- the conversion stages: 2 clocks more

#define KNC_CONVERTED(name, consumer, ...) \
    KNC_RESULT(vector_converted, name, 6, KNC_ADD, consumer, __VA_ARGS__)
KNC_CONVERTED(swizzle, "vaddps %zmm3{cdab}, %zmm1, %zmm4", both);
KNC_CONVERTED(swizzled_integer, "vpaddd %zmm3{dddd}, %zmm1, %zmm4", both);
KNC_CONVERTED(swizzled_move, "vmovaps %zmm3{badc}, %zmm4", both);
KNC_CONVERTED(to_double, "vcvtps2pd %zmm3, %zmm4", elements(16 + 8));
KNC_CONVERTED(to_single, "vcvtpd2ps %zmm3, %zmm4", elements(16 + 8));
KNC_CONVERTED(to_integer, "vcvtfxpntps2dq $0, %zmm3, %zmm4", both);
KNC_CONVERTED(from_integer, "vcvtdq2pd %zmm3, %zmm4", elements(16 + 8));
KNC_CONVERTED(rounding, "vrndfxpntps $0, %zmm3, %zmm4", both);
KNC_CONVERTED(store, "vmovaps %zmm3, (%rbx)", both + vector_writes(1));
KNC_CONVERTED(store_with_conversion, "vmovaps %zmm3, (%rbx){float16}", both + vector_writes(1));
KNC_CONVERTED(streaming_store, "vmovnraps %zmm3, (%rbx)", both + vector_writes(1));
KNC_CONVERTED(pack, "vpackstorelps %zmm3, (%rbx)", both + vector_writes(1));
KNC_CONVERTED(scatter, "vscatterdps %zmm3, (%rbx,%zmm10,4){%k3}", both + vector_writes(1));
// After 8, and of a load.
KNC_RESULT(vector_converted, store_of_exponential, 10, "vexp223ps %zmm1, %zmm3",
           "vmovaps %zmm3, (%rbx)", both + vector_writes(1) + held(1));
KNC_RESULT(vector_converted, store_of_load, 6, "vmovaps (%rbx), %zmm3", "vmovaps %zmm3, 64(%rbx)",
           both + vector_reads(1) + vector_writes(1));
// What does not go through them is there after 4: the other operand of a swizzle, one that is
// rounded in a direction of its own, one without a swizzle in a permutation.
KNC_RESULT(vector_unconverted, other_operand, 4, KNC_ADD, "vaddps %zmm1{cdab}, %zmm3, %zmm4", both);
KNC_RESULT(vector_unconverted, rounding_mode, 4, KNC_ADD, "vaddps {rz}, %zmm3, %zmm1, %zmm4", both);
KNC_RESULT(vector_unconverted, permutation, 4, KNC_ADD, "vpermf32x4 $1, %zmm3, %zmm4", both);
KNC_RESULT(vector_unconverted, beside_broadcast, 4, KNC_ADD, "vaddps (%rbx){1to16}, %zmm3, %zmm4",
           both + vector_reads(1));

// ---- results in order, and writes under a mask

// VEXP223PS has its result in 8, so one of 4 clocks to the same register issues in 4.
KNC_VECTOR(vector_order, after_exponential, "vexp223ps %zmm1, %zmm3\n" KNC_ADD, 6,
           vector_issues(2) + held(1) + stall(2));
KNC_NO_WAIT(vector_order, after_exponential_elsewhere, "vexp223ps %zmm1, %zmm4", KNC_ADD,
            both + held(1));
KNC_NO_WAIT(vector_order, of_equal_latency, KNC_ADD, "vmulps %zmm1, %zmm2, %zmm3", both);
KNC_NO_WAIT(vector_order, masks, "knot %k1, %k4", "kmov %eax, %k4", none);
// A source written behind its reader (WAR).
KNC_NO_WAIT(vector_order, source_written, "vaddps %zmm4, %zmm2, %zmm3",
            "vaddps %zmm1, %zmm2, %zmm4", both);
// Under a mask the other lanes keep their values: the register is read. So it is if there are none.
KNC_RESULT(vector_order, under_mask, 4, KNC_ADD, "vmulps %zmm1, %zmm2, %zmm3{%k1}",
           elements(16 + 8));
KNC_RESULT(vector_order, under_full_mask, 4, KNC_ADD, "vmulps %zmm1, %zmm2, %zmm3{%k3}", both);
KNC_RESULT(vector_order, load_under_mask, 4, KNC_ADD, "vmovaps (%rbx), %zmm3{%k1}",
           elements(16 + 8) + vector_reads(1));
KNC_RESULT(vector_order, unpack, 4, KNC_ADD, "vloadunpackhps 0x60(%rbx), %zmm3",
           both + vector_reads(1));
KNC_NO_WAIT(vector_order, other_under_mask, KNC_ADD, "vmulps %zmm1, %zmm2, %zmm4{%k1}",
            elements(16 + 8));

// ---- what issues in between shortens the wait

KNC_VECTOR(vector_distance, one_between, KNC_ADD "\nnegl %edi\n" KNC_USE, 6,
           issues(3, 0) + vectors(2) + both);
KNC_VECTOR(vector_distance, one_before_store, KNC_ADD "\nnegl %edi\nvmovaps %zmm3, (%rbx)", 8,
           issues(3, 0) + vectors(2) + both + vector_writes(1) + stall(2));
KNC_VECTOR(vector_distance, two_before_store,
           KNC_ADD "\nnegl %edi\nnegl %edi\nvmovaps %zmm3, (%rbx)", 8,
           issues(4, 0) + vectors(2) + both + vector_writes(1));
// Two chains: each has 4 clocks from one addition to its next.
KNC_VECTOR(vector_distance, two_chains,
           ".rept 4\nvaddps %zmm3, %zmm3, %zmm3\nvaddps %zmm4, %zmm4, %zmm4\n.endr", 16,
           vector_issues(8) + raises(code_read, 1));
// One wait is one event, for two registers too: in 4, since both can be read then.
KNC_VECTOR(vector_distance, wait_for_two,
           "vcmpltps %zmm1, %zmm2, %k4\n" KNC_ADD "\nvaddps %zmm3, %zmm3, %zmm4{%k4}", 8,
           issues(3, 0) + vectors(3) + elements(32) + stall(2));
// A pair waits for the registers of both: the mask of V.
KNC_VECTOR(vector_distance, pair_waits, "kmov %eax, %k4\n" KNC_ADD "\nknot %k4, %k5", 6,
           issues(3, 1) + vectors(3, 1) + one + stall(2));
KNC_VECTOR(vector_distance, scalar_pair_waits, "kmov %eax, %k4\nadcl %edi, %edi\nknot %k4, %k5", 6,
           issues(3, 1) + vectors(2, 1) + stall(2));
// Scalar instructions do not wait.
KNC_VECTOR(vector_distance, scalar_goes_on, KNC_ADD "\nnegl %edi\nnegl %edi", 6,
           issues(3, 0) + vectors(1) + one);

}  // namespace
}  // namespace knc::kernels
