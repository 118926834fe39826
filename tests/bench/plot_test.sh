# The plot has a curve for each workload, with a point for each measurement.
set -eu
command -v gnuplot >/dev/null || { echo "no gnuplot"; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# point NAME VALUE
point() {
    printf '    {\n      "name": "%s/knc-vp/iterations:1/manual_time",\n      "MIPS": 1.0,\n      "host/guest": %s\n    },\n' "$1" "$2"
}
for size in 1 61; do
    point "mix, $size tiles" 2.5e+02
    point "stream, $size tiles" 8.0e+03
done >"$directory/all.json"
point "chase, 16 KB" 3.0e+02 >>"$directory/all.json"
"$(dirname "$0")/plot" "$directory/all.json" "$directory/all.svg"
for name in mix stream chase; do grep -q "$name" "$directory/all.svg" || { echo "no curve of $name"; exit 1; }; done
# gnuplot writes the symbol once, and uses it for each of 5 points and in 3 legends.
points=$(grep -c "gpPt6" "$directory/all.svg")
[ "$points" -eq 9 ] || { echo "$points points"; exit 1; }
