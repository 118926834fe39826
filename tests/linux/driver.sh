# The mainline kernel's PMU driver as it is: counter 1 does not count, and each CPU takes one sample,
# unless the APIC leaves the LVT entry unmasked. docs/linux.md has the reasons.
. "$(dirname "$0")/lib.sh"

measure='perf-stat -e CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED work 2;
    perf-record -a -e INSTRUCTIONS_EXECUTED -c 10007 -o /tmp/perf.data work 2'
# count EVENT OUT: of perf-stat. samples OUT: of perf-record, all CPUs.
count() { awk -v event="$1" '$2 == event && NF == 4 { print $1 }' "$2/console"; }
samples() { awk '$1 == "all" && NF == 6 { print $2 }' "$1/console"; }

KERNEL=vmlinux-mainline-pmu boot mainline "$measure"
[ "$(count CPU_CLK_UNHALTED mainline)" -gt 1000000 ] || fail "counter 0 does not count"
[ "$(count INSTRUCTIONS_EXECUTED mainline)" -eq 0 ] || fail "counter 1 counts"
[ "$(samples mainline)" -eq 8 ] || fail "$(samples mainline) samples"
# What the driver loses is lost interrupts, not counts.
awk '$1 == "all" && NF == 6 && $2 * $3 + $4 != $5 { exit 1 }' mainline/console || fail "samples and remainders are not the count"

KERNEL=vmlinux-mainline-pmu boot unmasked "$measure" --set apic.lvtpc_automask=false
[ "$(count INSTRUCTIONS_EXECUTED unmasked)" -eq 0 ] || fail "counter 1 counts"
[ "$(samples unmasked)" -gt 100 ] || fail "$(samples unmasked) samples"

boot mended "$measure"
[ "$(count INSTRUCTIONS_EXECUTED mended)" -gt 1000000 ] || fail "counter 1 does not count"
[ "$(samples mended)" -gt 100 ] || fail "$(samples mended) samples"
finish
