# pages.awk README.md docs/*.md: what all pages have in common. Exit status 1, and a line for each thing that is
# wrong: a link that leads nowhere, a block that does not say what it is, a list that only some viewers show, a page
# that is not in the site's navigation (variable nav: its file) or to which no other page links.
function wrong(text) { print FILENAME ":" FNR ": " text; bad = 1 }
# The name of a heading, as GitHub makes it, and the site.
function anchor(heading) {
    sub(/^#+ +/, "", heading)
    heading = tolower(heading)
    gsub(/\[|\]\([^)]*\)/, "", heading)
    gsub(/[^a-z0-9 _-]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}
function page_of(target, from) {
    if (target == "") return from
    if (from == "README.md") return target
    if (sub(/^\.\.\//, "", target)) return target
    return "docs/" target
}
FNR == 1 {
    page = FILENAME
    sub(/^.*\/docs\//, "docs/", page)
    sub(/^.*\/README\.md$/, "README.md", page)
    pages[page]
    block = ""
    previous = ""
    list = 0
    if (FILENAME ~ /README/) { root = FILENAME; sub(/README\.md$/, "", root) }
}
/^ *```/ {
    if (block == "") {
        block = $0
        sub(/^ *```/, "", block)
        if (block !~ /^(sh|console|text|c|cpp|cmake|toml|mermaid)$/) wrong("a block of what? sh, console, text, c, cpp, cmake, toml, mermaid")
        if (block == "") block = "?"
    } else block = ""
    previous = $0
    next
}
block != "" { next }
/^    / && previous == "" && !list { wrong("a block by indentation: nobody says what it is") }
/^(- |[0-9]+\. )/ && previous != "" && !list { wrong("a list needs an empty line before it") }
# A list ends with a line at the margin behind an empty one.
/^(- |[0-9]+\. )/ { list = 1 }
list && /^[^ ]/ && !/^(- |[0-9]+\. )/ && previous == "" { list = 0 }
/^#/ { anchors[page "#" anchor($0)] }
{
    line = $0
    gsub(/`[^`]*`/, "", line)
    while (match(line, /\]\([^)]*\)/)) {
        link = substr(line, RSTART + 2, RLENGTH - 3)
        line = substr(line, RSTART + RLENGTH)
        if (link ~ /^https?:/) continue
        links[++number] = link
        where[number] = page
        at[number] = FILENAME ":" FNR
    }
    previous = $0
}
END {
    for (n = 1; n <= number; ++n) {
        target = links[n]
        fragment = ""
        if (match(target, /#.*/)) { fragment = substr(target, RSTART); target = substr(target, 1, RSTART - 1) }
        target = page_of(target, where[n])
        if (target != where[n]) linked[target]
        if (target !~ /\.md$/) {
            if ((getline line <(root target)) < 0) { print at[n] ": there is no " target; bad = 1 }
            continue
        }
        if (!(target in pages)) { print at[n] ": there is no page " target; bad = 1 }
        else if (fragment != "" && !((target fragment) in anchors)) { print at[n] ": " target " has no heading " fragment; bad = 1 }
    }
    while ((getline line <nav) > 0) if (match(line, /: [a-z_0-9\/]*\.md$/)) listed["docs/" substr(line, RSTART + 2)]
    for (page in pages) {
        if (page == "README.md") continue
        if (!(page in linked)) { print page ": no page links to it"; bad = 1 }
        if (!(page in listed)) { print page ": not in the navigation of " nav; bad = 1 }
    }
    exit bad
}
