# sweep.html in a browser: the script draws the chart and sorts the table without an error, and values are no script.
. "$(dirname "$0")/lib.sh"

rm -rf ./*.sweep profile
cp "$KNC_IMAGES/hello.elf" .
cat >drawn.toml <<'END'
description = '</title><script>document.title="no"</script>&'
image = "hello.elf"
columns = ["BRANCHES"]
[limits]
max_cycles = 10_000_000
[[axis]]
key = "cmdline"
values = ["a", '</script><script>document.title="no"</script>']
[[axis]]
key = "core.event_entry_cycles"
values = [9, 10, 100]
END
expect_status 0 "$KNC_VP" sweep drawn.toml --engine local
html=drawn.sweep/sweep.html
xmllint --noout "$html" 2>lint || { fail "$html is not well-formed:"; head -5 lint; }
# But for the script and the licence of the library: no address, and no link but to the pages of the runs.
sed '/^<script>\/\/<!\[CDATA\[$/,/^\/\/\]\]><\/script>$/d; /Licence of Chart.js/,/<\/details>/d' "$html" >markup
grep -nE '(https?:)?//|<link|<img|<iframe|<object|<base|<form|@import|url\(| src=| on[a-z]*=' markup >lint &&
    { fail "$html refers to something:"; head -5 lint; }
grep -o 'href="[^"]*"' markup | sed 's/href="//; s/"$//' >links
[ "$(tr '\n' ' ' <links)" = "$(seq -f 'runs/%03g/report.html' 6 | tr '\n' ' ')" ] || { fail 'links'; cat links; }
while read -r link; do expect_file "drawn.sweep/$link"; done <links

# browse FILE: its page after its script, in dom.
browse() {
    rm -rf profile
    # A sandbox of its own is not for root, and containers have little shared memory.
    timeout 200 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$PWD/profile" \
        --enable-logging=stderr --dump-dom "file://$PWD/$1" >dom 2>messages ||
        { fail "$1: the browser's exit status"; tail -5 messages; }
    rm -rf profile
    grep CONSOLE messages && fail "$1: messages"
}
# The axis with most values is along; the first choice is the chosen column.
browse "$html"
grep -q '^<html [^>]*data-charts="1"' dom || { fail 'no chart'; head -c 300 dom; }
grep -q '<title>&lt;/title&gt;&lt;script&gt;document.title="no"&lt;/script&gt;&amp;</title>' dom || fail 'the title'
[ "$(grep -o '<script[^>]*>' dom | tr '\n' ' ')" = '<script type="application/json" id="data"> <script> ' ] || fail 'scripts'
[ "$(grep -o '<option>[^<]*</option>' dom | sed 's/<[^>]*>//g' | tr '\n' ' ')" = \
    'cycles instructions BRANCHES cmdline core.event_entry_cycles ' ] || { fail 'choices'; grep -o '<option>[^<]*</option>' dom; }

# The same page with a script that clicks on the head of the second key: numbers are sorted as numbers, down the
# second time.
clicks='const h = document.querySelectorAll("#runs thead th")[2], order = () => [...document.querySelectorAll("#runs tbody th")].map((e) => e.textContent).join("");
h.click(); const up = order(); h.click(); document.title = up + " " + order();'
sed '/Content-Security-Policy/d; s#^</body>$##; s#^</html>$##' "$html" >clicked.html
printf '<script>%s</script>\n</body></html>\n' "$clicks" >>clicked.html
browse clicked.html
# Runs of equal values stay in their order.
grep -q '<title>142536 362514</title>' dom || { fail 'sorting'; grep '<title>' dom; }

# Twice the same page, whatever the number of jobs.
expect_status 0 "$KNC_VP" sweep drawn.toml --out again.sweep --engine local --jobs 1
cmp "$html" again.sweep/sweep.html || fail 'two pages of one sweep'
finish
