# report.html in a browser: the script draws all charts without an error, and names of the firmware are no script.
. "$(dirname "$0")/lib.sh"

# browse PAGE NAME: the page as the browser has it after its scripts, in NAME.dom; what the browser says, in NAME.log.
browse() {
    rm -rf profile
    # A sandbox of its own is not for root, and containers have little shared memory.
    timeout 200 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$PWD/profile" \
        --enable-logging=stderr --dump-dom "file://$PWD/$1" >"$2.dom" 2>"$2.log" ||
        { fail "$2: the browser's exit status"; tail -5 "$2.log"; }
    rm -rf profile
}

# drawn NAME IMAGE [OPTIONS...]: the page of a run draws its charts.
drawn() {
    name=$1 image=$2
    shift 2
    rm -rf "$name"
    "$KNC_VP" run "$image" --out "$name" --quiet "$@" >stdout 2>stderr
    browse "$name/report.html" "$name"
    # Errors of scripts and of the content security policy are messages of the console.
    grep CONSOLE "$name.log" && fail "$name: messages"
    charts=$("$CHECK_PAGE" "$name") || fail "$name: numbers"
    grep -q "^<html [^>]*data-charts=\"$charts\"" "$name.dom" || { fail "$name: not $charts charts"; head -c 300 "$name.dom"; }
    # Two scripts, data and ours.
    [ "$(grep -o '<script[^>]*>' "$name.dom" | tr '\n' ' ')" = '<script type="application/json" id="data"> <script> ' ] ||
        fail "$name: scripts"
}

# used NAME: a copy of the page with a script that chooses everything that can be chosen, points at everything that
# can be pointed at, and clicks on each frame, one after the other; without the policy, which forbids that script.
used() {
    {
        sed '/^<meta http-equiv="Content-Security-Policy"/d; /^<\/body>$/,$d' "$1/report.html"
        cat <<'END'
<script>
let uses = 0;
const use = (on, event) => { on.dispatchEvent(event); ++uses; };
for (const box of document.querySelectorAll("select"))
  for (let n = box.options.length - 1; n >= 0; --n) { box.selectedIndex = n; use(box, new Event("change")); }
for (const canvas of document.querySelectorAll("canvas")) {
  const at = canvas.getBoundingClientRect();
  for (const x of [0.1, 0.5, 0.9])
    use(canvas, new MouseEvent("mousemove", { clientX: at.left + x * at.width, clientY: at.top + at.height / 2, bubbles: true }));
}
for (const graph of document.querySelectorAll("svg.flame"))
  for (const frame of [...graph.querySelectorAll("svg")].reverse()) use(frame, new MouseEvent("click", { bubbles: true }));
document.documentElement.dataset.uses = uses;
</script>
</body>
</html>
END
    } >"$1/used.html"
    browse "$1/used.html" "$1.used"
    grep CONSOLE "$1.used.log" && fail "$1: messages while it is used"
    uses=$(sed -n 's/^<html [^>]*data-uses="\([0-9]*\)".*/\1/p' "$1.used.dom")
    [ "${uses:-0}" -gt "$2" ] || fail "$1: used $uses times"
}

# A busy thread: the lines, the stacks, the interrupts. The picture says how strong its strongest colours are.
drawn one "$KNC_IMAGES/demo.elf"
grep -q 'The widest link carries 0.0[0-9]* %' one.dom || fail 'one: ring'
used one 50
# The last click was on the lowest frame: the others are as wide as they were.
frame() {
    grep -o '<svg x="[^"]*" y="[^"]*" width="[^"]*"[^>]*><title>crc32: [^<]*' "$1" | sed 's/.* width="\([0-9.]*\)%.*<title>/\1 /'
}
frame one.dom | grep -q . || fail 'one: no frame'
[ "$(frame one.used.dom | awk '{ printf "%.2f", $1 }')" = "$(frame one.dom | awk '{ printf "%.2f", $1 }')" ] ||
    fail "one: frame $(frame one.used.dom) instead of $(frame one.dom)"
# Cores can be chosen.
drawn two "$KNC_IMAGES/gemm.elf" --cmdline 'cores=2 threads=4 columns=1 prefetch'
for n in 'the card' 'every core' 'core 0' 'core 1'; do
    grep -q "<option>$n</option>" two.dom || fail "two: no choice of $n"
done
used two 40
# More than 32 threads: maps, with a choice of metrics.
drawn many "$KNC_IMAGES/hello.elf" --preset 7120p
grep -q '<option>CPI, unhalted clocks of the core per instruction</option>' many.dom || fail 'many: no choice of a metric'
used many 100
# Nothing happened.
drawn none "$KNC_IMAGES/hello.elf" --set limits.max_cycles=1

# Names that would be markup and scripts.
evil=$(printf '</title><script>document.title="no"</script>&')
objcopy --strip-debug --redefine-sym "mix=$evil" "$KNC_IMAGES/sample_all.elf" '<script>alert(1)<!--.elf'
drawn evil '<script>alert(1)<!--.elf' --profile --cmdline 'fixed </script><b>'
grep -q '<title>&lt;script&gt;alert(1)&lt;!--.elf on mini</title>' evil.dom || fail 'evil: title'

# A script that is not ours does not run, and the browser says so.
sed 's/^<main>$/<main><script>document.documentElement.dataset.charts = "none"<\/script>/' one/report.html >one/other.html
grep -q '^<main><script>' one/other.html || fail 'other: no script'
browse one/other.html other
grep -q 'CONSOLE.*Content Security Policy' other.log || fail 'other: the policy permits it'
grep -q '^<html [^>]*data-charts="12"' other.dom || { fail 'other: charts'; head -c 300 other.dom; }
finish
