// The x87 unit: its instructions pair with FXCH in V and with nothing else, and occupy the E stage
// as docs/pipeline.md's table says.

#include <algorithm>

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

// ST(0) is 0, ST(1) is 1.
#define KNC_OPERANDS "movl $0x4000, %ebx\nfninit\nfld1\nfldz"
const counts none;

// ---- pairs

#define KNC_PAIR(name, u, more) \
    KNC_KERNEL(x87_pair, name, 32, KNC_OPERANDS, u "\nfxch", "", 2, issues(2, 1) + more)
KNC_PAIR(fadd, "fadd %st(1), %st", none);
KNC_PAIR(fsub, "fsub %st(1), %st", none);
KNC_PAIR(fmul, "fmul %st(1), %st", none);
KNC_PAIR(fdiv, "fdiv %st(1), %st", none);
KNC_PAIR(fadd_from_memory, "fadds (%ebx)", reads(1));
KNC_PAIR(fld, "fld %st(1)", none);
KNC_PAIR(fld_from_memory, "flds (%ebx)", reads(1));
KNC_PAIR(fcom, "fcom %st(1)", none);
KNC_PAIR(ftst, "ftst", none);
KNC_PAIR(fabs, "fabs", none);
KNC_PAIR(fchs, "fchs", none);

#define KNC_NO_PAIR(name, first, second, more) \
    KNC_KERNEL(x87_no_pair, name, 32, KNC_OPERANDS, first "\n" second, "", 4, issues(2, 0) + more)
// With an integer instruction on either side.
KNC_NO_PAIR(fadd_integer, "fadd %st(1), %st", "incl %edx", none);
KNC_NO_PAIR(integer_fadd, "incl %edx", "fadd %st(1), %st", none);
KNC_NO_PAIR(integer_fxch, "incl %edx", "fxch", none);
KNC_NO_PAIR(load_fxch, "movl (%ebx), %edx", "fxch", reads(1));
// FXCH issues to V only, FADD to U only.
KNC_NO_PAIR(fxch_integer, "fxch", "incl %edx", none);
KNC_NO_PAIR(fxch_fabs, "fxch", "fabs", none);
KNC_NO_PAIR(fxch_fxch, "fxch", "fxch", none);
// FNOP and FILD issue alone.
KNC_NO_PAIR(fnop_fxch, "fnop", "fxch", none);
KNC_NO_PAIR(fincstp_integer, "fincstp", "incl %edx", none);
KNC_NO_PAIR(fild_integer, "fildl (%ebx)", "incl %edx", reads(1));

// ---- clocks: INC EDI | X | INC EDI

constexpr cycle_t alone(cycle_t n) {
    return 2 + std::max<cycle_t>(n, 2) + 2;
}
#define KNC_ALONE(name, x, n, more)                                                      \
    KNC_KERNEL(x87, name, 32, KNC_OPERANDS, "incl %edi\n" x "\nincl %edi", "", alone(n), \
               issues(3, 0) + held(n - 1) + more)
KNC_ALONE(fld1, "fld1", 2, none);
KNC_ALONE(fldpi, "fldpi", 5, none);
KNC_ALONE(fld_extended, "fldt (%ebx)", 3, reads(1));
KNC_ALONE(fst_memory, "fsts (%ebx)", 2, writes(1));
KNC_ALONE(fstp_extended, "fstpt (%ebx)", 3, writes(1));
KNC_ALONE(fist, "fistl (%ebx)", 6, writes(1));
KNC_ALONE(fxam, "fxam", 17, none);
KNC_ALONE(fiadd, "fiaddl (%ebx)", 4, reads(1));
KNC_ALONE(ficom, "ficoml (%ebx)", 4, reads(1));
KNC_ALONE(fnstsw, "fnstsw %ax", 6, none);
KNC_ALONE(fnstcw, "fnstcw (%ebx)", 2, writes(1));
KNC_ALONE(fldcw, "fldcw 0x4100", 8, reads(1));

#define KNC_MICROCODE(name, x, n, more)                                                  \
    KNC_KERNEL(x87, name, 32, KNC_OPERANDS, "incl %edi\n" x "\nincl %edi", "", alone(n), \
               issues(3, 0) + microcode(n) + more)
KNC_MICROCODE(frndint, "frndint", 20, none);
KNC_MICROCODE(fscale, "fscale", 27, none);
KNC_MICROCODE(fprem, "fprem", 62, none);
KNC_MICROCODE(fsin, "fsin", 97, none);
KNC_MICROCODE(f2xm1, "f2xm1", 57, none);
KNC_MICROCODE(fbstp, "fbstp (%ebx)", 148, writes(1));
KNC_MICROCODE(fnclex, "fnclex", 9, none);
KNC_MICROCODE(fninit, "fninit", 12, none);

}  // namespace
}  // namespace knc::kernels
