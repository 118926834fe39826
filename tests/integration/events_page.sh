# docs/events.md is what the firmware event_matrix measures, whatever the quantum is.
. "$(dirname "$0")/lib.sh"

for quantum in 10000 1; do
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/event_matrix.elf" --set sim.quantum=$quantum
    awk -f "$KNC_SOURCE/docs/events.awk" stdout >page || fail "not all events are in the output"
    diff "$KNC_SOURCE/docs/events.md" page || fail "docs/events.md is not what event_matrix measures"
done
[ "$(grep -c '^| [A-Z0-9_]* |.* = ' page)" -eq "$(($("$KNC_VP" list events | wc -l) - 1))" ] ||
    fail "the page does not have every event"
finish
