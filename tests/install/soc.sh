# soc.sh EXAMPLE PREFIX DIRECTORY PAGE KERNEL COMPILER...: builds the example from the installed package with each compiler, by
# find_package(knc) in Release and by pkg-config in Debug. Each program checks itself, and prints what PAGE shows; with KERNEL too.
set -eu
example=$1 prefix=$2 directory=$3 page=$4 kernel=$5
shift 5
rm -rf "$directory"
mkdir -p "$directory"
awk '/^## An example: / { here = 1 } here && /^```console$/ { on = 1; next } on && /^```/ { exit } on && !/^(\$ .*|\.\.\.)$/' "$page" >"$directory/shown"
[ -s "$directory/shown" ]
pc=$(find "$prefix" -name knc.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH

# run PROGRAM: it succeeds, and its transcript is the page's.
run() {
    "$1" >"$directory/printed" || { cat "$directory/printed"; exit 1; }
    diff "$directory/shown" "$directory/printed"
}
# run_with_kernel PROGRAM: the kernel runs on a third card, which changes nothing for the others.
run_with_kernel() {
    "$1" "$kernel" 'a line of the kernel' >"$directory/printed" || { cat "$directory/printed"; exit 1; }
    grep -q ' card2 *writes: a line of the kernel$' "$directory/printed"
    grep -v card2 "$directory/printed" | diff "$directory/shown" -
}

number=0
for compiler in "$@"; do
    [ -n "$compiler" ] || continue
    number=$((number + 1))
    build=$directory/$number
    cmake -S "$example" -B "$build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
    cmake --build "$build"
    run "$build/soc"
    run_with_kernel "$build/soc"
    # Not -O0: Clang then gives all jumps of the card's program their long form, and its times change.
    "$compiler" -std=c++17 -g -Og "$example/main.cpp" $(pkg-config --cflags --libs knc) -o "$build/soc_debug"
    run "$build/soc_debug"
done
