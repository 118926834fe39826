# The same boot three times: as it is, with a step of one cycle, and with a trace. Consoles with their
# time stamps and reports are the same, byte for byte.
. "$(dirname "$0")/lib.sh"

PARAMETERS=
what='perf-record -a -e INSTRUCTIONS_EXECUTED -c 10007 -o /tmp/perf.data work 1; cat /proc/interrupts /proc/uptime'
boot plain "$what"
boot steps "$what" --set sim.quantum=1
boot traced "$what" --trace tile0.pmu.t0
[ -s traced/trace.vcd ] || fail "no trace"
for other in steps traced; do
    cmp plain/console.log $other/console.log || fail "the console differs: $other"
    for out in plain $other; do grep -vE '"(host_seconds|mips)"' $out/report.json >$out.json; done
    cmp plain.json $other.json || fail "the report differs: $other"
done
expect_text plain/console 'smp: Brought up 1 node, 8 CPUs'
finish
