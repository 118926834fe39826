# Files of waveforms: their size, FST, and the same changes from any quantum and any selection.
. "$(dirname "$0")/lib.sh"
demo=$KNC_IMAGES/demo.elf
same() { cmp "$1" "$2" || fail "$3"; }
# traced DIRECTORY ARGUMENTS...
traced() {
    directory=$1
    shift
    expect_status 3 "$KNC_VP" run "$demo" --out "$directory" --quiet --set limits.max_cycles=480000 "$@"
}
# changes: every change in a VCD as `TIME NAME VALUE`, whatever its codes; initial values included.
changes() {
    awk '$1 == "$scope" { path = path $3 "." }
        $1 == "$upscope" { sub(/[^.]*\.$/, "", path) }
        $1 == "$var" { name[$4] = path $5 }
        /^#/ { time = substr($1, 2) }
        /^b/ { sub(/^b0*/, "", $1); print time, name[$2], $1 == "" ? 0 : $1; next }
        /^[01]/ { print time, name[substr($1, 2)], substr($1, 1, 1) }' "$1" | LC_ALL=C sort
}

# ---- any quantum, any company
for quantum in 1 333 10000; do
    traced "q$quantum" --trace 'tile0.pmu,tile1' --set trace.from=440000 --set trace.to=470000 --set sim.quantum=$quantum
    same q1/trace.vcd "q$quantum/trace.vcd" "quantum $quantum"
done
# With the ring's signals, SystemC time follows each clock; the tiles' signals are the same.
traced all --trace all --set trace.from=440000 --set trace.to=470000
expect_status 0 "$KNC_VP" vcd check all/trace.vcd --expect-changes tile0.pmu.t0.pmi
for d in q1 all; do changes $d/trace.vcd | grep ' SystemC\.tile0\.pmu\| SystemC\.tile1' >$d.changes; done
[ "$(wc -l <q1.changes)" -gt 1000 ] || fail 'hardly a change'
same q1.changes all.changes 'the same signals with and without others'

# A thread that waits for memory and devices is shown as resumed in the same clock.
sed "s|\.\./\.\./build/release/sw|$KNC_IMAGES|" "$KNC_SOURCE/platform/scenarios/doorbell.toml" >doorbell.toml
for quantum in 1 10000; do
    expect_status 0 "$KNC_VP" run doorbell.toml --out "bell$quantum" --quiet --trace tile0,tile1 --set sim.quantum=$quantum
done
expect_status 0 "$KNC_VP" run doorbell.toml --out bell --quiet --trace all
for d in bell1 bell10000 bell; do changes $d/trace.vcd | grep ' SystemC\.tile[01]\.' >$d.changes; done
[ "$(wc -l <bell.changes)" -gt 100 ] || fail 'hardly a change'
for d in bell1 bell10000; do same bell.changes $d.changes "$d and the whole card"; done

# ---- size
traced limited --trace 'tile0.pmu' --set trace.to=none --set trace.max_bytes=20K
expect_text stderr 'trace.vcd has reached its size (trace.max_bytes): it ends at clock'
expect_status 0 "$KNC_VP" vcd check limited/trace.vcd
size=$(wc -c <limited/trace.vcd)
[ "$size" -le 20480 ] && [ "$size" -gt 20200 ] || fail "$size bytes"
# It is the beginning of the whole one, but for the last time, which is that of the clock in the message.
traced whole --trace 'tile0.pmu' --set trace.to=none
grep -q 'knc-vp:' stderr && fail "a message: $(cat stderr)"
sed '$d' limited/trace.vcd >begin.vcd
head -c "$(wc -c <begin.vcd)" whole/trace.vcd | cmp - begin.vcd || fail 'not the beginning of the whole one'
last=$(tail -1 limited/trace.vcd)
traced limited --trace 'tile0.pmu' --set trace.to=none --set trace.max_bytes=20K
clock=$(sed -n 's/.*ends at clock \([0-9]*\)$/\1/p' stderr)
[ "$((${last#\#} * 11 / 10000))" -eq "$clock" ] || fail "the last time is $last, the clock $clock"

# ---- FST: the converter reads the text through a pipe
traced fst --trace 'tile0.pmu,tile0.t0' --set trace.from=440000 --set trace.to=450000 --set trace.format=fst
traced vcd --trace 'tile0.pmu,tile0.t0' --set trace.from=440000 --set trace.to=450000
expect_file fst/trace.fst vcd/trace.vcd
[ ! -e fst/trace.vcd ] || fail 'there is a VCD beside the FST'
expect_text fst/trace.gtkw 'trace.fst'
expect_text vcd/trace.gtkw 'trace.vcd'
fst2vcd fst/trace.fst >back.vcd || fail 'fst2vcd'
changes vcd/trace.vcd >vcd.changes
changes back.vcd >fst.changes
same vcd.changes fst.changes 'FST and VCD'
[ "$(wc -l <vcd.changes)" -gt 1000 ] || fail 'hardly a change'
# Without the converter: one line, and nothing is written.
mkdir -p empty
status=0
PATH=$PWD/empty "$KNC_VP" run "$demo" --out missing --quiet --trace tile0 --set trace.format=fst 2>stderr || status=$?
[ "$status" -eq 2 ] && [ ! -e missing ] || fail "without vcd2fst: status $status"
expect_text stderr 'the program vcd2fst of GTKWave is not installed'
finish
