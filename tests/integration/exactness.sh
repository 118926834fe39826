# How far tiles run ahead, tracing and repetition change nothing but the host's time.
. "$(dirname "$0")/lib.sh"

# variant NAME IMAGE ARGUMENTS...
variant() {
    name=$1 image=$2
    shift 2
    rm -rf "$name"
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$image.elf" --out "$name" --quiet "$@"
}

# exact SIGNALS IMAGE ARGUMENTS...: traces $length clocks, $ago before the end; these signals must change then, or
# equal traces would say little.
exact() {
    signals=$1
    shift
    what=$*
    image=$1
    shift
    variant first "$image" "$@"
    to=$(sed -n 's/^ *"cycles": *\([0-9]*\).*/\1/p' first/report.json)
    to=$((to - ago))
    set -- "$@" --set trace.from=$((to - length)) --set trace.to="$to"
    variant again "$image" "$@"
    variant window1 "$image" "$@" --set sim.quantum=1
    variant window7 "$image" "$@" --set sim.quantum=7
    variant window333 "$image" "$@" --set sim.quantum=333
    variant traced "$image" "$@" --trace "$scopes"
    variant traced77 "$image" "$@" --trace "$scopes" --set sim.quantum=77
    for other in again window1 window7 window333 traced traced77; do
        expect_status 0 "$CHECK_REPORT" first/report.json --same "$other/report.json"
        cmp first/console.log "$other/console.log" || fail "$what: console of $other differs"
    done
    expect_status 0 "$KNC_VP" vcd check traced/trace.vcd --expect-changes $signals
    cmp traced/trace.vcd traced77/trace.vcd || fail "$what: traces differ"
}

length=30000 ago=0
scopes='*.pmu.t0.*,*.t0.pc,*.t0.apic.isr_highest,*.state'
exact tile0.t0.pc hello
ago=1000000
exact tile0.pmu.t0.cntr0 demo
ago=0
cmp first/samples.txt window1/samples.txt || fail "demo: samples differ"

# Interrupts from the SBOX, with their EOIs, and its elapsed time counter; with caches and without.
exact "tile0.t0.apic.isr_highest tile1.t1.state" sbox
exact "tile0.t0.apic.isr_highest tile1.t1.state" sbox --set card.caches=false

# A warm reset in the midst of messages, with caches and without.
length=100000
exact "tile0.t0.pc tile1.t1.state" card_reset
exact "tile0.t0.pc tile1.t1.state" card_reset --set card.caches=false --cmdline ideal
length=30000

# Threads that write to the same memory, and threads that interrupt each other: on one tile and on eight, started by
# the last of them. Every tile has a part in it.
for tiles in 1 8; do
    last=$((tiles - 1))
    states=$(awk -v tiles=$tiles 'BEGIN { for (n = 0; n < tiles; ++n) print "tile" n ".t3.state" }')
    exact "$states" threads --set card.tiles=$tiles --set boot.bsp=$last --cmdline "last=$((4 * tiles - 1))"
    exact "tile$last.pmu.t0.status tile$last.t0.apic.isr_highest" pmu_threads --set card.tiles=$tiles --set boot.bsp=$last
done

# Vectors of lines that eight threads share; the results are also those of memory without caches.
length=10000 ago=600000
scopes='*.state,*.pc,*.l2.*'
shared='cores=2 threads=4'
exact "tile0.t1.pc tile1.t3.pc tile0.l2.misses tile1.l2.misses" vector_shared --set card.tiles=2 --cmdline "$shared race"
scopes='*.state,*.pc'
exact "tile0.t1.pc tile1.t3.pc" vector_shared --set card.tiles=2 --set card.caches=false --cmdline "$shared race"
variant cached vector_shared --set card.tiles=2 --cmdline "$shared"
variant ideal vector_shared --set card.tiles=2 --set card.caches=false --cmdline "$shared"
expect_text cached/console.log digest
cmp cached/console.log ideal/console.log || fail "vector_shared: other results without caches"
# Gathers and scatters that interrupts stop.
exact "tile0.t2.pc" vector_interrupted --cmdline "last=2 rounds=3"

# A card of 61 tiles, in the midst of threads of eleven tiles that want the same lines.
length=10000 ago=120000
scopes='*.state,*.l2.*,ring.*'
exact "tile0.l2.misses tile5.l2.misses tile10.l2.misses" atomics --preset 7120p --cmdline "last=40 rounds=3"
finish
