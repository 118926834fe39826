# A flowchart of Mermaid as input of Graphviz. What the pages use of the language: flowchart TB or LR,
# name["text"], subgraph name ["text"] to end, and arrows a --> b, a <--> b, a -- "text" --> b, also to subgraphs.
function text(t) {
    gsub(/"/, "", t)
    gsub(/<br\/?>/, "\\n", t)
    gsub(/<[^>]*>/, "", t)
    return t
}
function node(line,    name) {
    name = line
    sub(/\[.*/, "", name)
    if (line ~ /\[/) {
        sub(/^[^[]*\[/, "", line)
        sub(/\]$/, "", line)
        printf "    %s [label=\"%s\"]\n", name, text(line)
        if (group != "" && !(group in first)) first[group] = name
    }
    return name
}
# The attribute that lets an arrow end at a subgraph; the arrow itself goes to a node of it.
function edge(from, to, label, both,    more) {
    if (from in first) { more = more ", ltail=cluster_" from; from = first[from] }
    if (to in first) { more = more ", lhead=cluster_" to; to = first[to] }
    printf "    %s -> %s [label=\"%s\"%s%s]\n", from, to, text(label), both ? ", dir=both" : "", more
}
BEGIN {
    print "digraph picture {"
    print "    compound=true; bgcolor=transparent; fontname=\"sans-serif\"; fontsize=11; pad=0.2; nodesep=0.35"
    print "    node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef1fa\", color=\"#7986cb\", fontname=\"sans-serif\", fontsize=11]"
    print "    edge [color=\"#5c6bc0\", arrowsize=0.7, fontname=\"sans-serif\", fontsize=9, fontcolor=\"#5c6bc0\"]"
}
{ sub(/^ +/, ""); sub(/ +$/, "") }
/^flowchart/ { print "    rankdir=" $2; next }
/^subgraph / {
    sub(/^subgraph +/, "")
    group = $0
    sub(/ *\[.*/, "", group)
    label = $0
    sub(/^[^[]*\[/, "", label)
    sub(/\]$/, "", label)
    printf "    subgraph cluster_%s {\n    label=\"%s\"; style=rounded; color=\"#9fa8da\"; fontcolor=\"#5c6bc0\"\n", group, text(label)
    next
}
/^end$/ { print "    }"; group = ""; next }
/-->/ {
    split($0, side, / *-->+ */)
    left = side[1]
    label = ""
    if (match(left, / +<?-- +/)) {
        label = substr(left, RSTART + RLENGTH)
        both = substr(left, RSTART, RLENGTH) ~ /</
        left = substr(left, 1, RSTART - 1)
    } else both = sub(/ *<$/, "", left)
    edge(node(left), node(side[2]), label, both)
    next
}
NF { node($0) }
END { print "}" }
