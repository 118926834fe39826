# What README.md and docs/ say is true. Their commands work, and print what the pages show: tests/guides/follow runs
# them in a tree like the reader's; building and testing, which are what runs this, are left out.
. "$(dirname "$0")/lib.sh"

# The commands speak of build/release and out/.
rm -rf tree
mkdir -p tree/build tree/out
for part in "$KNC_SOURCE"/*; do
    case ${part##*/} in build | out) ;; *) ln -s "$part" tree/ ;; esac
done
ln -s "$KNC_BUILD" tree/build/release
(cd tree && PATH="$PATH:/usr/sbin:/sbin" tests/guides/follow --quick) || fail "a page is not true"

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
