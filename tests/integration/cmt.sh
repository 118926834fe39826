# Cache monitoring only observes: a run with it, and with monitoring IDs of any kind, is the run without it.
. "$(dirname "$0")/lib.sh"

# scenario NAME LINE...: a run of the image with these lines in its scenario.
scenario() {
    name=$1
    shift
    {
        echo 'preset = "perfmon"'
        echo "image = \"$KNC_IMAGES/phases.elf\""
        printf '%s\n' "$@"
    } >"$name.toml"
    expect_status 0 "$KNC_VP" run "$name.toml" --out "$name" --quiet
}
scenario off '[cmt]' 'enable = false'
scenario on
scenario bandwidth '[cmt]' 'bandwidth = true' 'hit = "move"'
ids=
for thread in 0 1 2 3 4 5 6 7; do
    ids="$ids
[[msr]]
at = 1000
thread = $thread
write = [0xc8f, $((thread + 1))]"
done
scenario ids "$ids" '[[msr]]' 'at = 2000' 'thread = 5' 'read = 0xc8f'
jq -e '.msr_accesses | map(select(.thread == 5)) | length == 2' ids/report.json >jq.out || fail "the accesses: $(jq -c .msr_accesses ids/report.json)"
# Clocks, instructions, and all counts of each thread.
of_run() {
    jq -c '[.time.cycles, .time.instructions, [.threads[] | [.core, .thread, .instructions, .events, .pmu]]]' "$1/report.json"
}
of_run off >off.counts
for other in on bandwidth ids; do
    of_run $other >$other.counts
    cmp off.counts $other.counts || fail "the run with monitoring ($other) is another one"
done
# They did monitor.
jq -e '.phases[0].threads[0].metrics.L3OCC > 100' ids/report.json >jq.out || fail "no occupancy: $(cat jq.out)"
jq -e '.phases[0].threads[0].metrics | has("L3OCC") | not' off/report.json >jq.out || fail "an occupancy without monitoring"
finish
