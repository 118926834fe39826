# Fast-forward: programs do what they do in time, each end is exact, and nothing depends on host or observers.
. "$(dirname "$0")/lib.sh"

# run DIRECTORY STATUS IMAGE ARGUMENTS...
run() {
    directory=$1 wanted_status=$2 image=$3
    shift 3
    rm -rf "$directory"
    expect_status "$wanted_status" "$KNC_VP" run "$KNC_IMAGES/$image.elf" --out "$directory" --quiet "$@"
}
whole='to=instructions 1000000000000'

# as_in_time STATUS IMAGE ARGUMENTS...: the whole run without time ends in the same way, with the same console.
as_in_time() {
    run timed "$@"
    run functional "$@" --fast-forward "$whole"
    cmp timed/console.log functional/console.log || fail "$*: other console without time"
}
for ideal in true false; do
    for image in hello exceptions rings paging smc undefined strings repeat conditional_moves protected32 segments32 \
        transfers32 privilege32 shadow debug_registers vector_faults vector_traps real_mode atomics; do
        as_in_time "$image" 0 --set card.caches=$ideal
    done
done
finish
