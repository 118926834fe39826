# The scenarios as a whole: the list, the page that describes them, and what an expectation that
# does not hold looks like. Each of them is a test of its own (scenario.sh).
. "$(dirname "$0")/lib.sh"

scenarios=$KNC_SOURCE/platform/scenarios
number=$(ls "$scenarios"/*.toml | wc -l)

expect_status 0 "$KNC_VP" list scenarios
cp stdout list
[ "$(wc -l <list)" -eq $((number + 1)) ] || fail "$number scenarios and a heading expected"
# The heading says how to run them.
directory=$(sed -n '1s#^knc-vp run \(.*\)/NAME.toml$#\1#p' list)
for file in "$scenarios"/*.toml; do
    name=$(basename "$file" .toml)
    expect_file "$directory/$name.toml"
    image=$(sed -n 's#^image = ".*/\(.*\)\.elf"#\1#p' "$file")
    description=$(sed -n 's/^description = "\(.*\)"$/\1/p' "$file")
    [ -n "$description" ] || fail "$name has no description"
    grep -Eq "^$name +$image +$description\$" list || fail "$name, $image and '$description' are not in the list"
    grep -q "^##* \`$name\`" "$KNC_SOURCE/docs/scenarios.md" || fail "docs/scenarios.md has no section on $name"
    # A waveform needs a directory.
    if grep -q '^\[trace\]' "$file"; then
        expect_status 2 "$KNC_VP" run "$directory/$name.toml"
        expect_text stderr '--out'
    fi
done

# The program finds them by its own place; what is wrong there has a name.
mkdir -p alone/bin
cp "$KNC_VP" alone/bin/knc-vp
rm -rf alone/share
expect_status 2 alone/bin/knc-vp list scenarios
expect_text stderr 'alone/share/knc/scenarios: No such file or directory'
mkdir -p alone/share/knc/scenarios
expect_status 0 alone/bin/knc-vp list scenarios
[ "$(wc -l <stdout)" -eq 1 ] || fail "a heading expected"
echo 'colour =' >alone/share/knc/scenarios/bad.toml
expect_status 2 alone/bin/knc-vp list scenarios
expect_text stderr 'alone/share/knc/scenarios/bad.toml:1: '

# One interrupt more than there are.
sed 's/^equals = 10$/equals = 11/; s#^image = "#&'"$directory"'/#' "$directory/pmi.toml" >wrong.toml
expect_status 1 "$KNC_VP" run wrong.toml --out wrong --quiet
expect_text wrong/report.txt 'FAIL interrupts (actual: 10)'
expect_text wrong/report.txt 'pass instructions at ring 3 (actual: 10008)'

# A phase whose mark never comes, and a metric that divides by zero.
cat >phase.toml <<EOF
image = "$KNC_IMAGES/hello.elf"
[[expect]]
name = "a phase"
count = "instructions"
from = 7
min = 0
[[expect]]
name = "a ratio"
metric = "VPI"
min = 0
EOF
expect_status 1 "$KNC_VP" run phase.toml --out phase --quiet
expect_text phase/report.txt 'FAIL a phase (actual: "no mark 7")'
expect_text phase/report.txt 'FAIL a ratio (actual: "division by zero")'
expect_status 0 "$CHECK_REPORT" phase/report.json
finish
