# Every command the README and docs/ show in a block marked ```sh works. It runs in the source tree
# as the reader would run it; building and testing, which are what runs this, are left out.
. "$(dirname "$0")/lib.sh"

# The commands speak of build/release and out/.
rm -rf tree
mkdir -p tree/build
ln -s "$KNC_SOURCE"/* tree/ 2>/dev/null
rm -f tree/build tree/out
mkdir -p tree/build tree/out
ln -s "$KNC_BUILD" tree/build/release

for page in "$KNC_SOURCE"/README.md "$KNC_SOURCE"/docs/*.md; do
    [ -e "$page" ] || continue
    awk '/^```sh$/ { on = 1; next } /^```/ { if (on) print "# end"; on = 0 } on' "$page" >commands
    [ -s commands ] || continue
    grep -vE '^(\./run|git clone|cd |sudo|gtkwave|cmake|ctest|pkg-config|\.ci/)' commands >block
    (
        cd tree || exit 1
        PATH="$KNC_BUILD/bin:$PATH" sh -e ../block >../stdout 2>../stderr </dev/null
    ) || { fail "a command of $page fails:"; cat block; tail -5 stderr; }
done

# usage.md names every field of the report; those of events are their own documentation.
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/demo.elf" --out fields --quiet
for field in $(sed -n 's/^ *"\([a-z_]*\)":.*/\1/p' fields/report.json | sort -u); do
    grep -q "\"$field\"" "$KNC_SOURCE/docs/usage.md" || fail "usage.md does not name the field $field"
done

# The scenario that usage.md shows holds for the image it names.
awk '/^```toml$/ { on = 1; next } /^```/ { on = 0 } on' "$KNC_SOURCE/docs/usage.md" >shown.toml
cp "$KNC_IMAGES/hello.elf" .
expect_status 0 "$KNC_VP" run shown.toml --out out
expect_text out/report.txt 'pass ends well'
finish
