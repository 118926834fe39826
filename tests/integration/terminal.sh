# The progress line: on a terminal only, not with --quiet, and never in the console's way.
. "$(dirname "$0")/lib.sh"
run="$KNC_VP run $KNC_IMAGES/runaway.elf --set limits.max_instructions=60000000 --out out"

# on_terminal COMMAND: its output on a terminal goes to the file `screen`.
on_terminal() {
    script -qec "$1" screen >/dev/null </dev/null
    [ $? -eq 3 ] || fail "$1: the limit ends it with status 3"
}
on_terminal "$run"
grep -q 'MIPS, [0-9]*%' screen || fail "no progress with percentage on a terminal"
on_terminal "$run --quiet"
grep -q 'MIPS, [0-9]*%' screen && fail "progress in spite of --quiet"
expect_status 3 sh -c "$run"
grep -q 'MIPS, [0-9]*%' stderr && fail "progress though standard error is no terminal"
# Slices of the progress line change no result.
cp out/report.json plain.json
on_terminal "$run"
expect_status 0 "$CHECK_REPORT" plain.json --same out/report.json
finish
