# The demonstration: all 61 events counted, three sampled in ring 0 and ring 3 on 8 threads, and every
# number that perf printed is the model's.
. "$(dirname "$0")/lib.sh"

sed "s#\.\./\.\./build/linux#$KNC_LINUX#" "$KNC_SOURCE/sw/linux/demo.toml" >demo.toml
expect_status 0 "$KNC_VP" run demo.toml --out out
cat stdout stderr >said
expect_status 0 "$KNC_VP" list events
cp stdout events.txt
expect_status 0 "$KNC_SOURCE/sw/linux/compare" out/console.log out/report.json events.txt
expect_text stdout '61 events counted, each as the model'
# docs/linux.md shows what `./run linux` prints.
cat stdout >>said
rm -rf page
mkdir page
awk -v directory=page -f "$KNC_SOURCE/tests/guides/blocks.awk" "$KNC_SOURCE/docs/linux.md"
shown=$(grep -lx './run linux' page/*.command)
awk -f "$KNC_SOURCE/tests/guides/compare.awk" "${shown%.command}.expected" said || fail "docs/linux.md shows something else"
[ "$(grep -c ' 8 threads .* as the model' stdout)" -eq 6 ] || fail "not six sampled events"
# Each sample took an interrupt, and each thread took some.
for thread in 0 1 2 3 4 5 6 7; do
    column=$((thread + 2))
    interrupts=$(awk -v c=$column '$1 == "PMI:" { print $c }' out/console.log)
    samples=$(tr -d '\r' <out/console.log | awk -v t=$thread '$1 == t && NF == 6 && $6 ~ /:[uk]$/ { n += $2 } END { print n }')
    # Two counters can overflow in one interrupt.
    [ "$interrupts" -gt 0 ] && [ "$interrupts" -le "$samples" ] || fail "CPU $thread: $interrupts PMIs, $samples samples"
done

# A console in which one number was changed does not pass.
sed 's/^\( *3 .*[0-9]\)\( *INSTRUCTIONS_EXECUTED:u\)/\11\2/' out/console.log >changed
cmp -s changed out/console.log && fail "nothing was changed"
expect_status 1 "$KNC_SOURCE/sw/linux/compare" changed out/report.json events.txt
expect_text stdout 'counts differ'
finish
