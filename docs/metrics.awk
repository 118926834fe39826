# Makes the table of docs/monitor.md from `knc-vp list metrics`.
function flush_row() {
    if (name != "") printf "| %s | %s | %s | %s |\n", name, meaning, formula, limit
}
BEGIN {
    print "| metric | meaning | formula | deserves a closer look |"
    print "|---|---|---|---|"
}
/^ += / { sub(/^ +=  */, ""); formula = $0; next }
/^ +! / { sub(/^ +!  */, ""); limit = $0; next }
{
    flush_row()
    name = $1
    sub(/^[^ ]+ +/, "")
    meaning = $0
    limit = ""
}
END { flush_row() }
