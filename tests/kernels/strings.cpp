// String instructions, and their repetition: the set-up, then each element.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

#define KNC_OPERANDS \
    "movl $0x4000, %esi\nmovl $0x5000, %edi\nmovl $1, %ecx\nxorl %eax, %eax\ncmpl %eax, %eax"
#define KNC_STRING(name, x, clocks, more)                      \
    KNC_KERNEL(strings, name, 32, KNC_OPERANDS, x, "", clocks, \
               issues(1, 0) + microcode(clocks) + more)

const counts none;

// ---- one element

KNC_STRING(movs, "movsl", 4, reads(1) + writes(1));
KNC_STRING(stos, "stosl", 3, writes(1));
KNC_STRING(lods, "lodsl", 2, reads(1));
KNC_STRING(scas, "scasl", 4, reads(1));
KNC_STRING(cmps, "cmpsl", 5, reads(2));

// ---- repeated, with one element to do

KNC_STRING(rep_movs, "rep movsl", 12 + 1, reads(1) + writes(1));
KNC_STRING(rep_stos, "rep stosl", 10 + 1, writes(1));
KNC_STRING(rep_lods, "rep lodsl", 7 + 3, reads(1));
KNC_STRING(repe_scas, "repe scasl", 9 + 4, reads(1));
KNC_STRING(repe_cmps, "repe cmpsl", 8 + 4, reads(2));
// More to do, but the first element is EAX: REPNE ends there.
KNC_KERNEL(strings, repne_scas, 32, KNC_OPERANDS "\nmovl $5, %ecx", "repne scasl", "", 9 + 4,
           issues(1, 0) + microcode(9 + 4) + reads(1));

// ---- repeated: one instruction, and the front end stands still from its second clock to its last

#define KNC_FIVE KNC_OPERANDS "\nmovl $5, %ecx"
#define KNC_REPEATED(name, x, clocks, more) \
    KNC_KERNEL(repeated, name, 32, KNC_FIVE, x, "", clocks, issues(1, 0) + microcode(clocks) + more)
KNC_REPEATED(movs, "rep movsl", 12 + 5 * 1, reads(5) + writes(5));
KNC_REPEATED(stos, "rep stosl", 10 + 5 * 1, writes(5));
KNC_REPEATED(lods, "rep lodsl", 7 + 5 * 3, reads(5));
KNC_REPEATED(scas, "repe scasl", 9 + 5 * 4, reads(5));
KNC_REPEATED(cmps, "repe cmpsl", 8 + 5 * 4, reads(10));
// LODS in clocks 0 to 12: set-up and two elements. Then the interrupt that arrived in 11: entry of
// 40 clocks and IRET of 10. Then the set-up again, and three elements.
KNC_KERNEL(repeated, lods_interrupted, 32, KNC_HANDLERS KNC_FIVE "\nsti\nnop", "rep lodsl", "",
           (7 + 2 * 3) + 40 + 10 + (7 + 3 * 3),
           issues(2, 0) + raises(exec_stage_cycles, 1) + microcode(7 + 2 * 3) +
               raises(exec_stage_cycles, 1) + microcode(40) + microcode(10) + microcode(7 + 3 * 3) +
               reads(5) + reads(4) + writes(1) + raises(pipeline_flushes, 2) + raises(branches, 1) +
               raises(code_read, 2),
           interrupted_at(11));

}  // namespace
}  // namespace knc::kernels
