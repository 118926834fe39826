# Fast-forward: programs do what they do in time, each end is exact, and nothing depends on the host or on who looks.
. "$(dirname "$0")/lib.sh"

# run DIRECTORY STATUS IMAGE ARGUMENTS...: report and console are in DIRECTORY.
run() {
    directory=$1 wanted_status=$2 image=$3
    shift 3
    rm -rf "$directory"
    expect_status "$wanted_status" "$KNC_VP" run "$KNC_IMAGES/$image.elf" --out "$directory" --quiet "$@"
    expect_status 0 "$CHECK_REPORT" "$directory/report.json"
}
# fields DIRECTORY: from, to, instructions and end of each fast-forward.
fields() {
    sed -n '/"fast_forward"/,/^  *\],*$/s/^ *"\(from\|to\|instructions\|end\)": *"*\([^",]*\)"*,*$/\2/p' "$1/report.json" |
        paste -d '|' - - - -
}
whole='to=instructions 1000000000000'

# as_in_time IMAGE ARGUMENTS...: the whole run without time ends in the same way, with the same console.
as_in_time() {
    image=$1
    shift
    run timed 0 "$image" "$@"
    run functional 0 "$image" "$@" --fast-forward "$whole"
    cmp timed/console.log functional/console.log || fail "$image $*: another console without time"
    fields functional | grep -q '^0|[1-9][0-9]*|[1-9][0-9]*|end of the run$' || fail "$image: $(fields functional)"
    grep -q fast_forward timed/report.json && fail "$image: the run in time has the field"
}
for image in hello exceptions rings paging smc undefined strings conditional_moves protected32 segments32 \
    transfers32 privilege32 debug_registers vector_faults vector_traps real_mode; do
    as_in_time "$image"
done
for image in exceptions paging smc; do
    as_in_time "$image" --set card.caches=false
done
as_in_time exceptions --cmdline compat --set card.profile=compat
# A short quantum changes nothing of a single thread.
as_in_time strings --set fast_forward.quantum=1

# Threads start each other, wait, lock, interrupt each other, write code of each other; the devices of the card.
for image in repeat spmv dot threads atomics smc_threads apic_ipi apic_timer apic_registers ipi_modes; do
    run functional 0 "$image" --fast-forward "$whole"
done
run functional 0 uart --cmdline alone --fast-forward "$whole"
run functional 0 sbox --fast-forward "$whole"

# The ends. main is executed in time, and so is what is behind it.
run count 0 hello --fast-forward 'to=instructions 12345'
fields count | grep -q '^0|[0-9]*|12345|instructions 12345$' || fail "instructions: $(fields count)"
cmp timed/console.log count/console.log >/dev/null && fail "hello prints nothing of its own"
run symbol 0 hello --fast-forward 'to=symbol main'
address=$(nm "$KNC_IMAGES/hello.elf" | sed -n 's/^\([0-9a-f]*\) T main$/0x\1/p')
run pc 0 hello --fast-forward "to=pc $address"
[ "$(fields symbol | cut -d '|' -f 1-3)" = "$(fields pc | cut -d '|' -f 1-3)" ] || fail "symbol and its address: $(fields symbol) $(fields pc)"
expect_text symbol/report.json '"end": "symbol main"'
before=$(fields pc | cut -d '|' -f 3)
run count 0 hello --fast-forward "to=instructions $before"
[ "$(fields count | cut -d '|' -f 2)" = "$(fields pc | cut -d '|' -f 2)" ] || fail "the same instructions: $(fields count) $(fields pc)"
run marker 0 phases --cmdline threads --fast-forward 'to=marker 3'
fields marker | grep -q '|marker 3$' || fail "marker: $(fields marker)"
expect_text marker/report.json '"number": 4'

# The firmware switches, with caches and without, on a card whose other threads go on.
for arguments in '' '--set card.caches=false' '--set fast_forward.quantum=37'; do
    run switched 0 fast_forward $arguments
    [ "$(fields switched | grep -c '|test device$')" -eq 4 ] || fail "$arguments: $(fields switched)"
done
run switched 0 fast_forward --fast-forward 'to=instructions 1000' --set sim.quantum=1
[ "$(fields switched | wc -l)" -eq 5 ] || fail "after the first: $(fields switched)"

# A warm reset in the midst of it: the rest goes on without time.
run reset 0 fast_forward --cmdline 'reset rounds=1'
[ "$(fields reset | cut -d '|' -f 4 | tr '\n' ' ')" = 'reset test device test device ' ] || fail "reset: $(fields reset)"
run reset 0 fast_forward --cmdline 'reset rounds=1' --set card.caches=false

# same DIRECTORY: as the first run.
same() {
    expect_status 0 "$CHECK_REPORT" racy/report.json --same "$1/report.json"
    cmp racy/console.log "$1/console.log" || fail "the console of $1 differs"
}
# Threads of all cores that race: each run is the same, however far tiles run ahead of SystemC, and whoever looks.
race='--preset 7120p --cmdline first=0\ last=243\ rounds=10'
eval "run racy 0 threads $race --fast-forward '$whole'"
eval "run again 0 threads $race --fast-forward '$whole'"
same again
run racy 0 vector_shared --set card.tiles=4 --cmdline 'cores=4 threads=3 phases=24 race' --fast-forward "$whole"
for arguments in '--set sim.quantum=1' '--set sim.quantum=777' '--trace *.pc --set trace.to=2000' '--timeline --log apic' ''; do
    run again 0 vector_shared --set card.tiles=4 --cmdline 'cores=4 threads=3 phases=24 race' --fast-forward "$whole" $arguments
    same again
done
run racy 0 fast_forward
for arguments in '--set sim.quantum=1' '--trace *.pc --set trace.to=2000' '--timeline --log apic'; do
    run again 0 fast_forward $arguments
    same again
done

# Warm caches and TLBs: a chain of loads right behind the fast-forward takes as many clocks as in time, where a walk
# before it has filled them: in the L1, in the L2, with 4 KB pages, with lines that other tiles have read.
begin=$(objdump -d --disassemble=main "$KNC_IMAGES/chase.elf" | sed -n 's/^ *\([0-9a-f]*\):.*rdtsc.*/0x\1/p' | head -n 1)
measured() { sed -n 's/^measured [0-9]* loads in \([0-9]*\) clocks$/\1/p' "$1/console.log"; }
for arguments in 'bytes=16384' 'bytes=262144' 'bytes=131072 pages=4' 'bytes=65536 owners=1 first=1 read'; do
    for kind in timed warm cold; do
        options="--fast-forward to=pc\\ $begin --set fast_forward.warm=$([ $kind = warm ] && echo true || echo false)"
        [ $kind = timed ] && options=
        eval "run $kind 0 chase --cmdline '$arguments loads=2048' $options"
    done
    [ "$(measured warm)" -eq "$(measured timed)" ] || fail "$arguments: $(measured warm) clocks, in time $(measured timed)"
    [ "$(measured cold)" -gt $(($(measured timed) * 11 / 10)) ] || fail "$arguments: cold $(measured cold) clocks, in time $(measured timed)"
done
# Filling the caches counts nothing: the clocks of the first core are those before the fast-forward and after the filling.
clocks=$(sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p' warm/report.json)
until=$(sed -n 's/^ *"warm": \([0-9]*\).*/\1/p' warm/report.json)
counted=$(sed -n 's/^ *"CPU_CLK_UNHALTED": \([0-9]*\),$/\1/p' warm/report.json | head -n 1)
[ "$counted" -eq $((clocks - until)) ] || fail "$counted clocks counted, $((clocks - until)) in time"
# It depends on nobody either; a switch by software, a reset in the midst of it, and a card without caches.
filled='--preset 3120a --cmdline cores=3\ passes=1 --set fast_forward.warm=true'
eval "run racy 0 mix $filled --fast-forward to=instructions\\ 200000"
for arguments in '--set sim.quantum=1' '--set sim.quantum=777' '--host-threads 2' '--trace *.pc --set trace.to=100000' '--timeline --log apic'; do
    eval "run again 0 mix $filled --fast-forward to=instructions\\ 200000 $(echo "$arguments" | sed 's/\*/\\*/')"
    same again
done
for arguments in '' '--set card.caches=false' '--set sim.quantum=1'; do
    run switched 0 fast_forward --set fast_forward.warm=true $arguments
    [ "$(fields switched | grep -c '|test device$')" -eq 4 ] || fail "warm, $arguments: $(fields switched)"
done
run reset 0 fast_forward --cmdline 'reset rounds=1' --set fast_forward.warm=true

# What cannot be.
for wrong in marker 'marker -1' 'marker 4294967296' 'instructions 0' 'pc here' 'pc 1 2' 'symbol nobody' 'tomorrow'; do
    refused "key fast_forward.to: '$wrong'" "$KNC_VP" run "$KNC_IMAGES/hello.elf" --fast-forward "to=$wrong"
done
refused '--fast-forward main: to=END is wanted' "$KNC_VP" run "$KNC_IMAGES/hello.elf" --fast-forward main
refused 'there is no fast-forward' "$KNC_VP" run "$KNC_IMAGES/hello.elf" --gdb 0 --fast-forward "$whole"
finish
