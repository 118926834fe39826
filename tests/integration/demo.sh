# The demo: its profile agrees with the exact one, and every number that is given twice is the same.
. "$(dirname "$0")/lib.sh"

rm -rf out
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/demo.elf" --out out
expect_file out/console.log out/report.json out/report.txt out/samples.txt out/samples.folded
expect_status 0 "$CHECK_REPORT" out/report.json --sampled --largest-difference 2
expect_text out/report.txt 'largest difference of the shares'

# Folded stacks: IMAGE;FUNCTION COUNT, since knc_samples has no callers; as many samples as samples.txt has.
grep -qvE '^demo\.elf;[^; ]+ [0-9]+$' out/samples.folded && fail "not folded stacks: $(cat out/samples.folded)"
folded=$(awk '{ n += $2 } END { print n }' out/samples.folded)
listed=$(grep -c '^demo\.elf ' out/samples.txt)
[ "$folded" -eq "$listed" ] || fail "$folded samples folded, $listed listed"
[ "$folded" -gt 100 ] || fail "only $folded samples"

# README shows what the demo prints: every line but the host's time. Another compiler makes other images.
if [ "$(gcc -dumpversion)" = 12 ]; then
    sed "s#^image = .*#image = \"$KNC_IMAGES/demo.elf\"#" "$KNC_SOURCE/platform/scenarios/demo.toml" >demo.toml
    "$KNC_VP" run demo.toml --out shown >printed 2>&1
    awk '/^\$ \.\/run demo$/ { on = 1; next } /^```$/ { on = 0 } on && $0 != "..."' "$KNC_SOURCE/README.md" |
        sed 's/, [0-9.]* s on the host.*//' >transcript
    [ "$(wc -l <transcript)" -gt 10 ] || fail "README shows no transcript"
    while IFS= read -r line; do
        grep -qF -e "$line" printed || fail "the demo does not print what README shows: $line"
    done <transcript
fi
finish
