# The skid the report gives: each sample of the demo has one, its parts follow the configuration, and
# how far tiles run ahead does not matter.
. "$(dirname "$0")/lib.sh"

# sampled NAME DELIVERY ENTRY ARGUMENTS...: delivery clocks, least clocks of entry.
sampled() {
    name=$1 delivery=$2 entry=$3
    shift 3
    rm -rf "$name"
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/demo.elf" --out "$name" --quiet "$@"
    expect_status 0 "$CHECK_REPORT" "$name/report.json" --skid "$delivery" "$entry"
    expect_text "$name/report.txt" 'skid: clocks from an overflow'
}

sampled fixed 1 40
sampled nmi 1 40 --cmdline nmi
sampled slow_entry 1 100 --set core.event_entry_cycles=100
sampled far 26 40 --set core.pmi_cycles=25
sampled far_by_clock 26 40 --set core.pmi_cycles=25 --set sim.quantum=1
expect_status 0 "$CHECK_REPORT" far/report.json --same far_by_clock/report.json

# What the driver says it serviced is what was measured.
serviced=$(sed -n 's/^PMIs serviced \([0-9]*\),.*/\1/p' fixed/console.log)
measured=$(sed -n '/^skid: /,/^$/ s/^ *0\.0  *\([0-9]*\) .*/\1/p' fixed/report.txt)
[ "$serviced" = "$measured" ] || fail "$serviced interrupts serviced, $measured measured"

# Of every sample whose place the firmware has checked, the report says the same: each interrupt is there,
# at the next issue slot, and no instruction retired after the clock of the overflow. The samples by time
# are none of them.
rm -rf shares
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/pmu_stress_shares.elf" --out shares --quiet
sampled=$(sed -n 's/^\(by instructions\|by clocks\|in step\), .* \([0-9]*\) samples:.*/\2/p' shares/console.log |
    awk '{ sum += $1 } END { print sum }')
sed -n '/^skid: /,/^$/ s/^ *0\.0  *\([0-9]*\) .*/\1/p' shares/report.txt | grep -qx "$sampled" ||
    fail "$sampled samples, but the report has $(grep -A2 '^skid' shares/report.txt)"
grep -q '^ *0\.0 .* 0 0\.[0-9] 1  .* 0 0\.0 0$' shares/report.txt || fail 'boundary and instructions of the samples'

# Without a performance interrupt there is nothing to show.
rm -rf hello
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/hello.elf" --out hello --quiet
grep -q '^skid' hello/report.txt && fail 'skid without interrupts'
finish
