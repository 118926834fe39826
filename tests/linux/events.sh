# The programs know the hardware's events by the names and codes of the model's table, and read specifications.
. "$KNC_SOURCE/tests/integration/lib.sh"

# Columns of both: event, select and umask, which the code has in bits 7:0 and 15:8.
expect_status 0 "$KNC_VP" list events
awk 'NR > 1 && /0x/ { print tolower("r" substr($3, 3) substr($2, 3)), $1 }' stdout >wanted
expect_status 0 "$PERF_STAT" --list
awk '{ print $1, $2 }' stdout >listed
[ "$(wc -l <wanted)" -eq 61 ] || fail "knc-vp lists $(wc -l <wanted) events"
cmp -s wanted listed || { fail "the lists differ:"; diff wanted listed; }

# event_refused TEXT SPECIFICATION
event_refused() {
    expect_status 1 "$PERF_STAT" -e "$2" true
    expect_text stderr "$1"
}
event_refused 'no such event: nonsense' nonsense
event_refused 'no such event: ' task-clock,
event_refused 'no such event: r' r
event_refused 'no such event: r123456789' r123456789
event_refused 'no such filter: x' data_read:x
for cpus in 5-3 1,0 1, x 2000; do
    expect_status 1 "$PERF_STAT" -C $cpus true
    expect_text stderr "$cpus"
done
expect_status 2 "$PERF_STAT" -A true # without -a or -C
finish
