# The site of ./run docs, without Doxygen's part: mkdocs has no warning, every page is there, and every link between
# pages leads to a file, and to a heading if it names one.
. "$(dirname "$0")/lib.sh"
rm -rf site pages
cp "$KNC_BUILD/docs/mkdocs.all.yml" .
expect_status 0 sh "$KNC_SOURCE/docs/site/build.sh" "$KNC_SOURCE" "$KNC_VP" "$PWD/site"
[ ! -s stdout ] && [ ! -s stderr ] || { fail "not silent:"; cat stdout stderr; }

for page in "$KNC_SOURCE"/docs/*.md; do
    expect_file "site/$(basename "$page" .md).html"
done
expect_file site/index.html site/search/search_index.js

# What the pages are linked to. Doxygen's pages come later, and 404.html is for servers.
find site -name '*.html' ! -name 404.html | sort >files
xargs awk '
    FNR == 1 { folder = FILENAME; sub(/[^\/]*$/, "", folder) }
    {
        line = $0
        while (match(line, / (href|src)="[^"]*"/)) {
            link = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            gsub(/^[^"]*"|"$/, "", link)
            if (link ~ /^(https?|data|mailto|javascript):/ || link ~ /^\/\// || link ~ /interfaces\/index.html$/) continue
            file = FILENAME
            if (link !~ /^#/) { file = link; sub(/#.*/, "", file); file = folder file }
            fragment = link ~ /#/ ? link : ""
            sub(/^[^#]*/, "", fragment)
            while (sub(/[^\/]+\/\.\.\//, "", file)) {}
            sub(/\/$/, "/index.html", file)
            print FILENAME, file, fragment
        }
    }' <files | sort -u >links
xargs grep -oH ' id="[^"]*"' <files | sed -e 's/: id="/#/' -e 's/"$//' | sort -u >ids
[ "$(wc -l <links)" -gt 1000 ] || fail "few links: $(wc -l <links)"
find site -type f | sort >all
awk '
    FILENAME == "all" { there[$0]; next }
    FILENAME == "ids" { id[$0]; next }
    !($2 in there) { print $1 ": there is no " $2 }
    $2 in there && $3 != "" && $3 != "#" && $3 !~ /^#__/ && !(($2 $3) in id) { print $1 ": " $2 " has no " $3 }
' all ids links >dead
[ ! -s dead ] || { fail "links that lead nowhere:"; cat dead; }
# Nothing comes from elsewhere.
grep -rlE '(src|<link[^>]* href)="(https?:)?//' site --include='*.html' | grep . && fail "something comes from elsewhere"

# Search finds names with dots and underscores, of pages that were opened as files too.
for word in apic.lvtpc_automask INSTRUCTIONS_EXECUTED sim.quantum; do
    grep -q "$word" site/search/search_index.js || fail "the search does not know $word"
done
finish
