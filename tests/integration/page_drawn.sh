# report.html in a browser: the script draws all charts without an error, and names of the firmware are no script.
. "$(dirname "$0")/lib.sh"

# drawn NAME IMAGE [OPTIONS...]: the page of a run as the browser has it after its script, in NAME.dom.
drawn() {
    name=$1 image=$2
    shift 2
    rm -rf "$name" profile
    "$KNC_VP" run "$image" --out "$name" --quiet "$@" >stdout 2>stderr
    # A sandbox of its own is not for root, and containers have little shared memory.
    timeout 200 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$PWD/profile" \
        --enable-logging=stderr --dump-dom "file://$PWD/$name/report.html" >"$name.dom" 2>messages ||
        { fail "$name: the browser's exit status"; tail -5 messages; }
    rm -rf profile
    # Errors of scripts and of the content security policy are messages of the console.
    grep CONSOLE messages && fail "$name: messages"
    charts=$("$CHECK_PAGE" "$name") || fail "$name: numbers"
    grep -q "^<html [^>]*data-charts=\"$charts\"" "$name.dom" || { fail "$name: not $charts charts"; head -c 300 "$name.dom"; }
    # Two scripts, data and ours.
    [ "$(grep -o '<script[^>]*>' "$name.dom" | tr '\n' ' ')" = '<script type="application/json" id="data"> <script> ' ] ||
        fail "$name: scripts"
}

# A busy thread: the lines, the stacks, the interrupts. The picture says how strong its strongest colours are.
drawn one "$KNC_IMAGES/demo.elf"
grep -q 'The widest link carries 0.0[0-9]* %' one.dom || fail 'one: ring'
# Cores can be chosen.
drawn two "$KNC_IMAGES/gemm.elf" --cmdline 'cores=2 threads=4 columns=1 prefetch'
for n in 'the card' 'every core' 'core 0' 'core 1'; do
    grep -q "<option>$n</option>" two.dom || fail "two: no choice of $n"
done
# More than 32 threads: maps, with a choice of metrics.
drawn many "$KNC_IMAGES/hello.elf" --preset 7120p
grep -q '<option>CPI, unhalted clocks of the core per instruction</option>' many.dom || fail 'many: no choice of a metric'
# Nothing happened.
drawn none "$KNC_IMAGES/hello.elf" --set limits.max_cycles=1

# Names that would be markup and scripts.
evil=$(printf '</title><script>document.title="no"</script>&')
objcopy --strip-debug --redefine-sym "mix=$evil" "$KNC_IMAGES/sample_all.elf" '<script>alert(1)<!--.elf'
drawn evil '<script>alert(1)<!--.elf' --profile --cmdline 'fixed </script><b>'
grep -q '<title>&lt;script&gt;alert(1)&lt;!--.elf on mini</title>' evil.dom || fail 'evil: title'
finish
