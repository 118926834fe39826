# Exit status, dump and files of each kind of ending.
. "$(dirname "$0")/lib.sh"
hello=$KNC_IMAGES/hello.elf

rm -rf out
expect_status 0 "$KNC_VP" run "$hello" --cmdline 'a=1 b' --out out
expect_text stdout 'hello'
expect_text stdout 'a=1 b'
cmp stdout out/console.log || fail "the console's log differs from what was printed"
expect_file out/report.json out/report.txt
[ ! -e out/trace.vcd ] || fail "a trace nobody asked for"
expect_status 0 "$CHECK_REPORT" out/report.json

# What a driver has forgotten. Each hint is in the report, too; a correct driver gets none.
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/pmu_stuck.elf" --out stuck
expect_text stderr 'hint: thread 0.0: overflows caused no interrupt because IA32_PERF_GLOBAL_STATUS still has the bit'
expect_text stuck/report.txt 'hint: thread 0.0'
expect_text stuck/report.json '"thread 0.0: overflows caused no interrupt'
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/demo.elf"
grep '^hint' stderr && fail "a hint for a driver that forgets nothing"

# A look at a run that goes on; the report is that of a run nobody has looked at.
# The signal comes while the run waits for its monitor; the state is printed when it has begun.
set -- "$KNC_IMAGES/demo.elf" --quiet
rm -f socket
"$KNC_VP" run "$@" --out looked --monitor socket,wait >console 2>looked.err &
run=$!
appears socket
kill -USR1 "$run"
expect_status 0 "$KNC_VP" top --socket socket --count 1
wait "$run" || fail "SIGUSR1 ends the run"
grep -q '^state at clock [0-9]' looked.err && grep -q rip looked.err || fail "no state: $(head -3 looked.err)"
"$KNC_VP" run "$@" --out alone >console
expect_status 0 "$CHECK_REPORT" looked/report.json --same alone/report.json

# A second run into the same directory replaces the first one's files.
: >out/samples.txt
expect_status 0 "$KNC_VP" run "$hello" --out out --quiet
[ ! -e out/samples.txt ] || fail "samples.txt of an earlier run is left"
[ ! -s stderr ] || fail "--quiet is not quiet: $(cat stderr)"

# A limit: status 3, the threads' state on standard error and in the report.
rm -rf out
expect_status 3 "$KNC_VP" run "$hello" --set limits.max_cycles=1000 --out out
expect_text stderr 'limit'
grep -qi 'rip' stderr || fail "no state on standard error"
grep -qi 'rip' out/report.txt || fail "no state in report.txt"
expect_text out/report.json '"reason": "limit"'
expect_status 0 "$CHECK_REPORT" out/report.json
expect_status 3 "$KNC_VP" run "$hello" --set limits.max_instructions=100

# Expectations: 1 when one of them does not hold, although the firmware is content.
cat >good.toml <<END
image = "$hello"
[[expect]]
name = "greets"
console = "hello"
[[expect]]
name = "runs on one thread"
count = "instructions"
core = 1
equals = 0
[[expect]]
name = "ends well"
exit = "firmware"
equals = 0
END
expect_status 0 "$KNC_VP" run good.toml --out out
expect_text out/report.txt 'pass greets'
sed 's/^equals = 0/equals = 1/' good.toml >bad.toml
expect_status 1 "$KNC_VP" run bad.toml --out out
expect_text out/report.txt 'FAIL runs on one thread'
expect_status 0 "$CHECK_REPORT" out/report.json

# The scenario's image is found beside the scenario, from wherever it is run.
mkdir -p beside elsewhere
cp "$hello" beside/x.elf
printf 'image = "x.elf"\n' >beside/s.toml
cd elsewhere || exit 1
expect_status 0 "$KNC_VP" run ../beside/s.toml
cd .. || exit 1

# Nobody reads the console any more: the run goes on and its report is written.
rm -rf out
{ "$KNC_VP" run "$hello" --out out --quiet; echo $? >status; } | :
expect_file out/report.json
[ "$(wc -c <out/console.log)" -gt 10 ] || fail "console.log is incomplete after a closed pipe"
finish
