# Checkpoints: a run that is restored goes on exactly as the one that was not interrupted, and a bad file is refused.
. "$(dirname "$0")/lib.sh"

# run DIRECTORY STATUS IMAGE ARGUMENTS...: report and console are in DIRECTORY.
run() {
    directory=$1 wanted_status=$2 image=$3
    shift 3
    rm -rf "$directory"
    expect_status "$wanted_status" "$KNC_VP" run "$KNC_IMAGES/$image.elf" --out "$directory" --quiet "$@" <"$input"
    expect_status 0 "$CHECK_REPORT" "$directory/report.json"
}
# same DIRECTORY WHAT: as the run without checkpoints.
same() {
    expect_status 0 "$CHECK_REPORT" plain/report.json --same "$1/report.json"
    cmp plain/console.log "$1/console.log" || fail "$2: another console"
}
input=/dev/null

# goes_on STATUS END IMAGE ARGUMENTS...: plain, with a checkpoint at END, restored from it. END `firmware`: the first
# fast-forward that the firmware begins.
goes_on() {
    status_of_run=$1 end=$2 image=$3
    shift 3
    rm -f c.ckpt
    if [ "$end" = firmware ]; then
        run plain "$status_of_run" "$image" "$@"
        run saved "$status_of_run" "$image" "$@" --checkpoint c.ckpt
    else
        run plain "$status_of_run" "$image" "$@" --fast-forward "to=$end"
        run saved "$status_of_run" "$image" "$@" --fast-forward "to=$end" --checkpoint c.ckpt
    fi
    expect_file c.ckpt
    run restored "$status_of_run" "$image" "$@" --restore c.ckpt
    same saved "$image $*, saved at $end"
    same restored "$image $*, restored at $end"
    # The page also has the counts over time and the traffic of each stop of the ring.
    cmp plain/report.html restored/report.html || fail "$image $*, restored at $end: another page"
}

# One thread, at any point: registers, flags, segments, x87 and vector registers, page tables, faults on their way.
for n in 1 50 3000 12345; do
    goes_on 0 "instructions $n" hello
done
goes_on 0 'symbol main' hello
goes_on 0 'symbol main' hello --set card.caches=false
for n in 5000 20000; do
    goes_on 0 "instructions $n" exceptions
done
for image in rings paging smc strings segments32 privilege32 debug_registers vector_traps real_mode; do
    goes_on 0 'instructions 2500' "$image"
done
goes_on 0 'instructions 15000' exceptions --cmdline compat --set card.profile=compat

# Threads of several cores: who sleeps, who waits for SIPI, whose turn it is, interrupts on their way, timers.
for n in 5000 20000 40000; do
    goes_on 0 "instructions $n" threads
    goes_on 0 "instructions $n" apic_timer
done
for n in 5000 12000; do
    goes_on 0 "instructions $n" apic_ipi
done
for image in atomics smc_threads apic_registers ipi_modes halt init_reset; do
    goes_on 0 'instructions 20000' "$image"
done
for n in 100003 150001 200002; do
    goes_on 0 "instructions $n" mix --cmdline 'cores=2 threads=4'
done
goes_on 0 'instructions 200000' mix --preset 7120p --cmdline 'cores=61 threads=1 passes=1' --set limits.max_cycles=5200000 --set card.tiles=61
# Caches and TLBs that are filled afterwards.
for n in 100003 200002; do
    goes_on 0 "instructions $n" mix --cmdline 'cores=2 threads=4' --set fast_forward.warm=true
done
goes_on 0 'symbol main' hello --set fast_forward.warm=true
# Counters that sample and interrupt, marks and phases.
goes_on 0 'marker 3' phases --cmdline threads
goes_on 0 'instructions 30000' pmu_threads
# Architectural performance monitoring: registers, an armed counter with some records in its buffer, an L3 and its IDs.
goes_on 0 'instructions 50000' perfmon --preset perfmon
goes_on 0 firmware pebs_checkpoint --preset perfmon
goes_on 0 firmware pebs_checkpoint --preset perfmon --set perfmon.pebs_arm=next
goes_on 0 'symbol main' cmt --preset perfmon --set cmt.bandwidth=true --cmdline bandwidth
goes_on 1 'instructions 60000' cmt --preset perfmon
# A Pentium: nothing of its caches, bus and FIFO is in a checkpoint. What was counted before the end is not there.
for image in p55c_count p55c_bus p55c_fetch; do
    goes_on 1 'instructions 15000' "$image" --preset p55c
done
# These miss some of what they expect to count.
for image in pmu_sampling pmu_overflow pmu_region; do
    goes_on 1 'instructions 30000' "$image"
done
# Time comes first: the counts of caches, ring and controllers, the PMU's own, a timer that runs.
goes_on 0 firmware fast_forward
goes_on 0 firmware fast_forward --set card.caches=false
goes_on 0 firmware fast_forward --cmdline 'reset rounds=1'
# Devices, and input of which a part is read.
goes_on 0 'instructions 20000' sbox
goes_on 0 'instructions 20000' uart --cmdline alone
printf 'echo one\necho two\nexit 5\n' >typed
input=typed
goes_on 1 'instructions 20000' shell
input=/dev/null

# What a restored run shows is what the other one shows from there on: a waveform, also of a run that is recorded.
run plain 0 threads --fast-forward 'to=instructions 40000'
clock=$(sed -n '/"fast_forward"/,$s/^ *"to": *\([0-9]*\),$/\1/p' plain/report.json | head -n 1)
window="--trace all --set trace.from=$clock --set trace.to=$((clock + 3000))"
run plain 0 threads --fast-forward 'to=instructions 40000' --checkpoint c.ckpt $window
run restored 0 threads --restore c.ckpt $window
expect_file plain/trace.vcd
cmp plain/trace.vcd restored/trace.vcd || fail 'another waveform'
same restored 'traced'
# Neither the step nor the host's threads nor who looks change anything.
for arguments in '--set sim.quantum=1' '--set sim.break_even=0 --host-threads 2' '--timeline --log apic'; do
    run restored 0 threads --restore c.ckpt $arguments
    same restored "$arguments"
done
# A restored run ends its next fast-forward in a checkpoint of its own.
run plain 0 fast_forward
run saved 0 fast_forward --checkpoint first.ckpt
run again 0 fast_forward --restore first.ckpt --checkpoint second.ckpt
same again 'the second checkpoint is written'
run restored 0 fast_forward --restore second.ckpt
same restored 'the second checkpoint'
cmp -s first.ckpt second.ckpt && fail 'both are the same'

# A scenario names its files; its session goes on, and another one begins.
mkdir -p plans
for key in file restore; do
    cat >plans/$key.toml <<END
image = "$KNC_IMAGES/shell.elf"
checkpoint.$key = "s.ckpt"
fast_forward.to = "instructions 20000"
[[session]]
wait = "> "
send = "exit 0\n"
END
done
expect_status 0 "$KNC_VP" run plans/file.toml --out plain --quiet
expect_file plans/s.ckpt
expect_status 0 "$KNC_VP" run plans/restore.toml --out restored --quiet
same restored 'the session'

# What cannot be.
hello=$KNC_IMAGES/hello.elf
expect_status 0 "$KNC_VP" run "$hello" --quiet --fast-forward 'to=symbol main' --checkpoint h.ckpt
refused "h.ckpt: key card.tiles: '2' in the checkpoint, '4' here" "$KNC_VP" run "$hello" --restore h.ckpt --set card.tiles=4
refused "h.ckpt: command line: '' in the checkpoint, 'x' here" "$KNC_VP" run "$hello" --restore h.ckpt --cmdline x
refused 'h.ckpt: SHA-256 of the image' "$KNC_VP" run "$KNC_IMAGES/rings.elf" --restore h.ckpt
refused 'none.ckpt: No such file' "$KNC_VP" run "$hello" --restore none.ckpt
refused "no checkpoint of knc-vp" "$KNC_VP" run "$hello" --restore "$hello"
refused 'there is no fast-forward that could end' "$KNC_VP" run "$hello" --checkpoint x.ckpt --gdb 0
refused 'x.ckpt cannot be written' "$KNC_VP" run "$hello" --checkpoint no/directory/x.ckpt
# gdb finds the restored run where the fast-forward has ended.
"$KNC_VP" run "$hello" --restore h.ckpt --quiet --gdb g.sock,wait >stdout 2>stderr &
appears g.sock
timeout 60 gdb -nx -q -batch -ex 'target remote g.sock' -ex 'info symbol $rip' -ex continue "$hello" >gdb.txt 2>&1
wait $! || fail 'the run with gdb'
expect_text gdb.txt 'main in section'
size=$(wc -c <h.ckpt)
for length in 0 1 7 8 12 19 20 51 52 53 100 1000 5000 $((size / 2)) $((size - 33)) $((size - 32)) $((size - 1)); do
    head -c "$length" h.ckpt >bad.ckpt
    refused 'bad.ckpt: ' "$KNC_VP" run "$hello" --restore bad.ckpt
done
seed=$(date +%s)
for n in 1 2 3 4 5 6 7 8 9 10; do
    cp h.ckpt bad.ckpt
    at=$(awk -v s=$((seed + n)) -v n="$size" 'BEGIN { srand(s); print int(rand() * n) }')
    byte=$(od -An -tu1 -j "$at" -N 1 h.ckpt)
    printf "\\$(printf '%03o' $((byte ^ 1 << n % 8)))" | dd of=bad.ckpt bs=1 seek="$at" conv=notrunc 2>/dev/null
    refused 'bad.ckpt: ' "$KNC_VP" run "$hello" --restore bad.ckpt
    [ "$status" -eq 2 ] || fail "seed $seed, byte $at"
done
# No fast-forward ends.
expect_status 1 "$KNC_VP" run "$hello" --quiet --checkpoint never.ckpt
expect_text stderr 'never.ckpt: no checkpoint is written: no fast-forward has ended'
[ ! -e never.ckpt ] || fail 'a checkpoint of nothing'
finish
