# What a report says of PEBS: records, those without room, those that a fault ended.
. "$(dirname "$0")/lib.sh"

# pebs DIRECTORY FIELD: of the first thread.
pebs() {
    sed -n "/\"pebs\": {/,/}/s/^ *\"$2\": \([0-9]*\),*\$/\1/p" "$1/report.json" | head -n 1
}
run() {
    directory=$1 image=$2
    shift 2
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$image.elf" --preset perfmon --out "$directory" --quiet "$@"
    expect_status 0 "$CHECK_REPORT" "$directory/report.json"
}

# Four page faults and a #GP are delivered in the place of a record.
run tests pebs
[ "$(pebs tests faults)" -eq 5 ] || fail "$(pebs tests faults) faults"
[ "$(pebs tests no_room)" -gt 0 ] || fail 'each record found room'
# Every tenth of 1000 loads.
run demo pebs_demo
[ "$(pebs demo records) $(pebs demo no_room) $(pebs demo faults)" = '100 0 0' ] || fail "$(pebs demo records) records"
grep -q 'PEBS records 100 no room 0 faults 0' demo/report.txt || fail 'the text of the report'
# Without PEBS, and on a card, nothing is said of it.
run without perfmon --set perfmon.pebs=false --cmdline plain
grep -q '"pebs"' without/report.json && fail 'PEBS, which is off'
finish
