# MSRs accessed from outside: by Debian's rdmsr and wrmsr over the socket, and by a scenario.
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
export KNC_MSR="$PWD/socket"

# preloaded STATUS COMMAND...: runs the unmodified program on the card's MSRs.
preloaded() {
    status_wanted=$1
    shift
    expect_status "$status_wanted" env LD_PRELOAD="$KNC_MSR_LIBRARY" "$@"
}

# start ARGUMENTS...: a run in the background, whose socket is there. Its input is the file `keys`. The program
# gets the socket's path as $named.
ln -sf /dev/null keys
named=$KNC_MSR
start() {
    rm -f "$KNC_MSR"
    "$KNC_VP" run "$@" --msr "$named" >run.out 2>run.err <keys &
    run=$!
    appears "$KNC_MSR"
}

# ended STATUS: the run has ended with it.
ended() {
    status=0
    wait "$run" || status=$?
    [ "$status" -eq "$1" ] || { fail "the run ended with $status, $1 expected"; cat run.err; }
    [ ! -e "$KNC_MSR" ] || fail "the socket is still there"
}

# --- Debian's programs. The card of preset mini has 2 cores with 4 threads each.
start "$KNC_IMAGES/msr_outside.elf"
preloaded 0 rdmsr -p 2 0x20
[ "$(cat stdout)" = 0 ] || fail "counter 0 of thread 2 is $(cat stdout), not 0 as after reset"
preloaded 0 wrmsr -p 2 0x28 0x51002a
preloaded 0 rdmsr -p 2 0x28
[ "$(cat stdout)" = 51002a ] || fail "event select 0 of thread 2 is $(cat stdout)"
# One line for every thread; only thread 2 has a value.
preloaded 0 rdmsr -a 0x28
sort stdout >sorted
printf '0\n0\n0\n0\n0\n0\n0\n51002a\n' >wanted
cmp sorted wanted || fail "rdmsr -a"
preloaded 0 wrmsr -a 0x29 0x12
preloaded 0 rdmsr -a 0x29
[ "$(grep -cx 12 stdout)" -eq 8 ] || fail "wrmsr -a does not reach 8 threads: $(cat stdout)"
# #GP(0): a number that the card does not have, a reserved bit (63 of the event select).
preloaded 4 rdmsr -p 2 0x1a0
expect_text stderr 'rdmsr: CPU 2 cannot read MSR 0x000001a0'
preloaded 4 wrmsr -p 2 0x28 0x8000000000000000
expect_text stderr 'wrmsr: CPU 2 cannot set MSR 0x00000028 to 0x8000000000000000'
preloaded 0 rdmsr -p 2 0x28
[ "$(cat stdout)" = 51002a ] || fail "a refused write has changed the register"
# Every call that the library takes over, and ordinary files beside them.
preloaded 0 "$MSR_ACCESS"
expect_text stdout '0 failures'
preloaded 0 wrmsr -p 2 0x21 0
# A thread that does not exist.
preloaded 2 rdmsr -p 8 0x20
expect_text stderr 'rdmsr: No CPU 8'
# The firmware sees what is written, with the event select before it.
preloaded 0 wrmsr -p 0 0x28 0x41
preloaded 0 wrmsr -p 0 0x20 0x1234
ended 0
expect_text run.out 'counter 0 is 0x1234, event select 0 is 0x41'
preloaded 127 rdmsr -p 2 0x20
expect_text stderr 'rdmsr: open'

# The program knows the socket by a relative path, its clients by the absolute one.
named=socket
start "$KNC_IMAGES/msr_outside.elf"
preloaded 0 rdmsr -p 2 0x28
preloaded 0 wrmsr -p 0 0x20 1
[ "$status" -eq 0 ] || kill "$run"
ended 0
named=$KNC_MSR

# All threads sleep, and the program waits for input: clients are served, and time stands still.
rm -f keys
mkfifo keys
exec 3<>keys
start "$KNC_IMAGES/shell.elf"
tries=0
until grep -q '^> ' run.out || [ $tries -eq 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
preloaded 0 rdmsr -p 0 0x10
first=$(cat stdout)
preloaded 0 wrmsr -p 0 0x20 0x99
preloaded 0 rdmsr -p 0 0x20
[ "$(cat stdout)" = 99 ] || fail "asleep: counter 0 is $(cat stdout)"
preloaded 0 rdmsr -p 0 0x10
[ "$(cat stdout)" = "$first" ] || fail "asleep: time went on from $first to $(cat stdout)"
printf 'exit 0\n' >&3
ended 0
exec 3>&-
rm keys
ln -s /dev/null keys

# --- A client that reads changes no count and no time.
image=$KNC_IMAGES/chase.elf
work="bytes=65536 loads=400000"
expect_status 0 "$KNC_VP" run "$image" --cmdline "$work" --out alone
start "$image" --cmdline "$work" --out attached
reads=0
while kill -0 "$run" 2>/dev/null; do
    env LD_PRELOAD="$KNC_MSR_LIBRARY" rdmsr -a 0x20 >/dev/null 2>&1 && reads=$((reads + 1))
done
ended 0
[ "$reads" -ge 1 ] || fail "the run ended before a client could read"
expect_status 0 "$CHECK_REPORT" alone/report.json --same attached/report.json

# --- Accesses of a scenario: in their clock, whatever the quantum.
scripted() {
    cat <<END
image = "$KNC_IMAGES/msr_outside.elf"
[[msr]]
at = 60_001
write = [0x20, 0x77]
[[msr]]
at = 50_001
thread = 5
read = 0x10
[[msr]]
at = 50_001
thread = 1
write = [0x28, 0x8000_0000_0000]
[[msr]]
at = 40_003
write = [0x28, 0x430016]
[[msr]]
at = 0
thread = 7
read = 0x277
END
}
scripted >scripted.toml
expect_status 0 "$KNC_VP" run scripted.toml --out q0
expect_text stdout 'counter 0 is 0x77, event select 0 is 0x430016'
sed -n '/^accesses to MSRs/,/^$/p' q0/report.txt >performed
# PAT after reset, SDM 11.12.4. The time-stamp counter counts every clock from 0.
cat >wanted <<END
accesses to MSRs
  clock 0: thread 7 reads 0x277: 0x7040600070406
  clock 40003: thread 0 writes 0x28: 0x430016
  clock 50001: thread 5 reads 0x10: 0xc351
  clock 50001: thread 1 writes 0x28: #GP(0)
  clock 60001: thread 0 writes 0x20: 0x77
END
sed '/^$/d' performed | cmp - wanted || { fail "the accesses of the scenario"; cat performed; }
for quantum in 1 777; do
    expect_status 0 "$KNC_VP" run scripted.toml --out q1 --set sim.quantum=$quantum
    expect_status 0 "$CHECK_REPORT" q0/report.json --same q1/report.json
    cmp q0/console.log q1/console.log || fail "quantum $quantum changes the console"
done
expect_status 0 "$KNC_VP" run scripted.toml --out ideal0 --set card.caches=false
expect_status 0 "$KNC_VP" run scripted.toml --out ideal1 --set card.caches=false --set sim.quantum=1
expect_status 0 "$CHECK_REPORT" ideal0/report.json --same ideal1/report.json

# Counters are exact in the clock of the access. Counter 1 counts CPU_CLK_UNHALTED (0x2A) of thread 0,
# which never halts: it has one count for each clock since it was enabled. Preset to 100 below its end,
# 2^40, it overflows with the 100th clock; bit 1 of GLOBAL_STATUS (0x2D) then says so.
cat >counted.toml <<END
image = "$KNC_IMAGES/msr_outside.elf"
msr = [
    {at = 50_000, write = [0x29, 0x43002a]}, {at = 50_000, write = [0x2f, 2]},
    {at = 50_000, read = 0x21}, {at = 50_001, read = 0x21}, {at = 61_234, read = 0x21},
    {at = 70_000, write = [0x21, 0xff_ffff_ff9c]},
    {at = 70_099, read = 0x21}, {at = 70_099, read = 0x2d},
    {at = 70_100, read = 0x21}, {at = 70_100, read = 0x2d},
    {at = 70_107, write = [0x2f, 0]}, {at = 71_000, read = 0x21}, {at = 71_000, write = [0x20, 1]},
]
END
cat >wanted <<END
accesses to MSRs
  clock 50000: thread 0 writes 0x29: 0x43002a
  clock 50000: thread 0 writes 0x2f: 0x2
  clock 50000: thread 0 reads 0x21: 0x0
  clock 50001: thread 0 reads 0x21: 0x1
  clock 61234: thread 0 reads 0x21: 0x2be2
  clock 70000: thread 0 writes 0x21: 0xffffffff9c
  clock 70099: thread 0 reads 0x21: 0xffffffffff
  clock 70099: thread 0 reads 0x2d: 0x0
  clock 70100: thread 0 reads 0x21: 0x0
  clock 70100: thread 0 reads 0x2d: 0x2
  clock 70107: thread 0 writes 0x2f: 0x0
  clock 71000: thread 0 reads 0x21: 0x7
  clock 71000: thread 0 writes 0x20: 0x1
END
for quantum in 10000 1 777; do
    for caches in true false; do
        expect_status 0 "$KNC_VP" run counted.toml --out q1 --set sim.quantum=$quantum \
            --set card.caches=$caches
        sed -n '/^accesses to MSRs/,/^$/p' q1/report.txt | sed '/^$/d' >performed
        cmp performed wanted || { fail "counters, quantum $quantum, caches $caches"; cat performed; }
    done
done

# All threads halt, but an access is still to come: the card hangs after it.
printf 'image = "%s"\n[[msr]]\nat = 10_000_000\nread = 0x10\n' "$KNC_IMAGES/shell.elf" >late.toml
for quantum in 10000 777; do
    expect_status 3 "$KNC_VP" run late.toml --out late --set sim.quantum=$quantum </dev/null
    expect_text late/report.txt 'clock 10000000: thread 0 reads 0x10: 0x989680'
    expect_text late/report.txt '10000000 clocks'
done

# Reading the counters of every thread in many clocks changes no count and no time.
{
    echo "image = \"$KNC_IMAGES/chase.elf\""
    echo 'cmdline = "bytes=65536 loads=4000"'
    seq 1000 997 90000 | while read -r clock; do
        printf '[[msr]]\nat = %d\nthread = %d\nread = 0x20\n' "$clock" $((clock % 8))
    done
} >reads.toml
for caches in true false; do
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/chase.elf" --cmdline "bytes=65536 loads=4000" \
        --set card.caches=$caches --out unread
    expect_status 0 "$KNC_VP" run reads.toml --set card.caches=$caches --out read
    [ "$(grep -c 'reads 0x20' read/report.txt)" -eq 90 ] || fail "not 90 accesses"
    # The reports differ in the list of accesses alone.
    "$CHECK_REPORT" unread/report.json --same read/report.json >/dev/null 2>&1 &&
        fail "the report does not list the accesses"
    sed '/"msr_accesses": \[$/,/^ \],/c "msr_accesses": [],' read/report.json >without.json
    expect_status 0 "$CHECK_REPORT" unread/report.json --same without.json
done

# --- What writes from outside do to the program that runs on the thread. EFER (0xC0000080): without SCE (bit
# 0) SYSCALL raises #UD; LME (8) cannot change while paging is on; bit 12 is reserved. A variable range of
# the MTRRs (0x200, 0x201) makes 2 MB uncached; type 2 is reserved. The APIC's base (0x1B): bit 11 is the
# global enable, which resets the registers; another address is refused.
effects() {
    cat <<END
image = "$KNC_IMAGES/msr_effects.elf"
msr = [
    {at = 100_000, read = 0xc000_0080}, {at = 100_000, write = [0x21, 1]},
    {at = 200_000, write = [0xc000_0080, 0xc01]}, {at = 200_000, write = [0xc000_0080, 0x1d01]},
    {at = 200_000, write = [0xc000_0080, 0xd00]}, {at = 200_000, write = [0x21, 2]},
    {at = 300_000, write = [0xc000_0080, 0xd01]}, {at = 300_000, write = [0x200, 0x200_0002]},
    {at = 300_000, write = [0x200, 0x200_0000]}, {at = 300_000, write = [0x201, 0xff_ffe0_0800]},
    {at = 300_000, write = [0x21, 3]},
    {at = 400_000, write = [0x201, 0]}, {at = 400_000, write = [0x1b, 0xfed0_0900]},
    {at = 400_000, write = [0x1b, 0xfee0_0100]}, {at = 400_000, write = [0x21, 4]},
    {at = 500_000, write = [0x1b, 0xfee0_0900]}, {at = 500_000, write = [0x21, 5]},
    {at = 600_000, write = [0x20, 0xff_ffff_ff9c]}, {at = 700_000, write = [0x28, 0x52002a]},
END
    for clock; do echo "    {at = $clock, read = 0x10},"; done
    echo ]
}
effects >effects.toml
# Counter 0, written in clock 600000, counts 100 clocks: the last is 600099. The request comes in the next
# one, and the entry takes 40 (core.event_entry_cycles). The handler's two PUSHes have a slot of two
# clocks, and RDTSC reads in the fourth clock after it: 600100 + 40 + 2 + 4. INT, set in clock 700000 while the
# status bit is set, raises the line there and wakes the thread: 700000 + 46.
cat >wanted <<END
step 1: EFER d01, SYSCALL works, APIC there SVR 1ff, load of cached memory
step 2: EFER d00, SYSCALL #UD, APIC there SVR 1ff, load of cached memory
step 3: EFER d01, SYSCALL works, APIC there SVR 1ff, load of uncached memory
step 4: EFER d01, SYSCALL works, APIC gone SVR ffffffff, load of cached memory
step 5: EFER d01, SYSCALL works, APIC there SVR ff, load of cached memory
overflow: handler read clock 600146, status 1
asleep with status 1
line: handler read clock 700046
END
for quantum in 10000 1 777; do
    expect_status 0 "$KNC_VP" run effects.toml --out effects --set sim.quantum=$quantum
    grep -v '^halt: ' effects/console.log | cmp - wanted ||
        { fail "effects, quantum $quantum"; cat effects/console.log; }
    [ "$(grep -c '#GP(0)' effects/report.txt)" -eq 4 ] || fail "not four refused writes"
    [ "$quantum" != 10000 ] || cp effects/report.json effects.json
    expect_status 0 "$CHECK_REPORT" effects.json --same effects/report.json
done
# The last handler is that of an overflow by HLT, in the clock after it. No thread is awake then. A read in
# any clock around changes nothing, the one in the clock of the request included.
halted=$(sed -n 's/^halt: handler read clock //p' effects/console.log)
[ -n "$halted" ] || fail "no interrupt after HLT"
effects $(seq $((halted - 56)) $((halted - 36))) >read.toml
expect_status 0 "$KNC_VP" run read.toml --out read
cmp read/console.log effects/console.log || { fail "a read changes the run"; cat read/console.log; }
[ "$(grep -c 'reads 0x10:' read/report.txt)" -eq 21 ] || fail "not 21 reads"

# The same by Debian's programs, in whatever clock they come. In the end the thread sleeps, and nothing wakes it.
# step N: the program has seen step N.
step() {
    preloaded 0 wrmsr -p 0 0x21 "$1"
    tries=0
    until grep -q "^step $1" run.out || [ $tries -eq 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}
start "$KNC_IMAGES/msr_effects.elf"
step 1
preloaded 4 wrmsr -p 0 0xc0000080 0xc01
expect_text stderr 'wrmsr: CPU 0 cannot set MSR 0xc0000080 to 0x0000000000000c01'
preloaded 0 wrmsr -p 0 0xc0000080 0xd00
step 2
preloaded 4 wrmsr -p 0 0x1b 0xfed00900
for number in 3 4 5; do
    step $number
done
# The program counts with counter 0 when GLOBAL_CTRL is 1.
tries=0
until [ "$(env LD_PRELOAD="$KNC_MSR_LIBRARY" rdmsr -p 0 0x2f)" = 1 ] || [ $tries -eq 200 ]; do
    tries=$((tries + 1))
done
preloaded 0 wrmsr -p 0 0x20 0xffffffff9c
ended 3
expect_text run.out 'step 1: EFER d01, SYSCALL works'
expect_text run.out 'step 2: EFER d00, SYSCALL #UD'
grep -q '^overflow: handler read clock [0-9]*, status 1$' run.out || fail "no interrupt of a written counter"
expect_text run.out 'asleep with status 1'

# --- Mistakes.
entry_refused() {
    printf 'image = "%s"\n[[msr]]\n%s\n' "$KNC_IMAGES/hello.elf" "$1" >bad.toml
    expect_status 2 "$KNC_VP" run bad.toml
    expect_text stderr "$2"
}
entry_refused 'at = 1' 'bad.toml:2: key msr: wants at, and one of read and write'
entry_refused 'read = 1' 'bad.toml:2: key msr: wants at, and one of read and write'
entry_refused 'at = 1
read = 0x1_0000_0000' 'bad.toml:4: key msr.read: no MSR has this number'
entry_refused 'at = 1
write = 5' 'bad.toml:4: key msr.write: [NUMBER, VALUE] is wanted'
entry_refused 'at = 1
thread = 8
read = 0x20' 'bad.toml:2: key msr.thread: the card has threads 0 to 7'
entry_refused 'at = 1
reads = 5' 'bad.toml:4: unknown key msr.reads'
expect_status 2 "$KNC_VP" run "$KNC_IMAGES/hello.elf" --msr /nowhere/socket
expect_text stderr '--msr /nowhere/socket: No such file or directory'
finish
