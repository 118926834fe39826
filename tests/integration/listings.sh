# What the program lists about itself.
. "$(dirname "$0")/lib.sh"

expect_status 0 "$KNC_VP" --version
expect_text stdout 'knc-vp '
expect_status 0 "$KNC_VP" --help
expect_text stdout 'exit status'
for preset in mini 3120a 5110p 7120p se10p perfmon p55c; do
    expect_status 0 "$KNC_VP" list presets
    expect_text stdout "$preset"
    expect_status 0 "$KNC_VP" list keys --preset $preset
    awk 'NR > 1 && NF < 3 { exit 1 }' stdout || fail "a key without value or meaning"
    [ "$(wc -l <stdout)" -gt 20 ] || fail "few keys"
done
expect_status 0 "$KNC_VP" list events
[ "$(wc -l <stdout)" -eq 62 ] || fail "61 events and a heading expected"
expect_text stdout 'INSTRUCTIONS_EXECUTED'
! grep -q 'INSTRUCTIONS_RETIRED' stdout || fail "an event of another PMU"
expect_status 0 "$KNC_VP" list events --preset perfmon
[ "$(wc -l <stdout)" -eq 15 ] || fail "7 architectural events, 7 of the model and a heading expected"
grep -Eq '^MEM_LOAD_RETIRED_L2_MISS +0xd1 +0x10 +- +occurrence' stdout || fail "an event that no bit of CPUID announces"
grep -Eq '^LLC_MISSES +0x2e +0x41 +4 +occurrence' stdout || fail "the codes of LLC_MISSES"
expect_status 0 "$KNC_VP" list events --preset p55c
[ "$(grep -vc 'p55c.manual_events' stdout)" -eq 68 ] || fail "67 events of a Pentium and a heading expected"
[ "$(grep -c 'p55c.manual_events' stdout)" -eq 3 ] || fail "3 events of the SDM expected"
grep -Eq '^EMMS_INSTRUCTIONS_EXECUTED +0x2d +0 +occurrence' stdout || fail "the counter of EMMS"
expect_status 0 "$KNC_VP" list metrics
awk -f "$KNC_SOURCE/docs/metrics.awk" stdout >metrics
sed -n '/^<!-- metrics -->$/,/^<!-- end -->$/p' "$KNC_SOURCE/docs/monitor.md" | sed '1d;$d' | diff metrics - ||
    fail "the table in docs/monitor.md is not that of the metrics"
[ "$(wc -l <metrics)" -gt 45 ] || fail "few metrics"
# Of another PMU: what differs.
expect_status 0 "$KNC_VP" list metrics --preset perfmon
awk -f "$KNC_SOURCE/docs/metrics.awk" stdout | grep -vxF "$(tail -n +3 metrics)" >perfmon_metrics
sed -n '/^<!-- metrics of perfmon -->$/,/^<!-- end -->$/p' "$KNC_SOURCE/docs/monitor.md" | sed '1d;$d' |
    diff perfmon_metrics - || fail "the second table in docs/monitor.md is not that of preset perfmon"
expect_status 0 "$KNC_VP" list registers
expect_text stdout 'IA32_PERF_GLOBAL_OVF_CONTROL'
expect_text stdout 'lvt_pmc'
expect_text stdout 'IA32_MTRR_DEF_TYPE'
expect_text stdout 'IA32_KERNEL_GS_BASE'
expect_text stdout 'ELAPSED_TIME_LOW'
! grep -q 'IA32_PERF_CAPABILITIES' stdout || fail "a register of another PMU"
expect_status 0 "$KNC_VP" list registers --preset perfmon
expect_text stdout 'IA32_PERF_CAPABILITIES'
expect_text stdout 'IA32_A_PMC0..3'
expect_text stdout 'IA32_PEBS_ENABLE'
! grep -q 'IA32_PerfCntr0' stdout || fail "a register of Knights Corner"
[ "$(grep -c IA32_MISC_ENABLE stdout)" -eq 1 ] || fail "IA32_MISC_ENABLE is the PMU's alone"
expect_status 0 "$KNC_VP" list registers --preset p55c
expect_text stdout 'CESR'
! grep -q 'IA32_PerfCntr0' stdout || fail "a register of Knights Corner"
! grep -q 'IA32_MTRRCAP' stdout || fail "a register that a Pentium has not"
expect_status 0 "$KNC_VP" list signals --preset p55c
grep -q 'pmu.t0.pm1 ' stdout || fail "no pin PM1"
grep -q 'tile0.bus.write_buffers ' stdout || fail "no bus of a Pentium"
! grep -q 'l2\.\|directory' stdout || fail "an L2 or directory of a Pentium"
! grep -q '\.t1\.' stdout || fail "a second thread of a Pentium"
expect_status 0 "$KNC_VP" list signals --preset perfmon
[ "$(grep -c 'pmu.t[0-3].fixed2 ' stdout)" -eq 8 ] || fail "fixed counter 2 of each of 8 threads expected"
expect_status 0 "$KNC_VP" list signals
[ "$(grep -c pmi stdout)" -ge 8 ] || fail "a PMI line for each of 8 threads expected"
expect_status 0 "$KNC_VP" list scenarios
grep -Eq '^demo +demo +[^ ]' stdout || fail "the scenario demo, its image and what it is expected"
# Tree of modules: what stands below a tile, and what its sockets are bound to.
expect_status 0 "$KNC_VP" list modules
for module in core l1d l1i l2 directory stop pmu apic0 apic3; do
    grep -qE "^    $module  " stdout || fail "no module $module in a tile"
done
for module in ring controller0 sbox scheduler; do
    grep -qE "^  $module  " stdout || fail "no module $module in the card"
done
expect_text stdout '. network -> tile0.stop.l2'
expect_text stdout '. msr -> tile0.pmu.msr'
# The picture of them in the documentation is drawn from this output.
awk -f "$KNC_SOURCE/docs/module_picture.awk" stdout >picture
sed -n '/^```mermaid/,/^```$/{/^```/!p;}' "$KNC_SOURCE/docs/architecture.md" | cmp picture - ||
    fail "the picture in docs/architecture.md is not that of the modules"
finish
