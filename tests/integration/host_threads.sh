# However many host threads run the tiles: the same reports, consoles and waveforms.
. "$(dirname "$0")/lib.sh"

# Every step in which two tiles are busy is shared, whether it pays or not.
always='--set sim.break_even=0'

# ran DIRECTORY THREADS IMAGE ARGUMENTS...
ran() {
    directory=$1 threads=$2 image=$3
    shift 3
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$image.elf" --out "$directory" --quiet --host-threads "$threads" $always "$@"
}

# same IMAGE ARGUMENTS...: with each number of threads.
same() {
    rm -rf t0
    ran t0 0 "$@"
    for threads in 1 2 3 8; do
        rm -rf more
        ran more $threads "$@"
        expect_status 0 "$CHECK_REPORT" t0/report.json --same more/report.json
        [ "$status" -eq 0 ] || fail "$*: the report of $threads threads differs"
        cmp t0/console.log more/console.log || fail "$*: the console of $threads threads differs"
        [ ! -e t0/trace.vcd ] || cmp t0/trace.vcd more/trace.vcd || fail "$*: the trace of $threads threads differs"
    done
}

# All threads of 8 tiles and of 61: started by interrupts, at barriers, with interrupts for each other.
same threads --preset 3120a --cmdline 'first=4 last=35'
same threads --preset 7120p --cmdline 'first=0 last=243 rounds=1 phases=1'
same vstream --preset 7120p --cmdline 'cores=61 bytes=4096 nrngo'
# Lines and locks that tiles take from each other; performance interrupts; all kinds of interrupt messages.
same false_sharing --preset 5110p --cmdline cores=8
same locks --preset 5110p --cmdline cores=8
same atomics --preset 3120a --cmdline 'last=40 rounds=3'
same pmu_threads --preset 3120a
same ipi_modes --set card.tiles=4 --cmdline last=15
# Lines from memory; so many that requests wait for room in the controllers.
same stream --preset 3120a --cmdline 'cores=8 bytes=65536'
same stream --preset 7120p --cmdline 'cores=61 threads=4 bytes=8192'
# Code that other tiles write, and a warm reset in the midst of messages.
same smc_threads --preset 3120a
same card_reset --preset 3120a --cmdline last=40
# Devices; a card without caches, whose tiles take turns in any case.
same sbox --preset 3120a --cmdline 'other=9 spad0=0x3000000 spad2=0x040001C1 spad4=0x2800E6CF'
same threads --set card.caches=false

# A trace begins and ends in the midst of the work.
same locks --preset 5110p --cmdline cores=8 --trace 'tile[0-7].t0.pc,tile[0-7].l2.misses,ring.under_way' \
    --set trace.mark=3 --set trace.from=6000 --set trace.to=10000
expect_status 0 "$KNC_VP" vcd check t0/trace.vcd --expect-changes tile1.t0.pc tile7.l2.misses
expect_status 0 "$KNC_VP" vcd check t0/trace.vcd --expect-changes tile7.t0.pc
# The controllers are busy where it begins.
same stream --preset 3120a --cmdline 'cores=8 bytes=262144' --trace 'controller[0-5].*,ring.controller0' \
    --set trace.from=400_000 --set trace.to=402_000
expect_status 0 "$KNC_VP" vcd check t0/trace.vcd --expect-changes controller0.row_hits controller2.reads

# There are as many threads as wanted, and one without work to share.
# counted NUMBER ARGUMENTS...: while it runs, the program has so many threads.
counted() {
    wanted=$1
    shift
    "$KNC_VP" run "$KNC_IMAGES/mix.elf" --quiet "$@" >/dev/null 2>&1 &
    program=$!
    most=0
    while kill -0 $program 2>/dev/null && [ $most -lt "$wanted" ]; do
        now=$(ls /proc/$program/task 2>/dev/null | wc -l)
        [ "$now" -le $most ] || most=$now
        sleep 0.05
    done
    kill $program 2>/dev/null
    wait $program 2>/dev/null
    [ $most -eq "$wanted" ] || fail "$*: $most threads, $wanted expected"
}
many='--preset 7120p --cmdline'
counted 3 $many 'cores=61 threads=4 passes=8' --host-threads 3
counted 5 --set sim.host_threads=5 $many 'cores=61 threads=4 passes=8'
counted 1 $many 'cores=1 threads=4 passes=8' --host-threads 3
counted 1 $many 'cores=61 threads=4 passes=1' --host-threads 3 --set sim.break_even=1_000_000_000

# Numbers, and what is none.
refused "--host-threads many: key sim.host_threads: 'many' is not a number from 0 up, or none" \
    "$KNC_VP" run "$KNC_IMAGES/hello.elf" --host-threads many
refused 'sim.break_even' "$KNC_VP" run "$KNC_IMAGES/hello.elf" --set sim.break_even=-1
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/hello.elf" --host-threads none --quiet
finish
