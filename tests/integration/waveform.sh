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

# A selection holds what was asked for and nothing else.
expect_status 0 "$KNC_VP" run "$demo" --out some --quiet --trace 'tile1.pmu,*.t0.apic.lvt_pmc'
[ "$(grep -c '^\$var' some/trace.vcd)" -eq 34 ] || fail "4 x 8 PMU signals and 2 LVT entries expected"
finish
