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

}  // namespace
}  // namespace knc::kernels
