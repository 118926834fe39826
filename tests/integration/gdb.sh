# Debian's gdb on a running card: threads, registers, memory, stops, own commands; and what it changes (nothing).
. "$(dirname "$0")/lib.sh"
socket=$PWD/socket
place=$socket

# start NAME IMAGE ARGUMENTS...: a run in the background that serves gdb; its results are in NAME.
start() {
    name=$1 image=$2
    shift 2
    rm -rf "$name" "$socket"
    case $* in *--gdb*) ;; *) set -- "$@" --gdb "$socket,wait" ;; esac
    "$KNC_VP" run "$KNC_IMAGES/$image.elf" --out "$name" "$@" >"$name.console" 2>"$name.err" &
    run=$!
    [ "$place" != "$socket" ] || appears "$socket"
}

# debug COMMAND...: gdb with the image of `start`; its output goes to NAME.gdb. A command that fails does not end it.
debug() {
    for command; do
        set -- "$@" -ex "$command"
        shift
    done
    timeout 100 gdb -nx -batch -ex 'set pagination off' -ex 'set width 0' -ex "${first:-}" -ex "target remote $place" "$@" \
        "$KNC_IMAGES/$image.elf" >"$name.gdb" 2>&1 || true
}

# ended STATUS: the run has ended with it.
ended() {
    status=0
    wait "$run" || status=$?
    [ "$status" -eq "$1" ] || { fail "the run $name ended with $status, $1 expected"; cat "$name.err" "$name.gdb"; }
}

# same REFERENCE: the report is that of a run without gdb.
same() {
    expect_status 0 "$CHECK_REPORT" "$name/report.json" --same "$1/report.json"
    cmp "$name.console" "$1.console" || fail "gdb changes what the firmware prints"
}

# said TEXT, said_times N PATTERN: gdb printed it.
said() { expect_text "$name.gdb" "$1"; }
said_times() {
    times=$(grep -c -- "$2" "$name.gdb")
    [ "$times" -eq "$1" ] || { fail "$name: '$2' $times times, not $1"; cat "$name.gdb"; }
}

for image in hello threads; do
    "$KNC_VP" run "$KNC_IMAGES/$image.elf" --out "$image.alone" --quiet >"$image.alone.console" || fail "$image: $?"
done

# --- One thread. It is at the image's entry, before the first cycle.
start one hello
debug 'info threads' 'monitor cycle' 'p $efer' 'break main' 'continue' 'p/x $pc == (long)&main' 'x/2i $pc' 'stepi' 'stepi' \
    'p $pc - (long)&main' 'break printf' 'continue' 'bt' 'finish' 'p/x $cr0' 'p $eflags' 'p $zmm31.v8_int64' 'p $k7' 'p $st0' \
    'info registers fctrl fs_base' 'p/x $cs' 'monitor msr 0x10' 'monitor cycle' 'monitor counts' 'monitor msr 0x4711' \
    'monitor msr' 'monitor nonsense' 'monitor help' 'x/x 0xffff800000000000' 'x/x 0x8000000000' 'set var $cr0 = 0' 'delete' 'continue'
ended 0
same hello.alone
expect_text one.err "waits for gdb at $socket"
said 'Thread 1 "0.0" (running) entry ()'
said_times 1 '^0$' # the cycle of the begin
said 'Breakpoint 1, main ()'
said '= 0x1'
# push %rbx, one byte; mov $N,%edi, five.
said '=> 0x'
said_times 1 'push *%rbx'
said '0x6'
said '#1  '
said 'Value returned is $4 = 20'
said '= 0x80010033'
said '{0, 0, 0, 0, 0, 0, 0, 0}'
said 'CPU_CLK_UNHALTED'
said 'MSR 0x4711: #GP(0)'
said 'msr wants: N [VALUE]'
said "no command 'nonsense'"
said 'msr N [VALUE]   reads MSR N of the current thread, or writes it'
said_times 2 'Cannot access memory at address'
said 'Could not write register "cr0"'
said '[Inferior 1 (Remote target) exited normally]'
# The time-stamp counter began with the run: it is the cycle, in hexadecimal.
tsc=$(sed -n 's/^MSR 0x10 = //p' one.gdb)
grep -qx "$((tsc))" one.gdb || fail "the time-stamp counter is $tsc, and no cycle is the same: $(cat one.gdb)"
# The clocks of the one thread that has run are the cycles since the first one.
clocks=$(sed -n 's/^CPU_CLK_UNHALTED *//p' one.gdb)
[ "$clocks" = "$((tsc))" ] || fail "$clocks clocks in $((tsc)) cycles"

# --- Each step is one instruction, also in V: the instructions that the thread has counted say so.
start steps hello
debug 'break main' 'continue' 'monitor counts' 'stepi 1000' 'monitor counts' 'continue'
ended 0
same hello.alone
counts=$(sed -n 's/^INSTRUCTIONS_EXECUTED  *//p' steps.gdb | tr '\n' ' ')
[ "$(echo "$counts" | awk '{ print $2 - $1 }')" = 1000 ] || fail "1000 steps, and the instructions: $counts"

# --- The waveform begins and ends when gdb says so: here at the breakpoint at main(), a step of 100 clocks at most later,
# and at the next breakpoint. Before, between and after, nothing is in it. Without --trace there is none to switch.
start traced hello --trace tile0.t0 --set trace.trigger='mark 77' --set sim.quantum=100
debug 'monitor trace on' 'monitor trace off' 'break main' 'continue' 'monitor cycle' 'monitor trace on' 'break printf' 'continue' \
    'monitor cycle' 'monitor trace off' 'monitor trace maybe' 'delete' 'continue'
ended 0
same hello.alone
said_times 2 'the trace is on'
said_times 2 'the trace is off'
said "no command 'trace maybe'"
expect_status 0 "$KNC_VP" vcd check traced/trace.vcd --expect-changes tile0.t0.pc
grep -E '^[0-9]+$' traced.gdb >stops
sed -n 's/^#\([0-9]\)/\1/p' traced/trace.vcd | sort -n >times
# 1.1 GHz: clock N is at N * 10000 / 11 ps.
awk -v first="$(head -1 times)" -v last="$(tail -1 times)" 'NR == 1 { begin = $1 * 10000 / 11 } NR == 2 { end = $1 * 10000 / 11 }
    END { slack = 102 * 10000 / 11; exit !(NR == 2 && first >= begin && first <= begin + slack && last >= end && last <= end + slack) }' stops ||
    fail "the waveform lasts from $(head -1 times) to $(tail -1 times) ps, gdb stopped at clocks $(cat stops)"
start untraced hello
debug 'monitor trace on' 'continue'
ended 0
same hello.alone
said 'the run traces no signals'

# --- Eight threads: none of them misses a breakpoint, also while another one steps over it. 8 threads pass the barrier 10
# times; 7 add to `finished`, each in an instruction of its own.
start eight threads
debug 'break work' 'continue' 'info threads' 'thread apply all bt' 'delete' 'break barrier_wait' 'ignore 2 100000' \
    'watch finished' 'ignore 3 100000' 'continue' 'info breakpoints'
ended 0
same threads.alone
said 'Thread 2 "0.1" hit Breakpoint 1, work ('
said_times 1 '^  1 .*Thread 1 "0.0" (running)'
said 'in thread_start64 ()'
said ' thread_boot ('
said 'breakpoint already hit 80 times'
said 'breakpoint already hit 7 times'

# --- An ELF file of 32-bit code: gdb takes the description if it is told so first.
first='set architecture i386:x86-64'
start narrow protected32
debug 'break main' 'continue' 'stepi' 'p/x $rip == (long)&main + 4' 'p/x $cs' 'p/x $efer' 'delete' 'continue'
ended 0
first=
said 'Breakpoint 1, main ()'
said '$1 = 0x1'
said '[Inferior 1 (Remote target) exited normally]'

# As 32-bit code: its registers, frames and instructions. lea 4(%esp),%ecx has four bytes. No bases, no halves of r8.
"$KNC_VP" run "$KNC_IMAGES/protected32.elf" --out protected32.alone --quiet >protected32.alone.console || fail "protected32: $?"
start thirty_two protected32 --gdb "$socket,wait,i386"
debug 'break main' 'continue' 'x/2i $pc' 'stepi' 'p/x $eip == (int)&main + 4' 'p/x $cs' 'p sizeof($esp)' 'p $k0' 'p $r8' 'p $fs_base' \
    'break check' 'continue' 'bt' 'delete' 'continue'
ended 0
same protected32.alone
said 'Breakpoint 1, main ()'
said '<main>:	lea    0x4(%esp),%ecx'
said '$1 = 0x1'
said '$2 = 0x8'
said '$3 = 4'
said_times 2 ' = void$'
said '#3  main ()'
said '[Inferior 1 (Remote target) exited normally]'

# As 16-bit code, in real mode: a thread begins at a start-up message's page, and RIP is the linear address.
"$KNC_VP" run "$KNC_IMAGES/real_mode.elf" --out real_mode.alone --quiet >real_mode.alone.console || fail "real_mode: $?"
start sixteen real_mode --gdb "$socket,wait,i8086"
timeout 100 gdb -nx -batch -ex "target remote $place" -ex 'break *0xa000' -ex 'continue' -ex 'x/5i $pc' -ex 'stepi 5' -ex 'x/i $pc' \
    -ex 'p/x $cs' -ex 'p/x $cr0 & 1' -ex 'stepi' -ex 'p/x $sp' -ex 'x/hx $ss * 16 + $sp' -ex 'delete' -ex 'continue' >sixteen.gdb 2>&1 || true
ended 0
same real_mode.alone
# cli; cld; mov %cs,%ax; mov %ax,%ds; mov %ax,%ss; mov $0x7f0,%sp: 1, 1, and three times 2 bytes.
said '0xa002:	mov    %cs,%ax'
said '=> 0xa008:	mov    $0x7f0,%sp'
said '$1 = 0xa00'
said '$2 = 0x0'
said '$3 = 0x7f0'
said '0xa7f0:'

# --- Writes: a register, memory through the page tables, a vector, a mask. They do change the run.
start writes hello
debug 'break option_number' 'continue' 'set var $zmm3.v16_int32[15] = 7' 'p $zmm3.v16_int32[15]' 'set var $k2 = 0xabcd' \
    'p/x $k2' 'set var *(int*)0x200000 = 0x12345678' 'x/x 0x200000' 'return (unsigned long)5' 'continue'
ended 1 # the firmware's exit code is 5, as a failure
said '= 7'
said '= 0xabcd'
said '0x12345678'

# --- A whole card. Each of the 244 threads meets a breakpoint, and 243 write what is watched.
whole="--preset 7120p --cmdline"
"$KNC_VP" run "$KNC_IMAGES/threads.elf" $whole 'first=0 last=243 rounds=1 phases=1' --out whole.alone --quiet >whole.alone.console
start whole threads $whole 'first=0 last=243 rounds=1 phases=1'
debug 'break walk_phases' 'continue' 'info threads' 'ignore 1 100000' 'watch finished' 'ignore 2 100000' 'continue' 'info breakpoints'
ended 0
same whole.alone
said 'breakpoint already hit 244 times'
said 'breakpoint already hit 243 times'
said_times 244 'Thread [0-9]* "[0-9]*\.[0-3]" ([a-z]*)'
said 'Thread 244 "60.3"'

# --- Ctrl-C, and an end by gdb, which is one by the user.
start interrupt threads --cmdline 'rounds=1000000'
rm -f gdb.pid
(
    until [ -s gdb.pid ]; do sleep 0.1; done
    sleep 2
    kill -INT "$(cat gdb.pid)"
) &
debug "python open('gdb.pid', 'w').write(str(__import__('os').getpid()))" 'continue' 'info threads' 'kill'
ended 0
said 'received signal SIGINT'
said_times 1 '^\* .*Thread '
expect_text interrupt/report.txt 'gdb'

# --- A card whose thread sleeps for ever: gdb sees it, and then the end.
start stuck hello --set testdev.enable=false
debug 'continue' 'info threads' 'continue'
ended 3
said 'received signal SIGABRT'
said '* 1    Thread 1 "0.0" (halted)'
said 'exited with code 03'

# --- A gdb that vanishes lets the run go on.
start vanishes threads
debug 'break work' 'continue' 'python import os; os.kill(os.getpid(), 9)'
ended 0
same threads.alone

# --- A second gdb is told why it cannot come, while the first one has the threads; non-stop mode is refused by gdb itself.
start second threads
timeout 100 gdb -nx -batch -ex "target remote $place" -ex "python open('first', 'w').close()" \
    -ex "python import time, os; [time.sleep(.1) for n in range(900) if not os.path.exists('over')]" -ex detach >first.gdb 2>&1 &
first_gdb=$!
until [ -e first ]; do sleep 0.1; done
begun=$(date +%s)
debug 'info threads'
[ $(($(date +%s) - begun)) -lt 30 ] || fail 'a second gdb waits'
touch over
wait "$first_gdb"
ended 0
rm -f first over
same threads.alone
said 'Remote failure reply: E.another gdb is connected'
start nonstop threads
first='set non-stop on'
debug 'info threads'
first=
said 'Non-stop mode requested, but remote does not support non-stop'
debug 'detach'
ended 0
same threads.alone

# --- gdb is killed while the threads run, with stops in place; the next one finds none of them.
start killed threads --cmdline 'rounds=100000'
rm -f gdb.pid
(
    until [ -s gdb.pid ]; do sleep 0.1; done
    sleep 1
    kill -9 "$(cat gdb.pid)"
) &
debug "python open('gdb.pid', 'w').write(str(__import__('os').getpid()))" 'break exit' 'watch finished' 'continue'
debug 'info threads' 'continue'
ended 0
said_times 0 'hit \|SIGTRAP'
said '[Inferior 1 (Remote target) exited normally]'

# --- Over TCP, without a wait: gdb comes twice while the threads run.
port=$((20000 + $$ % 20000))
place=localhost:$port
start twice threads --cmdline 'rounds=100000' --gdb "$port"
debug 'break spin_lock' 'continue' 'delete' 'detach'
said 'hit Breakpoint 1'
debug 'monitor cycle' 'stepi' 'detach'
ended 0
place=$socket
said_times 1 '^[1-9][0-9]*$'
"$KNC_VP" run "$KNC_IMAGES/threads.elf" --cmdline 'rounds=100000' --out long.alone --quiet >long.alone.console
same long.alone
name=killed
same long.alone

# --- One line for what cannot be.
refused '--gdb 0: a port is 1 to 65535' "$KNC_VP" run "$KNC_IMAGES/hello.elf" --gdb 0
refused '--gdb 65536: a port' "$KNC_VP" run "$KNC_IMAGES/hello.elf" --gdb 65536
refused '--gdb /nowhere/s' "$KNC_VP" run "$KNC_IMAGES/hello.elf" --gdb /nowhere/s,wait
finish
