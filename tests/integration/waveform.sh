# The demo's waveform: well formed, and the signals that matter move.
. "$(dirname "$0")/lib.sh"
demo=$KNC_IMAGES/demo.elf

# The scenario's window holds the first interrupts of the sampling driver.
sed "s|^image = .*|image = \"$demo\"|" "$KNC_SOURCE/platform/scenarios/demo.toml" >demo.toml
expect_status 0 "$KNC_VP" run demo.toml --out out --quiet --trace all
expect_status 0 "$KNC_VP" vcd check out/trace.vcd --expect-changes \
    tile0.pmu.t0.cntr0 tile0.pmu.t0.pmi tile0.pmu.t0.status tile0.pmu.t0.global_ctrl \
    tile0.t0.apic.lvt_pmc tile0.t0.apic.irr_highest tile0.t0.apic.isr_highest tile0.t0.pc tile0.t0.cpl
# Its own selection is in the trace it asks for.
expect_status 0 "$KNC_VP" run demo.toml --out chosen --quiet
expect_status 0 "$KNC_VP" vcd check chosen/trace.vcd --expect-changes tile0.pmu.t0.pmi tile0.t0.apic.lvt_pmc
expect_status 1 "$KNC_VP" vcd check out/trace.vcd --expect-changes tile1.pmu.t0.cntr0
expect_text stderr 'never changes'
expect_status 1 "$KNC_VP" vcd check out/trace.vcd --expect-changes no_such_signal
expect_text stderr 'is not in it'
head -c 20000 out/trace.vcd | tr '#' '%' >broken.vcd
expect_status 1 "$KNC_VP" vcd check broken.vcd
expect_text stderr 'broken.vcd:'

# A window that counts from a mark is the same as one of the clocks in question. A mark is there
# core.device_cycles after its write; 2 is the second one.
for mark in 1 2; do
    at=$(tr -d ' \n' <out/report.json | sed "s/.*{\"number\":$mark,\"cycle\":\([0-9]*\)}.*/\1/")
    at=$((at + 50))
    expect_status 0 "$KNC_VP" run "$demo" --out "clocks$mark" --quiet --trace tile0.t0,tile0.pmu \
        --set core.device_cycles=50 --set trace.from=$((at + 100)) --set trace.to=$((at + 700))
    expect_status 0 "$KNC_VP" run "$demo" --out "mark$mark" --quiet --trace tile0.t0,tile0.pmu \
        --set core.device_cycles=50 --set trace.mark=$mark --set trace.from=100 --set trace.to=700
    grep -v '^ *[A-Z][a-z][a-z] [0-9]' "clocks$mark/trace.vcd" >clocks.vcd
    grep -v '^ *[A-Z][a-z][a-z] [0-9]' "mark$mark/trace.vcd" >mark.vcd
    cmp clocks.vcd mark.vcd || fail "the window from mark $mark"
    cmp "clocks$mark/trace.gtkw" "mark$mark/trace.gtkw" || fail "the view from mark $mark"
    expect_status 0 "$KNC_VP" vcd check "mark$mark/trace.vcd" --expect-changes tile0.t0.pc
done
# A mark that never comes: nothing is traced.
expect_status 0 "$KNC_VP" run "$demo" --out none --quiet --trace tile0.t0 --set trace.mark=77
expect_status 1 "$KNC_VP" vcd check none/trace.vcd --expect-changes tile0.t0.pc

# A selection holds what was asked for and nothing else.
expect_status 0 "$KNC_VP" run "$demo" --out some --quiet --trace 'tile1.pmu,*.t0.apic.lvt_pmc'
[ "$(grep -c '^\$var' some/trace.vcd)" -eq 34 ] || fail "4 x 8 PMU signals and 2 LVT entries expected"
finish
