# perf of Debian reads what the writer of perf.data makes of known buffers, and finds every record in it.
. "$KNC_SOURCE/tests/integration/lib.sh"
command -v perf >/dev/null || { echo "perf is not installed (package linux-perf)"; exit 77; }

expect_status 0 "$RECORDING" perf.data
[ "$(cat stdout)" = "$(wc -c <perf.data)" ] || fail "the length $(cat stdout) is not that of the file"

# The samples of both buffers in the order of their times; the mapping gives them their file.
expect_status 0 perf script -i perf.data -G -F comm,pid,cpu,time,period,event,ip,dso
[ ! -s stderr ] || { fail "perf script complained:"; cat stderr; }
sed 's/  */ /g; s/^ //; s/ $//' stdout >samples
cat >expected <<'END'
busy 7 [000] 1.000002: 1000 CPU_CLK_UNHALTED: 400200 (/bin/busy)
busy 7 [001] 1.000003: 1000 CPU_CLK_UNHALTED: 400208 (/bin/busy)
busy 7 [000] 1.000004: 1000 CPU_CLK_UNHALTED: 400300 (/bin/busy)
busy 7 [001] 1.000005: 1000 CPU_CLK_UNHALTED: 400308 (/bin/busy)
END
cmp -s expected samples || { fail "samples:"; cat stdout; }

# A call chain: where the sample was, and its caller, as offsets in the mapping.
expect_status 0 perf script -i perf.data -F ip
[ "$(tr -s ' \t\n' '   ' <stdout)" = " 200 100 208 100 300 100 308 100 " ] ||
    { fail "call chains:"; cat stdout; }

expect_status 0 perf report -i perf.data --header-only
[ ! -s stderr ] || { fail "perf report complained:"; cat stderr; }
for line in 'hostname : card' 'os release : 6.1.0-knc' 'arch : x86_64' 'nrcpus online : 2' 'nrcpus avail : 8' \
    'cpudesc : 0b/01' 'cpuid : GenuineIntel,11,1,2' 'total memory : 262144 kB' 'cmdline : perf-record busy' \
    'event : name = dummy, , id = { 100, 101 }' \
    'event : name = CPU_CLK_UNHALTED, , id = { 200, 201 }, type = 4, size = 128, config = 0x2a'; do
    expect_text stdout "# $line"
done
expect_status 0 perf buildid-list -i perf.data
expect_text stdout 'abcd000000000000000000000000000000000000 [kernel.kallsyms]'
finish
