# ./run mutation as far as it builds nothing: the list, the draw, the patches. Everything counts as installed.
. "$(dirname "$0")/lib.sh"

mutate=$KNC_SOURCE/tests/mutation/mutate
[ -x "$mutate" ] || fail "$mutate is not executable"
mkdir -p bin
printf '#!/bin/sh\necho "ii "\n' >bin/dpkg-query
printf '#!/bin/sh\nexit 1\n' >bin/apt-get
chmod +x bin/dpkg-query bin/apt-get

expect_status 0 env PATH="$PWD/bin:$PATH" "$KNC_SOURCE/run" mutation --list
cp stdout all
[ ! -s stderr ] || fail "--list writes to standard error: $(head -1 stderr)"
for operator in AOR LOR SOR ASR ROR COR UOI CRP SDL; do
    expect_text all ":$operator:"
done
for file in pmu/counter_bank.cpp pmu/knc_registers.h apic/local_apic.cpp apic/timer.cpp core/cycle_accounting.cpp core/event_unit.cpp cache/l2_events.cpp; do
    expect_text all "models/knc/$file:"
done
[ "$(sort all | uniq -d | wc -l)" -eq 0 ] || fail "two mutants have one name: $(sort all | uniq -d | head -1)"

# A draw is part of the list, has the size asked for, and depends on nothing but the seed.
expect_status 0 "$mutate" --list --exclude patch: --sample 40 --seed 3
cp stdout drawn
[ "$(wc -l <drawn)" -eq 40 ] || fail "not 40 mutants"
[ -z "$(grep -vxFf all drawn)" ] || fail "a mutant that is not in the list was drawn"
expect_status 0 "$mutate" --list --exclude patch: --sample 40 --seed 3
cmp -s stdout drawn || fail "the same seed draws others"
expect_status 0 "$mutate" --list --exclude patch: --sample 40 --seed 4
cmp -s stdout drawn && fail "another seed draws the same"

expect_status 2 "$mutate" --frobnicate
expect_text stderr 'Unknown option: frobnicate'

# The named mutants still fit the sources.
for patch in "$KNC_SOURCE"/tests/mutation/patches/*.patch; do
    expect_text all "patch:$(basename "$patch" .patch)"
    patch -d "$KNC_SOURCE" -p1 --dry-run -s -i "$patch" >stdout 2>&1 || { fail "$patch does not apply"; cat stdout; }
done
finish
