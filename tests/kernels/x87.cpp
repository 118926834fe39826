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

// ---- results: an instruction that reads a register without its value loses its slot and waits

#define KNC_RESULT(name, body, clocks, ...) \
    KNC_KERNEL(x87_result, name, 32, KNC_OPERANDS, body, "", clocks, __VA_ARGS__)
#define KNC_ADD "fadd %st(1), %st\n"
#define KNC_DIVIDE "fdiv %st(1), %st\n"

// FADD in clocks 0, 3, 6 and 9; 2, 5 and 8 are the slots that stay empty.
KNC_RESULT(fadd_chain, KNC_ADD KNC_ADD KNC_ADD KNC_ADD, 11, issues(4, 0) + waits(3));
KNC_RESULT(fmul_chain, ".rept 4\nfmul %st(1), %st\n.endr", 11, issues(4, 0) + waits(3));
// Two sums, exchanged by FXCH in V: each has 4 clocks from one addition to its next.
KNC_KERNEL(x87_result, fadd_with_fxch, 32, "fninit\nfld1\nfldz\nfldz",
           ".rept 4\nfadd %st(2), %st\nfxch\n.endr", "", 8, issues(8, 4));
// FXCH exchanges the waits too: it brings the value that is not there back to ST(0).
KNC_RESULT(fxch_twice, KNC_ADD "fxch\nfxch\n" KNC_ADD, 6, issues(4, 1));
KNC_RESULT(fdiv_fxch_twice, KNC_DIVIDE "fxch\nfxch\n" KNC_ADD, 43, issues(4, 1) + waits(37));
// A result of one clock is there in the next slot.
KNC_RESULT(fabs_chain, "fabs\nfchs\nfabs\nfchs", 8, issues(4, 0));
KNC_RESULT(fld_fadd, "flds (%ebx)\n" KNC_ADD, 4, issues(2, 0) + reads(1));
// Stores and comparisons wait like additions: FADD in 0, FST of 2 clocks in 3; FCOM in 3.
KNC_RESULT(fadd_fst, KNC_ADD "fsts (%ebx)", 5, issues(2, 0) + held(1) + writes(1) + waits(1));
KNC_RESULT(fadd_fcom, KNC_ADD "fcom %st(1)", 5, issues(2, 0) + waits(1));
// FNSTSW reads no register.
KNC_RESULT(fadd_fnstsw, KNC_ADD "fnstsw %ax", 8, issues(2, 0) + held(5));
// FIADD holds the E stage for 4 clocks, its result is there after 6; FSIN: 97 and 99.
KNC_RESULT(fiadd_fadd, "fiaddl (%ebx)\n" KNC_ADD, 8, issues(2, 0) + held(3) + reads(1) + waits(2));
KNC_RESULT(fsin_fadd, "fsin\n" KNC_ADD, 101, issues(2, 0) + microcode(97) + waits(2));

// FDIV in 0, its result in 41: what reads it, in 41, follows 39 lost clocks.
KNC_RESULT(fdiv_fadd, KNC_DIVIDE KNC_ADD, 43, issues(2, 0) + waits(39));
KNC_RESULT(fsqrt_fadd, "fsqrt\n" KNC_ADD, 72, issues(2, 0) + waits(68));
// It holds the unit, so that what does not read it waits too: FLD1 of 2 clocks.
KNC_RESULT(fdiv_fld1, KNC_DIVIDE "fld1", 43, issues(2, 0) + held(1) + waits(39));
KNC_RESULT(fdiv_fnop, KNC_DIVIDE "fnop", 43, issues(2, 0) + waits(39));
// But not FXCH, nor integer instructions; they shorten the wait.
KNC_RESULT(fdiv_integer, KNC_DIVIDE "negl %edx\nnegl %edx\nnegl %edx", 8, issues(4, 0));
KNC_RESULT(fdiv_integer_fxch, KNC_DIVIDE "negl %edx\nfxch", 6, issues(3, 0));
KNC_RESULT(fdiv_integer_fadd, KNC_DIVIDE ".rept 5\nnegl %edx\n.endr\n" KNC_ADD, 43,
           issues(7, 0) + waits(29));
// FNINIT discards what is under way, but cannot start before the unit is free.
KNC_RESULT(fdiv_fninit, KNC_DIVIDE "fninit", 53, issues(2, 0) + waits(39) + microcode(12));

}  // namespace
}  // namespace knc::kernels
