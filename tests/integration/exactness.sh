# How far tiles run ahead, tracing and repetition change nothing but the host's time.
. "$(dirname "$0")/lib.sh"

# variant NAME IMAGE ARGUMENTS...
variant() {
    name=$1 image=$2
    shift 2
    rm -rf "$name"
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$image.elf" --out "$name" --quiet "$@"
}

for image in hello demo; do
    variant first $image
    variant again $image
    variant window1 $image --set sim.window=1
    variant window333 $image --set sim.window=333
    variant traced $image --trace tile0.pmu --set trace.from=1000 --set trace.to=20000
    for other in again window1 window333 traced; do
        expect_status 0 "$CHECK_REPORT" first/report.json --same "$other/report.json"
        cmp first/console.log "$other/console.log" || fail "$image: console of $other differs"
    done
    [ $image = hello ] || cmp first/samples.txt window1/samples.txt || fail "$image: samples differ"
    # The date is all that two traces of one run may differ in.
    variant traced_again $image --trace tile0.pmu --set trace.from=1000 --set trace.to=20000 --set sim.window=77
    sed '1,/^\$end/d' traced/trace.vcd >one
    sed '1,/^\$end/d' traced_again/trace.vcd >two
    cmp one two || fail "$image: traces differ"
done
finish
