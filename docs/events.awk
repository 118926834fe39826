# The page docs/events.md, from what the firmware event_matrix prints.
BEGIN {
    FS = "|"
    print "# Every event, measured"
    print ""
    print "For each event of the PMU: firmware that raises it a predicted number of times, and firmware close to it, its silent neighbour,"
    print "that does not raise it. The image `event_matrix` (`sw/tests/event_matrix`) runs them on the whole card of preset `mini`, caches on,"
    print "and reads the counts from its own counters. It fails unless every count is exactly the predicted one. This page is made from its"
    print "output by `docs/events.awk`; the test `integration.events_page` makes it again and compares, with another `sim.quantum` too."
    print "What the events mean: `knc-vp list events`; the rules of counting: [pmu.md](pmu.md)."
    print ""
    print "## How it is measured"
    print ""
    print "- *alone*: the thread that counts runs the kernel itself, between SPFLT 1 and SPFLT 0, which open and close its window."
    print "- *watched*: another thread of the core runs the kernel. The thread that counts has the any-thread bit set and opens a window with"
    print "  nothing but DELAYs in it, at the same ring. Without the any-thread bit it then counts its own DELAYs only, but all of an event"
    print "  that belongs to the core. A kernel on the other tile adds nothing to it."
    print "- Kernel and window are at ring 0, with OS alone; then at ring 3, with USR alone. A counter of the other level reads 0 in every run,"
    print "  one of both levels the same as with the right one."
    print "- Counter 0 and counter 1 give the same; the table has one of them."
    print "- Before it counts, each kernel runs once without: its code, translations and branch predictions are then there."
    print "- The memory is 4 lines of a page unless the table says otherwise, every other line, so that no stream of misses begins. Before each"
    print "  run it is put into the state that the table names: CLEVICT0 takes lines out of the L1, CLEVICT1 makes them *absent*."
    print ""
    print "Windows have edges. To these events they add something, which the silent neighbour shows too; its kernel alone raises 0:"
    print ""
    print "| event | what the edges count |"
    print "|---|---|"
}
$1 == "frame" { print "| " $2 " | " $3 " |" }
$1 == "unit" {
    print ""
    print "## " $2
    print ""
    print "| event | umask:select | kernel | predicted | alone, ring 0 | ring 3 | watched, ring 0 | ring 3 | silent neighbour | alone, ring 0 | ring 3 | watched, ring 0 | ring 3 | why |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
}
$1 == "event" {
    printf "| %s | %s | %s | %s = %s |", $2, $3, $4, $5, $6
    for (i = 7; i <= 16; ++i) printf " %s |", $i
    print ""
    ++events
}
$1 == "halt" {
    print ""
    print "## A halted core"
    print ""
    print "CPU_CLK_UNHALTED has one more kernel: HLT at ring 0, ended by the timer. In a window of some 8000 clocks and in one of 5000 more it"
    print "counts " $2 " clocks: HLT 1, the entry of the interrupt 40, IRETQ 10, SPFLT 4. At ring 3 and under watch a core cannot halt."
}
END { exit events != 61 }
