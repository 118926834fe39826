# scenario.sh NAME: the scenario holds, and its waveform shows the signals for which it was chosen.
. "$(dirname "$0")/lib.sh"

name=$1
scenario=$KNC_BUILD/share/knc/scenarios/$name.toml
expect_status 0 "$KNC_VP" run "$scenario" --out out --quiet
expect_text out/report.txt 'pass '
expect_status 0 "$CHECK_REPORT" out/report.json

# Signals that must change in the window.
case $name in
pmi | pmi_storm) signals='pmu.t0.pmi pmu.t0.status pmu.t0.cntr0 apic.lvt_pmc apic.irr_highest apic.isr_highest cpl' ;;
pmi_nmi) signals='pmu.t0.pmi apic.lvt_pmc apic.pending cpl' ;;
pmi_both) signals='pmu.t0.pmi pmu.t0.status pmu.t0.cntr0 pmu.t0.cntr1' ;;
region) signals='pmu.t0.spflt pmu.t0.cntr0 pmu.t0.cntr1' ;;
pebs) signals='pmu.t0.pmc0 tile0.t0.cpl' ;;
any_thread) signals='pmu.t0.cntr0 pmu.t0.cntr1 tile0.t3.cpl' ;;
missing_unmask* | missing_clear) signals='pmu.t0.pmi pmu.t0.status apic.isr_highest' ;;
missing_eoi) signals='pmu.t0.pmi apic.irr_highest apic.isr_highest' ;;
false_sharing) signals='tile0.l2.line tile1.l2.line tile7.l2.line tile1.l1d.line tile1.l2.misses tile1.t0.waits_for' ;;
producer_consumer) signals='tile0.l2.line tile1.l2.line tile0.t0.waits_for tile0.l2.misses tile1.t0.stores_waiting ring.tile1.data_down' ;;
hot_spot) signals='ring.tile0.data_up ring.tile0.data_up_waiting tile4.l2.misses' ;;
tlb) signals='tile0.t0.doing tile0.t0.waits_for tile0.core.u.kind tile0.core.stall tile0.core.long_data_page_walk' ;;
matrix_pitch) signals='tile0.t0.doing tile0.core.u.kind tile0.l1d.data_read_miss' ;;
scaling) signals='controller0.reads controller0.row_hits controller0.open_banks ring.controller0.data_up tile31.l2.misses' ;;
locks) signals='tile1.l2.misses tile7.t0.doing tile1.l2.line tile1.t0.function' ;;
start_all) signals='tile60.t0.apic.icr fabric.waiting tile0.t0.state tile0.t1.state' ;;
warm_reset) signals='tile1.t3.state pmu.t0.global_ctrl apic.lvt_pmc' ;;
doorbell) signals='tile0.requester.accesses agent.waiting fabric.waiting apic.irr_highest apic.isr_highest ring.sbox.address_down' ;;
*) signals= ;;
esac
if grep -q '^\[trace\]' "$scenario"; then
    # shellcheck disable=SC2086
    expect_status 0 "$KNC_VP" vcd check out/trace.vcd ${signals:+--expect-changes $signals}
    expect_file out/trace.gtkw
fi
finish
