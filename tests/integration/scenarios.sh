# Every scenario of platform/scenarios holds.
. "$(dirname "$0")/lib.sh"

for scenario in "$KNC_SOURCE"/platform/scenarios/*.toml; do
    name=$(basename "$scenario" .toml)
    sed "s#^image = .*/#image = \"$KNC_IMAGES/#" "$scenario" >"$name.toml"
    expect_status 0 "$KNC_VP" run "$name.toml" --out "out/$name" --quiet
    expect_text "out/$name/report.txt" 'pass '
done
finish
