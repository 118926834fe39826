# The monitor: its files against the report, tables, rows and columns, what watching changes
# (nothing), and the metrics of work of known character.
. "$(dirname "$0")/lib.sh"
socket=$PWD/socket

# watched NAME IMAGE RUN-ARGUMENTS... -- TOP-ARGUMENTS...: a run watched from its begin on; its results are in NAME, the
# monitor's table in NAME.table.
watched() {
    name=$1 image=$2
    shift 2
    rm -rf "$name" "$socket"
    run_arguments=
    while [ "$1" != -- ]; do
        run_arguments="$run_arguments $1"
        shift
    done
    shift
    # shellcheck disable=SC2086
    "$KNC_VP" run "$KNC_IMAGES/$image.elf" $run_arguments --monitor "$socket,wait" --out "$name" >"$name.console" 2>"$name.err" &
    run=$!
    appears "$socket"
    expect_status 0 "$KNC_VP" top --socket "$socket" "$@"
    cp stdout "$name.table"
    status=0
    wait "$run" || status=$?
    [ "$status" -eq 0 ] || { fail "the run of $name ended with $status"; cat "$name.err"; }
    [ ! -e "$socket" ] || fail "the socket is still there"
}

# --- A file is the report, cut into intervals, and twice the same. Watching changes nothing.
watched a demo -- --interval 100us --csv a.csv --threads --cores --total
expect_text a.err "waits for a monitor at $socket"
watched b demo -- --interval 100us --csv b.csv --threads --cores --total
cmp a.csv b.csv || fail "two runs make two different files"
"$KNC_VP" run "$KNC_IMAGES/demo.elf" --out c --quiet >console
cmp console a.console || fail "the monitor changes what the firmware prints"
expect_status 0 "$CHECK_REPORT" a/report.json --same c/report.json
# 6.115 ms are 61 intervals of 110000 clocks, and a part of one.
expect_status 0 "$CHECK_MONITOR" a.csv a/report.json --rows 62 --groups Time System MEM0 Core0 Core1 \
    'Core0 Thread0' 'Core0 Thread1' 'Core0 Thread2' 'Core0 Thread3' \
    'Core1 Thread0' 'Core1 Thread1' 'Core1 Thread2' 'Core1 Thread3'
# The mark was set once. It lies in the middle of a store to a device that a fetch was ahead of.
grep -A9 '^marks' a/report.txt >marks
[ "$(grep -c ' at clock ' marks)" -eq 2 ] || fail "the demo sets two marks: $(cat marks)"

# --- Eight threads that share lines, in intervals that nothing is a multiple of; and a whole card in one.
watched t threads -- --interval 3777ns --csv t.csv
expect_status 0 "$CHECK_MONITOR" t.csv t/report.json
"$KNC_VP" run "$KNC_IMAGES/threads.elf" --out t1 --quiet --set sim.quantum=1 >console
expect_status 0 "$CHECK_REPORT" t/report.json --same t1/report.json
watched whole threads --preset 3120a -- --interval 1s --csv whole.csv --threads --total
expect_status 0 "$CHECK_MONITOR" whole.csv whole/report.json --rows 1

# --- What the firmware's runs look like from outside. Numbers of the second read of 256, 4096 and 32768 lines: all hit the
# L1; all miss it and hit the L2; all miss the L2, whose prefetcher is off.
"$KNC_VP" run "$KNC_IMAGES/phases.elf" --out p --quiet --set cache.prefetch.streams=0 >console
expect_status 0 "$CHECK_MONITOR" --phases p/report.json \
    1 core0 L1HIT 0.99 1 \
    3 core0 L1MISS 4096 4100 3 core0 L1HIT 0 0.01 3 core0 L2HIT 0.999 1 3 core0 MEMFILL 0 1 \
    5 core0 L2MISS 32768 32780 5 core0 L2HIT 0 0.001 5 core0 MEMFILL 32768 32780 5 core0 L2MPI 0.249 0.251 \
    5 card READ 0.002097152 0.0020986 \
    7 core0 FREQ 0.5 0.51 7 core0 C1res% 49 50 7 thread0 UTIL 0.5 0.51 \
    9 core0 REMHIT 0.97 1 9 core0 REMOTE 3200 3400 9 card WRITE 0 0
# A few lines of code come back with the data. The prefetcher turns some misses into hits, and reads the same memory.
"$KNC_VP" run "$KNC_IMAGES/phases.elf" --out pf --quiet >console
expect_status 0 "$CHECK_MONITOR" --phases pf/report.json 5 core0 L2HIT 0.1 1 5 card READ 0.002097152 0.0022
# A thread alone issues every second clock, two fill the core, four share it. Two instructions per issue.
"$KNC_VP" run "$KNC_IMAGES/phases.elf" --cmdline threads --out pt --quiet >console
expect_status 0 "$CHECK_MONITOR" --phases pt/report.json \
    1 core0 IPC 0.99 1 1 thread0 IPC 0.99 1 \
    3 core0 IPC 1.98 2 3 thread0 IPC 0.99 1 \
    5 core0 IPC 1.98 2 5 thread0 IPC 0.66 0.67 \
    7 core0 IPC 1.98 2 7 thread0 IPC 0.49 0.5 7 thread3 UTIL 1 1

# --- Rows and columns.
watched rows hello -- --interval 10us --only 1 --cores --csv rows.csv --csv-units
[ "$(sed -n 1p rows.csv | tr ',' '\n' | uniq | tr '\n' ' ')" = 'Time Core1 ' ] || fail "not only core 1: $(head -1 rows.csv)"
[ "$(sed -n 3p rows.csv | cut -d, -f1-6)" = 'clocks,ns,ratio,ratio,ratio,count' ] || fail "units: $(sed -n 3p rows.csv)"
grep -q '^ *0 *all' rows.table && fail "a row of core 0"
grep -q TOTAL rows.table && fail "a row of the card"
grep -q '^ *1 *all .* N/A' rows.table || fail "the core that never ran has no row: $(cat rows.table)"
watched all hello -- --interval 1ms --total --all-columns --csv all.csv --csv-style pcm
sed -n 2p all.csv | grep -q 'FREQ,AFREQ,L3MISS,L2MISS,L3HIT,L2HIT,L3MPI,L2MPI,L3OCC,L3OCC%,LMB,RMB,UTIL,' || fail "columns: $(sed -n 2p all.csv)"
grep -q '^ *TOTAL ' all.table || fail "no row of the card"
grep -q '^AFREQ .*: ' all.table || fail "no legend"
# Counts in millions with two decimals: INST of so few instructions is below 1.
column=$(sed -n 2p all.csv | tr ',' '\n' | grep -nx INST | cut -d: -f1)
sed -n 3p all.csv | cut -d, -f"$column" | grep -qx '0\.[0-9][0-9]' || fail "not in millions: $(sed -n 3p all.csv)"
watched text hello -- --interval 1ms --csv -
[ "$(grep -c , text.table)" -eq 3 ] || fail "not only the file on standard output: $(cat text.table)"

# --- On a terminal of 60 columns each table replaces the one before.
rm -f "$socket"
"$KNC_VP" run "$KNC_IMAGES/demo.elf" --quiet --monitor "$socket,wait" >console &
run=$!
appears "$socket"
script -qec "stty cols 60; '$KNC_VP' top --socket '$socket' --interval 500us" typescript >/dev/null </dev/null
wait "$run"
escape=$(printf '\033')
grep -q "^$escape\[H$escape\[J Tile  Thr |" typescript || fail "no table in place: $(head -c 200 typescript)"
expect_text typescript 'columns do not fit'
tr -d '\r' <typescript | awk -v escape="$escape" '{ gsub(escape "\\[[HJ]", "") } /^ *(Tile|TOTAL|0|1) / && length > 60 { exit 1 }' ||
    fail "lines that are too long"

# --- By the guest's counters: two events at a time, marked as estimates; the run does not notice. Work that changes little
# is estimated well.
watched msr phases --cmdline threads -- --source msr --interval 20us --count 25 --total --csv msr.csv
watched ledger phases --cmdline threads -- --interval 20us --count 25 --total --csv ledger.csv
for name in msr ledger; do
    sed 's/, [0-9.]* s on the host.*//' $name/report.txt >$name.txt
done
cmp msr.txt ledger.txt || fail "the counters that the monitor used change the run"
sed -n 2p msr.csv | grep -q ',EXEC~,IPC~,FREQ~,L2MISS~,.*,READ,WRITE,EREAD~' || fail "not marked: $(sed -n 2p msr.csv)"
grep -q ' IPC~ ' msr.table || fail "not marked in the table"
# Instructions per clock of the intervals that lie in the loops.
column() {
    awk -F, -v name="$2" 'NR == 2 { for (c = 1; c <= NF; ++c) if ($c == name) n = c }
        NR > 2 { print $1, ($n == "" ? 0 : $n) }' "$1"
}
column ledger.csv IPC >ipc && column msr.csv IPC~ >ipc~
paste -d' ' ipc ipc~ | awk '$1 != $3 { exit 1 } $2 > 1.98 || ($2 > 0.99 && $2 < 1.01) { ++n; d = $2 / $4 - 1; if (d > 0.02 || d < -0.02) { print; exit 1 } }
    END { if (n < 15) exit 1 }' || fail "the estimates are bad"
# A guest that counts is left alone. It runs until the second monitor has come.
rm -f "$socket"
"$KNC_VP" run "$KNC_IMAGES/integer.elf" --cmdline 'armed=7 millions=40' --monitor "$socket,wait" --out armed --quiet >console &
run=$!
appears "$socket"
expect_status 0 "$KNC_VP" top --socket "$socket" --interval 500us --count 1
expect_status 2 "$KNC_VP" top --socket "$socket" --source msr
expect_text stderr 'the guest uses its counters'
wait "$run"
"$KNC_VP" run "$KNC_IMAGES/integer.elf" --cmdline 'armed=7 millions=40' --out armed1 --quiet >console
expect_status 0 "$CHECK_REPORT" armed/report.json --same armed1/report.json

# --- Another PMU has columns of its own, and four counters beside the fixed ones: no estimates. Passes as above; retired
# loads that miss, not lookups.
"$KNC_VP" run "$KNC_IMAGES/phases.elf" --preset perfmon --out pp --quiet --set cache.prefetch.streams=0 >console
jq -e '
    def of(n): .phases[] | select(.from == "mark \(n)");
    (of(1).card.metrics | .L2MISS <= 1 and .IPC > 0.9) and
    (of(3).card.metrics | .L2MISS <= 1 and .L2HIT > 0.999) and
    (of(5).card.metrics | .L2MISS >= 32768 and .L2MISS <= 32769 and .L2HIT < 0.001 and .L2MPI > 0.249 and .L2MPI < 0.251) and
    (of(7).threads[0].metrics | .FREQ > 0.5 and .FREQ < 0.51 and .AFREQ == 1) and
    (.phases | all(.threads[0].metrics.IPC == .cores[0].metrics.IPC)) and
    (.phases[0].card.metrics | has("TEMP") | not) and
    (.phases | all(.card.metrics | .L3MISS <= .L2MISS and .L3OCC > 0 and .L3OCC <= 2048))
' pp/report.json >jq.out || fail "the metrics of preset perfmon: $(jq -c '.phases[].card.metrics' pp/report.json)"
for source in msr ledger; do
    watched perfmon_$source phases --preset perfmon -- --source $source --interval 20us --count 25 --threads --total --csv perfmon_$source.csv
done
sed 's/, [0-9.]* s on the host.*//' perfmon_msr/report.txt >msr.txt
sed 's/, [0-9.]* s on the host.*//' perfmon_ledger/report.txt >ledger.txt
cmp msr.txt ledger.txt || fail "the counters that the monitor used change the run on preset perfmon"
for name in EXEC IPC L2MISS L2HIT INST; do
    column perfmon_msr.csv $name >by_msr
    column perfmon_ledger.csv $name >by_ledger
    cmp by_msr by_ledger || fail "$name of preset perfmon by its counters"
done
column perfmon_ledger.csv L3OCC | grep -q '[1-9]' || fail "no occupancy of the L3"
sed -n 2p perfmon_ledger.csv | grep -q LMB && fail "bandwidth by monitoring ID that is not counted"
sed -n 2p perfmon_msr.csv | grep -q L3OCC && fail "counters of events tell the occupancy of the L3"
watched unmonitored hello --preset perfmon --set cmt.enable=false -- --interval 1ms --csv unmonitored.csv
sed -n 2p unmonitored.csv | grep -q L3OCC && fail "an occupancy that is not monitored"
# All of the memory's traffic belongs to a monitoring ID, and only ID 0 is in use. A line counts for memory when it leaves,
# and for the ID when it arrives: of some 730 KB, no more than eight lines are under way. READ and WRITE are GB.
watched bandwidth phases --preset perfmon --set cmt.bandwidth=true -- --interval 20us --count 25 --threads --total --csv bandwidth.csv
sed -n 2p bandwidth.csv | grep -q 'L3OCC,L3OCC%,LMB,RMB,UTIL' || fail "columns: $(sed -n 2p bandwidth.csv)"
for name in LMB RMB READ WRITE; do column bandwidth.csv $name >of_$name; done
paste -d' ' of_LMB of_RMB of_READ of_WRITE | awk '
    { mb += $2; way += 1000 * ($6 + $8) - $2 }
    $4 != 0 || way > 8.5 * 64e-6 || way < -0.5 * 64e-6 { print; exit 1 }
    END { if (mb < 0.7) exit 1 }' ||
    fail "bandwidth by monitoring ID is not that of the memory: $(paste of_LMB of_RMB of_READ of_WRITE)"

# --- A Pentium: other columns, a bus, and CESR, which it gives back.
watched p55c_ledger protected32 --preset p55c -- --interval 10us --csv p55c_ledger.csv
watched p55c_msr protected32 --preset p55c -- --source msr --interval 10us --count 6 --csv p55c_msr.csv
for source in msr ledger; do
    sed 's/, [0-9.]* s on the host.*//' p55c_$source/report.txt >$source.txt
done
cmp msr.txt ledger.txt || fail "the counters that the monitor used change the run on preset p55c"
grep -q ' EXEC  *IPC  *FREQ  *UTIL  *L1MISS  *L1HIT  *L1MPI  *TLB1  *PAIR$' p55c_ledger.table || fail "columns of a Pentium: $(head -20 p55c_ledger.table)"
grep -q '^bus: .* GB read, .* GB written$' p55c_ledger.table || fail "no bus: $(tail -3 p55c_ledger.table)"
[ "$(sed -n 2p p55c_ledger.csv | cut -d, -f3-18)" = 'EXEC,IPC,FREQ,UTIL,L1MISS,L1HIT,L1MPI,TLB1,PAIR,C0res%,C1res%,INST,ACYC,TIME(ticks),READ,WRITE' ] ||
    fail "columns of a Pentium: $(sed -n 2p p55c_ledger.csv)"
sed -n 2p p55c_msr.csv | grep -q ',EXEC~,IPC~,FREQ~,UTIL,L1MISS~' || fail "not marked: $(sed -n 2p p55c_msr.csv)"
# The intervals add up to the report.
awk -F, -v instructions="$(jq .time.instructions p55c_ledger/report.json)" '
    NR == 2 { for (c = 1; c <= NF; ++c) if (!($c in at)) at[$c] = c }
    NR > 2 { sum += $at["INST"]; read += $at["READ"]; d = $at["EXEC"] - $at["IPC"] * $at["FREQ"]; if (d > 1e-5 || d < -1e-5) exit 1 }
    END { if (sum != instructions || NR < 8 || read <= 0) exit 1 }' p55c_ledger.csv ||
    fail "the counts of a Pentium: $(cat p55c_ledger.csv)"
# A guest that counts is left alone: CC of counter 1 is 3.
cat >busy.toml <<EOF
preset = "p55c"
image = "$KNC_IMAGES/protected32.elf"
[[msr]]
at = 0
write = [0x11, 0xd60000]
EOF
rm -f "$socket"
"$KNC_VP" run busy.toml --monitor "$socket,wait" --out busy --quiet >console &
run=$!
appears "$socket"
expect_status 2 "$KNC_VP" top --socket "$socket" --source msr
expect_text stderr 'the guest uses its counters'
wait "$run"

# --- It leaves when it has seen enough, and the run goes on; a hung card ends when it would have.
watched some demo -- --interval 200us --count 3 --csv some.csv
[ "$(wc -l <some.csv)" -eq 5 ] || fail "three intervals: $(wc -l <some.csv) lines"
expect_status 0 "$CHECK_REPORT" some/report.json --same c/report.json
"$KNC_VP" run "$KNC_IMAGES/hello.elf" --set testdev.enable=false --out hung --quiet >console 2>err
"$KNC_VP" run "$KNC_IMAGES/hello.elf" --set testdev.enable=false --set sim.quantum=1 --out hung1 --quiet >console 2>err
expect_status 0 "$CHECK_REPORT" hung/report.json --same hung1/report.json
rm -f "$socket"
"$KNC_VP" run "$KNC_IMAGES/hello.elf" --set testdev.enable=false --out hungm --quiet --monitor "$socket,wait" >console 2>err &
run=$!
appears "$socket"
expect_status 0 "$KNC_VP" top --socket "$socket" --interval 333ns --csv hung.csv
wait "$run"
expect_status 0 "$CHECK_MONITOR" hung.csv hungm/report.json
expect_status 0 "$CHECK_REPORT" hungm/report.json --same hung/report.json

# --- A monitor that comes late, and one that is killed while the run waits for it.
rm -f "$socket"
"$KNC_VP" run "$KNC_IMAGES/threads.elf" --preset 7120p --cmdline 'first=0 last=243 rounds=10' --monitor "$socket" --out late --quiet >console &
run=$!
appears "$socket"
"$KNC_VP" top --socket "$socket" --interval 10us >killed.table 2>&1 &
top=$!
sleep 0.5
kill -9 "$top" 2>/dev/null
wait "$run" || fail "the run ended with $?"
"$KNC_VP" run "$KNC_IMAGES/threads.elf" --preset 7120p --cmdline 'first=0 last=243 rounds=10' --out alone --quiet >console
expect_status 0 "$CHECK_REPORT" late/report.json --same alone/report.json

# --- One line for what cannot be.
refused 'no platform at nothing' "$KNC_VP" top --socket nothing
refused 'no platform is named' env -u KNC_VP_SOCKET "$KNC_VP" top
refused 'a time is wanted' "$KNC_VP" top --socket nothing --interval 5
refused 'a time is wanted' "$KNC_VP" top --socket nothing --interval -1ms
refused 'cores are wanted' "$KNC_VP" top --socket nothing --only 5-3
refused 'ledger or msr is wanted' "$KNC_VP" top --socket nothing --source oracle
refused 'knc or pcm is wanted' "$KNC_VP" top --socket nothing --csv-style excel
refused 'what is' "$KNC_VP" top something
refused '--monitor /nowhere/s' "$KNC_VP" run "$KNC_IMAGES/hello.elf" --monitor /nowhere/s
finish
