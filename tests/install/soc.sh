# soc.sh EXAMPLE PREFIX DIRECTORY PAGE COMPILER...: builds the example from the installed package with each compiler, by
# find_package(knc) in Release and by pkg-config in Debug. Each program checks itself, and prints what PAGE shows.
set -eu
example=$1 prefix=$2 directory=$3 page=$4
shift 4
rm -rf "$directory"
mkdir -p "$directory"
awk '/^## An example: / { here = 1 } here && /^```text$/ { on = 1; next } on && /^```/ { exit } on' "$page" >"$directory/shown"
[ -s "$directory/shown" ]
pc=$(find "$prefix" -name knc.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH

# run PROGRAM: it succeeds, and its transcript is the page's.
run() {
    "$1" >"$directory/printed" || { cat "$directory/printed"; exit 1; }
    diff "$directory/shown" "$directory/printed"
}

number=0
for compiler in "$@"; do
    [ -n "$compiler" ] || continue
    number=$((number + 1))
    build=$directory/$number
    cmake -S "$example" -B "$build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
    cmake --build "$build"
    run "$build/soc"
    # Not -O0: Clang then gives all jumps of the card's program their long form, and its times change.
    "$compiler" -std=c++17 -g -Og "$example/main.cpp" $(pkg-config --cflags --libs knc) -o "$build/soc_debug"
    run "$build/soc_debug"
done
