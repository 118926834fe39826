# Triggers of waveforms: windows begin at the right clock, whatever the quantum, and change no report.
. "$(dirname "$0")/lib.sh"
demo=$KNC_IMAGES/demo.elf
scopes='tile0.pmu.t0,tile0.t0'

# traced DIRECTORY ARGUMENTS...: a trace of the demo's first interrupts.
traced() {
    directory=$1
    shift
    expect_status 3 "$KNC_VP" run "$demo" --out "$directory" --quiet --trace "$scopes" \
        --set limits.max_cycles=500000 "$@"
    expect_status 0 "$KNC_VP" vcd check "$directory/trace.vcd"
}
# clock_of TIME: the clock at a time in ps; the cores run at 1.1 GHz (preset mini).
clock_of() { echo $(($1 * 11 / 10000)); }
# times FILE: all its times.
times_of() { sed -n 's/^#\([0-9]*\)$/\1/p' "$1"; }
# code FILE NAME: the identifier code of the first signal of that name.
code() { awk -v n="$2" '$1 == "$var" && $5 == n { print $4; exit }' "$1"; }
# overflows DIRECTORY: the overflows of both counters of thread 0.
overflows() { tr -d ' \n' <"$1/report.json" | grep -o '"overflows":\[[0-9,]*\]' | head -1; }
same() { cmp "$1" "$2" || fail "$3"; }

# ---- the window around the first performance interrupt
traced around --set 'trace.trigger=first PMI' --set trace.before=100 --set trace.after=50
pmi=$(code around/trace.vcd pmi)
rise=$(awk -v c="1$pmi" '/^#/ { t = substr($0, 2) } $0 == c { print t; exit }' around/trace.vcd)
[ -n "$rise" ] || fail 'no rise of the PMI line'
# The state after clock E is shown at the time of clock E + 1: the line rose in clock E, and the window is
# [E - 100, E + 50).
E=$(($(clock_of "$rise") - 1))
first=$(clock_of "$(times_of around/trace.vcd | head -1)")
last=$(clock_of "$(times_of around/trace.vcd | tail -1)")
[ "$first" -eq $((E - 100 + 1)) ] || fail "the window begins at $first, $((E - 99)) expected"
[ "$last" -eq $((E + 50)) ] || fail "the window ends at $last, $((E + 50)) expected"
# Reports without any trace say the same: the overflow lies in clock E.
for end in $E $((E + 1)); do
    expect_status 3 "$KNC_VP" run "$demo" --out "until$end" --quiet --set limits.max_cycles="$end"
done
[ "$(overflows "until$E")" = '"overflows":[0,0]' ] || fail "before clock $E: $(overflows "until$E")"
[ "$(overflows "until$((E + 1))")" = '"overflows":[1,0]' ] || fail "after clock $E: $(overflows "until$((E + 1))")"

# ---- the same window by its clocks, by other triggers, and by other quanta
traced clocks --set trace.from=$((E - 100)) --set trace.to=$((E + 50))
same around/trace.vcd clocks/trace.vcd 'the window by its clocks'
same around/trace.gtkw clocks/trace.gtkw 'the view of the window by its clocks'
for trigger in 'pmi of tile0.t0' 'overflow of tile0.pmu.t0' 'first overflow of tile0.pmu.t0.cntr0' \
    'signal tile0.pmu.t0.pmi rises' 'signal tile0.pmu.t0.status == 1'; do
    traced other --set "trace.trigger=$trigger" --set trace.before=100 --set trace.after=50
    same around/trace.vcd other/trace.vcd "the window of $trigger"
done
for quantum in 1 777; do
    traced other --set 'trace.trigger=first PMI' --set trace.before=100 --set trace.after=50 --set sim.quantum=$quantum
    same around/trace.vcd other/trace.vcd "quantum $quantum"
done

# ---- without clocks before it, nothing is sampled until the trigger
traced after --set trace.from=$E --set trace.to=$((E + 300))
for trigger in 'first PMI' 'overflow of tile0.pmu.t0'; do
    for quantum in 1 777 10000; do
        traced other --set "trace.trigger=$trigger" --set trace.after=300 --set sim.quantum=$quantum
        same after/trace.vcd other/trace.vcd "$trigger without clocks before it, quantum $quantum"
    done
done
traced later --set trace.from=$((E + 20)) --set trace.to=$((E + 300))
traced other --set 'trace.trigger=first PMI' --set trace.from=20 --set trace.to=300
same later/trace.vcd other/trace.vcd 'a window that begins 20 clocks after its trigger'

# ---- an instruction
address=$(nm "$demo" | awk '$3 == "matrix_product" { print $1 }')
traced pc --set 'trace.trigger=pc matrix_product of tile0.t0' --set trace.after=1
value=$(awk -v c="$(code pc/trace.vcd pc)" '/^b/ && $2 == c { print substr($1, 2); exit }' pc/trace.vcd)
expected=$(printf '%d' "0x$address" | awk '{ n = $1; s = ""; do { s = n % 2 s; n = int(n / 2) } while (n); print s }')
[ "$value" = "$expected" ] || fail "pc is $value at matrix_product, $expected"

# ---- marks: the one that the demo writes is there core.device_cycles after its write
for mark in 1; do
    traced marked --set trace.mark=$mark --set trace.from=10 --set trace.to=90
    traced other --set "trace.trigger=mark $mark" --set trace.from=10 --set trace.after=90
    same marked/trace.vcd other/trace.vcd "the trigger mark $mark"
    traced marked --set "trace.trigger=mark $mark" --set trace.before=40 --set trace.after=90
    at=$(tr -d ' \n' <marked/report.json | sed "s/.*{\"number\":$mark,\"cycle\":\([0-9]*\)}.*/\1/")
    seen=$((at + $("$KNC_VP" list keys | awk '$1 == "core.device_cycles" { print $2 }')))
    traced other --set trace.from=$((seen - 40)) --set trace.to=$((seen + 90))
    same marked/trace.vcd other/trace.vcd "40 clocks before mark $mark"
done

# ---- more than one window: those of the first three interrupts, and unknown values between them
traced windows --set 'trace.trigger=first PMI' --set trace.before=5 --set trace.after=5 --set trace.windows=3
[ "$(grep -cxF "1$pmi" windows/trace.vcd)" -eq 3 ] || fail "three rises expected: $(grep -cxF "1$pmi" windows/trace.vcd)"
[ "$(grep -c '^\$dumpoff' windows/trace.vcd)" -eq 2 ] || fail 'unknown values between three windows'
[ "$(clock_of "$(times_of windows/trace.vcd | head -1)")" -eq $((E - 4)) ] || fail 'the first window'
for quantum in 1 10000; do
    traced "cheap$quantum" --set 'trace.trigger=first PMI' --set trace.after=5 --set trace.windows=3 --set sim.quantum=$quantum
done
same cheap1/trace.vcd cheap10000/trace.vcd 'three windows, by quanta'
[ "$(grep -c '^\$dumpo[nf]*' cheap1/trace.vcd)" -eq 4 ] || fail 'two more windows'

# ---- many threads at once: all tiles stop at the clock of the first interrupt
all=$KNC_IMAGES/sample_all.elf
for trigger in 'first PMI' 'pmi of tile1.t2' 'overflow of tile1.pmu.t0'; do
    expect_status 3 "$KNC_VP" run "$all" --out exact --quiet --trace 'tile0,tile1' --set limits.max_cycles=2000000 \
        --set "trace.trigger=$trigger" --set trace.before=1 --set trace.after=400
    expect_status 0 "$KNC_VP" vcd check exact/trace.vcd --expect-changes tile0.t0.pc
    E=$(clock_of "$(times_of exact/trace.vcd | head -1)")
    expect_status 3 "$KNC_VP" run "$all" --out clocks --quiet --trace 'tile0,tile1' --set limits.max_cycles=2000000 \
        --set trace.from=$E --set trace.to=$((E + 400))
    for quantum in 1 10000; do
        expect_status 3 "$KNC_VP" run "$all" --out cheap --quiet --trace 'tile0,tile1' --set limits.max_cycles=2000000 \
            --set "trace.trigger=$trigger" --set trace.after=400 --set sim.quantum=$quantum
        same clocks/trace.vcd cheap/trace.vcd "$trigger of all threads, quantum $quantum"
    done
done

# ---- a trigger that never comes
traced none --set 'trace.trigger=overflow of tile0.pmu.t0.cntr1' --set trace.before=10
traced none --set 'trace.trigger=overflow of tile0.pmu.t0.cntr1'
expect_status 3 "$KNC_VP" run "$demo" --out none --quiet --trace "$scopes" --set limits.max_cycles=500000 \
    --set 'trace.trigger=overflow of tile0.pmu.t0.cntr1'
[ "$(grep -c 'knc-vp:' stderr)" -eq 1 ] || fail "one line expected: $(cat stderr)"
expect_text stderr 'the trigger of the trace never came (overflow of tile0.pmu.t0.cntr1); trace.vcd holds no clock'
grep -q '^#' none/trace.vcd && fail 'a trace without its trigger holds clocks'

# ---- no report depends on a trace
expect_status 3 "$KNC_VP" run "$demo" --out untraced --quiet --set limits.max_cycles=500000
for d in untraced around after none windows; do
    grep -v '"host_seconds"\|"mips"' "$d/report.json" >"$d.json"
    same untraced.json "$d.json" "the report of $d"
done

# ---- what does not exist
trace_refused() {
    text_wanted=$1
    shift
    rm -rf refused
    refused "$text_wanted" "$KNC_VP" run "$demo" --out refused --quiet --set trace.scopes=tile0 "$@"
    [ ! -e refused ] || fail "$*: results were written"
}
trace_refused "trace trigger 'pmi of tile7.t0': there is no tile7.t0" --set 'trace.trigger=pmi of tile7.t0'
trace_refused "there is no symbol 'nowhere' in the image" --set 'trace.trigger=pc nowhere'
trace_refused "there is no signal 'tile0.x'" --set 'trace.trigger=signal tile0.x rises'
trace_refused "mark, pmi, overflow, pc or signal is wanted" --set 'trace.trigger=soon'
trace_refused 'key trace.mark: there is a trace.trigger already' --set 'trace.trigger=pmi' --set trace.mark=1
trace_refused 'key trace.before: it takes the place of trace.from' --set trace.trigger=pmi --set trace.before=1 --set trace.from=1
trace_refused 'key trace.after: it wants a trace.trigger' --set trace.after=5
trace_refused "trace scope 'nothing' names no signal" --set trace.trigger=pmi --set trace.scopes=nothing
finish
