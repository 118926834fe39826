# knc-as as a program: exit status, messages with the place in the source, the way from source to object that
# docs/firmware.md shows.
. "$(dirname "$0")/lib.sh"
as=$KNC_BUILD/bin/knc-as

expect_status 1 "$as"
expect_text stderr 'usage: knc-as IN.s OUT.s'
expect_status 1 "$as" no_such.s out.s
expect_text stderr 'knc-as: cannot read no_such.s'
expect_status 1 "$as" . out.s
expect_text stderr 'knc-as: cannot read .'
echo nop >good.s
expect_status 1 "$as" good.s no_such/out.s
expect_text stderr 'knc-as: cannot write no_such/out.s'

# Errors name the source's line, not that of the preprocessor's output, and all of them; there is no output.
cat >wrong.S <<'S'
#define SECOND vaddps %zmm1, \
                      %zmm2
    nop
    SECOND
#include "header.h"
    vmulps %zmm1, %zmm2, %zmm3; jkzd wrong
S
printf '\n    kand %%eax, %%k1\n' >header.h
gcc -E wrong.S -o wrong.i.s || fail "gcc -E"
echo old >out.s
expect_status 1 "$as" wrong.i.s out.s
[ ! -e out.s ] || fail "out.s is there after an error"
sed 's/: no such form:.*//' stderr >places
printf '%s\n' 'wrong.S:4: knc-as' 'header.h:2: knc-as' 'wrong.S:6: knc-as' >wanted
cmp -s places wanted || { fail "places of errors:"; cat stderr; }

# Inline assembly: the line of the C source.
cat >wrong.c <<'C'
void f(void) {
    __asm__("nop");
    __asm__("vaddps %%zmm1, %%zmm2, %%zmm3\n\tvaddps %%zmm1, %%zmm2" : :);
}
C
gcc -O2 -S wrong.c -o wrong.s || fail "gcc -S"
expect_status 1 "$as" wrong.s out.s
expect_text stderr 'wrong.c:4: knc-as: no such form'

# The assembler's own messages keep their place: each line stays one line.
printf '    kand %%k1, %%k2; kor %%k1, %%k2\n    bad_mnemonic\n' >unknown.S
gcc -E unknown.S -o unknown.i.s
expect_status 0 "$as" unknown.i.s unknown.s
expect_status 1 gcc -c unknown.s -o unknown.o
expect_text stderr 'unknown.S:2: Error: no such instruction'
finish
