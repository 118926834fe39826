// Which pipes instructions of the vector unit issue to: those on vectors to U, those on masks to U
// or V, JKZD and JKNZD to V.

#include "vector.h"

namespace knc::kernels {
namespace {

using namespace base;

// One issue, one clock of the E stage, two clocks to the thread's next issue.
#define KNC_PAIR(name, u, v, ...) \
    KNC_VECTOR(vector_pair, name, u "\n" v, 2, issues(2, 1) + __VA_ARGS__)
// Two issues.
#define KNC_NO_PAIR(name, first, second, ...) \
    KNC_VECTOR(vector_no_pair, name, first "\n" second, 4, issues(2, 0) + __VA_ARGS__)

#define KNC_ADD "vaddps %zmm1, %zmm2, %zmm3"
const counts add_in_u = vectors(1) + elements(16);
const counts load_in_u = add_in_u + vector_reads(1), store_in_u = add_in_u + vector_writes(1);
const counts branch = raises(branches, 1);  // not taken

// ---- an instruction on vectors in U

KNC_PAIR(scalar, KNC_ADD, "incl %edi", add_in_u);
KNC_PAIR(scalar_store, KNC_ADD, "movl %edi, (%rbx)", add_in_u + writes(1));
KNC_PAIR(scalar_push, KNC_ADD, "pushq %rdi", add_in_u + writes(1));
KNC_PAIR(nop, KNC_ADD, "nop", add_in_u);
KNC_PAIR(jump, KNC_ADD, "jnz 1f\n1:", add_in_u + branch);
KNC_PAIR(prefetch0, KNC_ADD, "vprefetch0 0x40(%rbx)", add_in_u);
KNC_PAIR(prefetch1, KNC_ADD, "vprefetch1 0x40(%rbx)", add_in_u);
KNC_PAIR(evict, KNC_ADD, "clevict0 0x40(%rbx)", add_in_u);
KNC_PAIR(mask, KNC_ADD, "knot %k1, %k4", add_in_u + vectors(1, 1));
KNC_PAIR(mask_from_register, KNC_ADD, "kmov %eax, %k4", add_in_u + vectors(1, 1));
KNC_PAIR(mask_to_register, KNC_ADD, "kmov %k1, %edi", add_in_u + vectors(1, 1));
KNC_PAIR(mask_test, KNC_ADD, "kortest %k1, %k2", add_in_u + vectors(1, 1));
KNC_PAIR(jknzd, KNC_ADD, "jknzd 1f, %k2\n1:", add_in_u + vectors(1, 1) + branch);
KNC_PAIR(jkzd, KNC_ADD, "jkzd 1f, %k1\n1:", add_in_u + vectors(1, 1) + branch);
// Of every kind.
KNC_PAIR(integer, "vpaddd %zmm1, %zmm2, %zmm3", "incl %edi", add_in_u);
KNC_PAIR(fused, "vfmadd231ps %zmm1, %zmm2, %zmm3", "incl %edi", add_in_u);
KNC_PAIR(comparison, "vcmpltps %zmm1, %zmm2, %k4", "incl %edi", add_in_u);
KNC_PAIR(permutation, "vpermd %zmm1, %zmm2, %zmm3", "incl %edi", add_in_u);
KNC_PAIR(conversion, "vcvtps2pd %zmm1, %zmm3", "incl %edi", vectors(1) + elements(8));
KNC_PAIR(load, "vmovaps (%rbx), %zmm3", "incl %edi", load_in_u);
KNC_PAIR(operand, "vaddps (%rbx), %zmm1, %zmm3", "incl %edi", load_in_u);
KNC_PAIR(load_mask, "vmovaps (%rbx), %zmm3", "knot %k1, %k4", load_in_u + vectors(1, 1));
KNC_PAIR(store, "vmovaps %zmm1, (%rbx)", "incl %edi", store_in_u);
KNC_PAIR(store_mask, "vmovaps %zmm1, (%rbx)", "knot %k1, %k4", store_in_u + vectors(1, 1));
KNC_PAIR(streaming_store, "vmovnraps %zmm1, (%rbx)", "incl %edi", store_in_u);
KNC_PAIR(unpack, "vloadunpacklps (%rbx), %zmm3", "incl %edi", load_in_u);
KNC_PAIR(pack, "vpackstorelps %zmm1, (%rbx)", "incl %edi", store_in_u);
KNC_PAIR(gather, "vgatherdps (%rbx,%zmm10,4), %zmm3{%k3}", "incl %edi", load_in_u);
KNC_PAIR(scatter, "vscatterdps %zmm1, (%rbx,%zmm10,4){%k3}", "incl %edi", store_in_u);
// Its second clock in the E stage hides behind the two to the next issue.
KNC_PAIR(of_two_clocks, "vexp223ps %zmm1, %zmm3", "incl %edi", add_in_u + held(1));

// ---- an instruction on masks in U or V

KNC_PAIR(mask_mask, "knot %k1, %k4", "knot %k2, %k5", vectors(2, 1));
KNC_PAIR(mask_scalar, "knot %k1, %k4", "incl %edi", vectors(1));
KNC_PAIR(scalar_mask, "incl %edi", "knot %k1, %k4", vectors(1, 1));
KNC_PAIR(mask_jknzd, "knot %k1, %k4", "jknzd 1f, %k2\n1:", vectors(2, 1) + branch);
KNC_PAIR(scalar_jknzd, "incl %edi", "jknzd 1f, %k2\n1:", vectors(1, 1) + branch);
KNC_PAIR(scalar_jkzd, "incl %edi", "jkzd 1f, %k1\n1:", vectors(1, 1) + branch);
// Flags are no obstacle.
KNC_PAIR(mask_test_jump, "kortest %k1, %k1", "jz 1f\n1:", vectors(1) + branch);
// Nor is a write of what U reads (WAR).
KNC_PAIR(mask_read_then_written, "knot %k4, %k5", "knot %k1, %k4", vectors(2, 1));
KNC_PAIR(writemask_read_then_written, "vaddps %zmm1, %zmm2, %zmm3{%k3}", "knot %k1, %k3",
         vectors(2, 1) + elements(16));

// ---- not to V

KNC_NO_PAIR(vector_vector, KNC_ADD, "vaddps %zmm1, %zmm2, %zmm4", vectors(2) + elements(32));
KNC_NO_PAIR(vector_load, KNC_ADD, "vmovaps (%rbx), %zmm4",
            vectors(2) + elements(32) + vector_reads(1));
KNC_NO_PAIR(vector_store, KNC_ADD, "vmovaps %zmm1, (%rbx)",
            vectors(2) + elements(32) + vector_writes(1));
KNC_NO_PAIR(store_vector, "vmovaps %zmm1, (%rbx)", KNC_ADD,
            vectors(2) + elements(32) + vector_writes(1));
KNC_NO_PAIR(scalar_vector, "incl %edi", KNC_ADD, add_in_u);
KNC_NO_PAIR(mask_vector, "knot %k1, %k4", KNC_ADD, vectors(2) + elements(16));
KNC_NO_PAIR(prefetch_vector, "vprefetch0 0x40(%rbx)", KNC_ADD, add_in_u);
// U only, and neither pipe beside another.
KNC_NO_PAIR(vector_shift, KNC_ADD, "adcl %edi, %edi", add_in_u);
KNC_NO_PAIR(vector_neg, KNC_ADD, "negl %edi", add_in_u);
// Nothing follows a branch.
KNC_NO_PAIR(jkzd_scalar, "jkzd 1f, %k1\n1:", "incl %edi", vectors(1) + branch);
KNC_NO_PAIR(jknzd_mask, "jknzd 1f, %k2\n1:", "knot %k1, %k4", vectors(2) + branch);
// A displacement with an immediate; each of them alone is no obstacle.
KNC_NO_PAIR(displacement_and_immediate, "vpshufd $1, 0x40(%rbx), %zmm3", "incl %edi", load_in_u);
KNC_PAIR(displacement, "vaddps 0x40(%rbx), %zmm1, %zmm3", "incl %edi", load_in_u);
KNC_PAIR(immediate, "vpshufd $1, (%rbx), %zmm3", "incl %edi", load_in_u);

// ---- the second writes what the first writes, or reads it: it waits in its own issue

KNC_NO_PAIR(mask_written_twice, "knot %k1, %k4", "knot %k2, %k4", vectors(2));
KNC_VECTOR(vector_no_pair, mask_of_vector, "vcmpltps %zmm1, %zmm2, %k4\nkmov %k4, %k5", 6,
           issues(2, 0) + vectors(2) + elements(16) + stall(2));
KNC_VECTOR(vector_no_pair, mask_of_mask, "knot %k1, %k4\nknot %k4, %k5", 6,
           issues(2, 0) + vectors(2) + stall(2));
KNC_VECTOR(vector_no_pair, jknzd_of_vector, "vcmpltps %zmm1, %zmm2, %k4\njknzd 1f, %k4\n1:", 6,
           issues(2, 0) + vectors(2) + elements(16) + stall(2) + branch);
// The general registers too: KMOV has its result for the next issue.
KNC_NO_PAIR(register_of_mask, "kmov %k1, %edi", "incl %edi", vectors(1));

}  // namespace
}  // namespace knc::kernels
