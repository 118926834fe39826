# Damaged images and scenarios: status 2, or a run with an ordinary ending; never a crash.
. "$(dirname "$0")/lib.sh"

cat >scenario.toml <<END
image = "image.elf"
[limits]
max_cycles = 200000
[[expect]]
name = "n"
event = "BRANCHES"
min = 1
END
seed=1 refused=0
while [ $seed -le 60 ]; do
    cp "$KNC_IMAGES/hello.elf" image.elf
    cp scenario.toml damaged.toml
    # Bytes of the ELF and Multiboot headers in most rounds, of code and tables in the others.
    awk -v seed=$seed -v size="$(wc -c <image.elf)" 'BEGIN {
        srand(seed)
        for (n = 0; n < 6; ++n)
            print int(rand() * (seed % 3 ? 300 : size)), sprintf("%o", int(rand() * 256))
    }' | while read -r offset byte; do
        printf "\\$byte" | dd of=image.elf bs=1 seek="$offset" conv=notrunc 2>/dev/null
    done
    [ $((seed % 4)) -ne 0 ] || awk -v seed=$seed 'BEGIN { srand(seed) } {
        at = int(rand() * length($0)) + 1
        print substr($0, 1, at - 1) sprintf("%c", 33 + int(rand() * 90)) substr($0, at + 1)
    }' scenario.toml >damaged.toml
    status=0
    timeout 60 "$KNC_VP" run damaged.toml --quiet >stdout 2>stderr || status=$?
    [ $status -le 3 ] || fail "seed $seed: exit status $status"
    [ $status -ne 2 ] || [ "$(wc -l <stderr)" -eq 1 ] || fail "seed $seed: not one line: $(cat stderr)"
    [ $status -ne 2 ] || refused=$((refused + 1))
    seed=$((seed + 1))
done
# Else the damage was none, or left nothing to run.
[ $refused -gt 10 ] && [ $refused -lt 60 ] || fail "$refused of 60 refused"
# A file name and a command line that are no UTF-8: the report has them with the character for what cannot be shown.
odd=$(printf 'odd\377.elf')
cp "$KNC_IMAGES/hello.elf" "$odd"
expect_status 0 "$KNC_VP" run "$odd" --cmdline "$(printf 'a=\200')" --out odd --quiet
expect_status 0 "$CHECK_REPORT" odd/report.json
expect_text odd/report.json "$(printf 'odd\357\277\275.elf')"
finish
