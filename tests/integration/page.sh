# report.html: well-formed, self-contained, complete, and the same for two runs of one input.
. "$(dirname "$0")/lib.sh"

# script FILE: what the page's script element has.
script() {
    sed -n '/^<script>\/\/<!\[CDATA\[$/,/^\/\/\]\]><\/script>$/p' "$1" | sed '1s/^<script>//; $s/<\/script>$//'
}

# page NAME IMAGE [OPTIONS...]: the run's page can be read as HTML and as XML, fetches nothing, permits no script
# but its own, is small, and was made quickly. Its numbers are those of report.json.
page() {
    name=$1 image=$2
    shift 2
    rm -rf "$name"
    "$KNC_VP" run "$image" --out "$name" --quiet "$@" >stdout 2>stderr
    html=$name/report.html
    expect_file "$html"
    xmllint --noout "$html" 2>lint || { fail "$html is not well-formed:"; head -5 lint; }
    xmllint --html --noout "$html" 2>&1 | grep 'error' |
        grep -vE 'Tag (header|main|nav|section|figure|figcaption|details|summary|svg|rect|path|text) invalid' >lint
    [ -s lint ] && { fail "$html is no HTML:"; head -5 lint; }
    # But for the script and the licence of the library: no address, no script, no file, no style sheet but its own.
    sed '/^<script>\/\/<!\[CDATA\[$/,/^\/\/\]\]><\/script>$/d; /Licence of Chart.js/,/<\/details>/d' "$html" >markup
    grep -nE '(https?:)?//|<link|<img|<iframe|<object|<base|<form|@import|url\(| src=| on[a-z]*=' markup >lint &&
        { fail "$html refers to something:"; head -5 lint; }
    [ "$(grep -o '<script[^>]*>' markup)" = '<script type="application/json" id="data">' ] ||
        fail "$html: scripts $(grep -o '<script[^>]*>' markup)"
    [ "$(grep -o ' href="[^"]*"' "$html" | grep -vc ' href="#')" -eq 0 ] || fail "$html links to another page"
    # The policy names the hash of the script, which has no newline at its end.
    hash=$(printf %s "$(script "$html")" | sha256sum | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64)
    policy="default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-$hash'"
    expect_text markup "<meta http-equiv=\"Content-Security-Policy\" content=\"$policy\"/>"
    [ "$(wc -c <"$html")" -lt 1000000 ] || fail "$html has $(wc -c <"$html") bytes"
    "$CHECK_PAGE" "$name" >charts 2>lint || { fail "$html: numbers"; head -5 lint; }
    # report.txt is written just before.
    stat -c '%.Y' "$name/report.txt" "$html" | awk -v html="$html" '
        NR == 1 { begin = $1 } NR == 2 { took = $1 - begin }
        END { printf "%s: made in %.0f ms\n", html, 1000 * took; exit took > 2 }' || fail "$html took too long"
    wc -c "$html"
}

# values XPATH: the texts of a page's elements, one in a line.
values() {
    xmllint --xpath "$1" "$html" 2>/dev/null | sed 's/<[^>]*>/\n/g' | sed '/^$/d'
}

# One thread: the numbers are those of report.txt and report.json.
page one "$KNC_IMAGES/demo.elf" --profile
for number in $(sed -n 's/^\([0-9]*\) clocks, .* simulated, \([0-9]*\) instructions.*/\1 \2/p' one/report.txt); do
    values '//section[@id="outcome"]//b' | tr -d , | grep -qx "$number" || fail "one: $number is missing"
done
# The table of counts over time adds up to the totals, as the charts do.
sum() {
    values "//section[@id=\"history\"]//tbody/tr/td[$1]" | awk '{ n += $1 } END { printf "%d\n", n }'
}
[ "$(sum 1)" = "$(sed -n 's/^  "instructions": \([0-9]*\),$/\1/p' one/report.json | head -1)" ] || fail "one: instructions over time"
[ "$(sum 3)" = "$(sed -n '/"phases"/,$ s/^ *"L1MISS": \([0-9]*\),$/\1/p' one/report.json | head -1)" ] ||
    fail "one: L1 misses over time"
rows=$(values '//section[@id="history"]//tbody/tr/th' | wc -l)
[ "$rows" -gt 32 ] && [ "$rows" -le 64 ] || fail "one: $rows rows over time"
# Each function of the profiles.
sed -n '/"functions"/,/\]/s/^ *"name": "\(.*\)",$/\1/p' one/report.json >expected
values '//table[thead/tr/th[1]="function"]/tbody/tr/th' >found
[ "$(wc -l <expected)" -gt 10 ] || fail 'one: few functions'
sort -u expected >expected.sorted
sort -u found | cmp -s - expected.sorted || { fail 'one: functions'; sort -u found | diff - expected.sorted; }
# A flame graph: the widest frame is the image with all samples, each function of the stacks has a frame or is
# too narrow.
all=$(awk '{ n += $NF } END { print n }' one/samples.folded)
values '//svg[@class="flame"]/svg/title' >titles
grep -qx "demo.elf: $all of $all, 100.00 %" titles || { fail 'one: flame graph'; cat titles; }
while read -r stack weight; do
    case $stack in *';'*';'*) continue ;; esac
    grep -q "^${stack##*;}: $weight of $all, " titles || fail "one: $stack $weight has no frame"
done <one/samples.folded
# Skid: the table has the interrupts that report.txt has, bin by bin.
sed -n '/^skid/,/^$/s/^ *total //p' one/report.txt | grep -o ': [0-9]*' | cut -c 3- >expected
values '//section[@id="skid"]//tbody/tr/td[position() > 4]' >found
cmp -s found expected || { fail 'one: skid'; diff found expected; }
# Metrics: as many phases as the run has, marked values where report.txt marks them.
phases=$(grep -c '^   "from": "' one/report.json)
[ "$(values '//section[@id="metrics"]//thead/tr/th[@class="n"]' | wc -l)" -eq $((2 * phases)) ] ||
    fail "one: not $phases phases"
sed -n '/^metrics of the card/,/^$/p' one/report.txt | sed 1d | awk '/!/ { print $1 }' >expected
values '//section[@id="metrics"]//tr[td[contains(@class, "mark")]]/th' >found
cmp -s found expected || { fail 'one: marked metrics'; diff found expected; }

# Twice the same.
page again "$KNC_IMAGES/demo.elf" --profile --set sim.quantum=77
cmp one/report.html again/report.html || fail 'the quantum matters'

# A whole card: a heat map of 244 threads, rows for all threads, several events.
page card "$KNC_IMAGES/sample_all.elf" --preset 7120p --cmdline 'last=243 load=24000'
[ "$(values '//table[thead//th="thread"][thead//th="IPC"]/tbody/tr/th' | wc -l)" -eq 244 ] || fail 'card: threads'
[ "$(values '//table[thead//th="core"][thead//th="IPC"]/tbody/tr/th' | wc -l)" -eq 61 ] || fail 'card: cores'
[ "$(values '//section[@id="threads"]//figure[1]//rect/title' | wc -l)" -eq 244 ] || fail 'card: heat map'
[ "$(values '//section[@id="skid"]//tbody/tr/th' | wc -l)" -eq 244 ] || fail 'card: skid'
[ "$(grep -c '^<svg class="flame"' card/report.html)" -eq 2 ] || fail 'card: not a flame graph for each event'
# Instructions of a thread in the heat map are those of the report.
sed -n '/"markers"/q; s/^   "instructions": \([0-9]*\),/\1/p' card/report.json >expected
values '//section[@id="threads"]//figure[1]//rect/title' | sed 's/.*: //' >found
cmp -s found expected || { fail 'card: instructions'; diff found expected | head -5; }

# Thread 2 of tile 5 has the third row, 22 pixels high, of the sixth of 61 columns: 5 * 100 / 61 percent. The
# thread with the most instructions has the full colour.
grep '<title>thread 5\.2: ' card/report.html | head -1 | grep -q 'x="8.197%" y="44" width="1.639%" height="22"' ||
    fail 'card: place of a thread'
[ "$(values '//section[@id="threads"]//figure[1]//text' | tr '\n' ' ')" = '0 10 20 30 40 50 60 ' ] || fail 'card: labels'
grep "<title>thread [0-9.]*: $(sort -n expected | tail -1)</title>" card/report.html | head -1 |
    grep -q 'fill-opacity="1.000"' || fail 'card: the full colour'
# Lines of the memory controllers are the GB of report.txt.
sed -n 's/^ *MEM[0-9]* | *\([0-9.]*\) | *\([0-9.]*\) |$/\1\n\2/p' card/report.txt >expected
values '//table[thead/tr/th[1]="controller"]/tbody/tr/td[position() < 3]' | awk '{ printf "%.6f\n", 64e-9 * $1 }' >found
[ -s expected ] && cmp -s found expected || { fail 'card: memory'; diff found expected; }
# The marks of cores and threads are those of report.json, of the first phase.
expected=$(awk '/^ "phases"/ { on = 1 } on && /^  }/ { exit } on && /^      "CPI",?$/ { ++n } END { print n + 0 }' \
    card/report.json)
found=$(grep -c '<td class="n b mark"' card/report.html)
[ "$expected" -gt 61 ] && [ "$found" -eq "$expected" ] || fail "card: $found marks, $expected expected"

# Counts go on across a warm reset of the card.
page reset "$KNC_IMAGES/card_reset.elf"

# No samples, a run that ends badly, a hint.
page limit "$KNC_IMAGES/hello.elf" --set limits.max_cycles=1000
expect_text limit/report.html 'time limit reached'
expect_text limit/report.html 'rip'
grep -q 'id="hot"' limit/report.html && fail 'limit: hot spots of nothing'
page stuck "$KNC_IMAGES/pmu_stuck.elf"
values '//section[@id="outcome"]//li' | grep -q '^thread 0.0: overflows caused no interrupt' || fail 'stuck: no hint'

# Names that are markup, or no text.
evil=$(printf '</title><script>alert(1)</script>&\377\033')
objcopy --strip-debug --redefine-sym "mix=$evil" "$KNC_IMAGES/sample_all.elf" evil.elf
mv evil.elf '<script>alert(1)<!--&.elf'
page evil '<script>alert(1)<!--&.elf' --profile --cmdline 'fixed <b>&"'
expect_text evil/report.html '"image":"\u003cscript\u003ealert(1)\u003c!--\u0026.elf"'
expect_text evil/report.html '&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;__'
finish
