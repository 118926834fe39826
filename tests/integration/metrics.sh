# What the firmware's metrics driver makes of its counters, beside the report of the same run.
. "$(dirname "$0")/lib.sh"

# measure NAME ARGUMENTS...: all eight threads of the card.
measure() {
    name=$1
    shift
    rm -rf "$name"
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/metrics.elf" --out "$name" --quiet \
        --cmdline "cores=2 threads=4 $*"
}
# check NAME ARGUMENTS...: prints what is wrong. The table is in NAME/table.
check() {
    name=$1
    shift
    "$CHECK_METRICS" "$name/report.json" "$name/console.log" "$@" >"$name/table" ||
        { fail "metrics of $name $*"; grep FAIL "$name/table"; }
}

# With two events or one, every number is the truth. MEM_WRITE has two events of the core.
for group in CACHE CPI MEM6 MEM_WRITE PAIRING READ_MISS_RATIO TLB VECTOR; do
    measure $group amount=2 group=$group
    check $group --exact
done
measure hits amount=2 metric=L1HIT
check hits --exact
expect_text hits/table 'card L1HIT '
# Ring 0 between the marks is a small part of a longer run.
measure long group=CPI
check long --exact --phase 2

# Both rings: the session itself adds the same few instructions to each thread, whatever it runs.
measure both_integer both integer amount=2 group=CPI
check both_integer --both
measure both_chase both chase amount=2 group=CPI
check both_chase --both
cmp both_integer/table both_chase/table || fail "instructions at ring 0 depend on the load"

# All events in turn: steady loads, then three phases.
measure integer integer amount=60
check integer --error 3 --bounds 1 --marks
measure chase chase amount=40
check chase --error 5 --bounds 1 --marks
measure phases amount=40
check phases --error 15 --bounds 0 --marks
# Their character: a load that hits the L1, one that misses it, vectors of 16 elements.
grep -q '^card  *L1HIT .*!' integer/console.log && fail 'the integer load misses the L1'
grep -q '^card  *L1HIT .*!' chase/console.log || fail 'the chase hits the L1'
grep -q '^card  *TLB1 .*!' chase/console.log || fail 'the chase hits the TLB'

expect_status 1 "$KNC_VP" run "$KNC_IMAGES/metrics.elf" --quiet --cmdline group=NOTHING
finish
