# Symbols of several programs, and the profile by function: every instruction of a run counts once, in
# the function that executed it, whatever the address spaces do with its address.
. "$(dirname "$0")/lib.sh"

programs="--symbols $KNC_IMAGES/spaces_program0 --symbols $KNC_IMAGES/spaces_program1
    --symbols $KNC_IMAGES/spaces_program2"

# functions FILE THREADS: the report has the counts that sw/tests/spaces says. A thread runs each program
# twice in each of 4 rounds. A run is entry, 3 instructions and a NOP in program 1; work, 1 instruction, 500
# steps of 2 to 4 instructions and a return; and in ring 3 of the image, 6 instructions of user_first.
# kernel_work is 1 instruction, 300 steps of 2 and a return, in each round.
functions() {
    runs=$((8 * $2))
    expect_status 0 "$CHECK_REPORT" "$1" \
        --function spaces_program0 user entry $((3 * runs)) \
        --function spaces_program1 user entry $((4 * runs)) \
        --function spaces_program2 user entry $((3 * runs)) \
        --function spaces_program0 user work $((1002 * runs)) \
        --function spaces_program1 user work $((1502 * runs)) \
        --function spaces_program2 user work $((2002 * runs)) \
        --function spaces.elf user user_first $((18 * runs)) \
        --function spaces.elf kernel kernel_work $((2408 * $2)) \
        --function '[unknown]' user '[unknown]' 0
}

for options in '' '--set card.caches=false'; do
    rm -rf out
    # shellcheck disable=SC2086
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/spaces.elf" $programs --profile --out out $options
    expect_text stderr 'clocks of all threads: kernel'
    expect_text out/report.txt 'spaces_program2'
    functions out/report.json 8
    # Threads that have done their rounds halt before the last one has.
    awk '/"idle"/ { getline; exit $2 > 0 ? 0 : 1 }' out/report.json || fail 'no thread halted'
done

# The same by a scenario; and no number depends on the quantum.
cat >plan.toml <<END
image = "$KNC_IMAGES/spaces.elf"
symbols = ["$KNC_IMAGES/spaces_program0", "$KNC_IMAGES/spaces_program1", "$KNC_IMAGES/spaces_program2"]
cmdline = "last=1"
[profile]
functions = true
END
expect_status 0 "$KNC_VP" run plan.toml --out plan --quiet
functions plan/report.json 2
expect_status 0 "$KNC_VP" run plan.toml --out quantum --quiet --set sim.quantum=100
expect_status 0 "$CHECK_REPORT" plan/report.json --same quantum/report.json

# Without the programs' files, their code is unknown code of ring 3; the image's is not.
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/spaces.elf" --profile --out unknown --quiet --cmdline last=0
expect_status 0 "$CHECK_REPORT" unknown/report.json \
    --function '[unknown]' user '[unknown]' $((8 * (3 + 4 + 3 + 1002 + 1502 + 2002))) \
    --function spaces.elf user user_first 144

# A sum holds however a run ends, and over warm resets. Without --profile there is none.
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/card_reset.elf" --profile --out ended --quiet
expect_status 0 "$CHECK_REPORT" ended/report.json
expect_status 3 "$KNC_VP" run "$KNC_IMAGES/runaway.elf" --cmdline halt --profile --out ended --quiet
expect_status 0 "$CHECK_REPORT" ended/report.json
expect_status 3 "$KNC_VP" run "$KNC_IMAGES/triple_fault.elf" --profile --out ended --quiet
expect_status 0 "$CHECK_REPORT" ended/report.json
expect_status 3 "$KNC_VP" run "$KNC_IMAGES/hello.elf" --profile --out ended --quiet \
    --set limits.max_cycles=12345
expect_status 0 "$CHECK_REPORT" ended/report.json
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/hello.elf" --out ended --quiet
grep -q '"profile"' ended/report.json && fail 'a profile that nobody asked for'

# The dump of a run says where its threads are: by the image, and in the programs.
expect_status 3 "$KNC_VP" run "$KNC_IMAGES/runaway.elf" --set limits.max_instructions=1000000 --quiet
grep -qE '^  in  runaway.elf: [a-z_]+\+0x[0-9a-f]+$' stderr || fail "no function: $(cat stderr)"
# shellcheck disable=SC2086
expect_status 3 "$KNC_VP" run "$KNC_IMAGES/spaces.elf" $programs --quiet --cmdline stay=2 --set limits.max_cycles=200000
grep -qE '^  in  spaces_program2: work\+0x[0-9a-f]+$' stderr || fail "no program: $(cat stderr)"

# symbols_refused TEXT FILE: nothing is written.
symbols_refused() {
    file=$2
    refused "$1" "$KNC_VP" run "$KNC_IMAGES/hello.elf" --symbols "$file" --out refused
    [ ! -e refused ] || fail "$file: something was written"
}
printf 'text\n' >text
objcopy --strip-all "$KNC_IMAGES/spaces_program0" stripped
head -c 100 "$KNC_IMAGES/spaces_program0" >cut
symbols_refused 'missing: No such file' missing
symbols_refused 'text: not an ELF file' text
symbols_refused 'stripped: no symbols of functions' stripped
symbols_refused 'cut: ' cut
printf 'image = "%s"\nsymbols = "one"\n' "$KNC_IMAGES/hello.elf" >bad.toml
expect_status 2 "$KNC_VP" run bad.toml
expect_text stderr 'bad.toml:2: key symbols: a list of texts is wanted'
finish
