# A page as mkdocs wants it: diagrams taken out (to PICTURES/NAME-N.mermaid) and shown as pictures, and in
# tables no backslash before the bar of a code span, which GitHub needs and Python's Markdown shows.
function unescaped(line,    part, n, i, result) {
    n = split(line, part, "`")
    for (i = 1; i <= n; ++i) {
        if (i % 2 == 0) gsub(/\\\|/, "|", part[i])
        result = result (i > 1 ? "`" : "") part[i]
    }
    return result
}
/^```mermaid$/ {
    diagram = pictures "/" name "-" ++diagrams ".mermaid"
    print "![Diagram](pictures/" name "-" diagrams ".svg)"
    next
}
diagram && /^```$/ { close(diagram); diagram = ""; next }
diagram { print >diagram; next }
/^```/ { code = !code }
!code && /^ *\|/ { $0 = unescaped($0) }
{ print }
