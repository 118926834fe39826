# Draws the output of `knc-vp list modules` as a Mermaid flowchart: the card's modules, and those of
# its first tile. An arrow leads from the module that has the port or initiator socket to the one that
# answers. Of parts that are alike (tiles, controllers, local APICs) the first one stands for all.
function omitted(path) { return path ~ /tile[1-9]/ || path ~ /controller[1-9]/ || path ~ /apic[1-3]/ }
function id(path) { gsub(/\./, "_", path); return path }

# The module that a path leads to.
function module_of(path) {
    while (!(path in kind) && sub(/\.[^.]*$/, "", path)) {}
    return path in kind ? path : ""
}

/^ *\. / {
    n = split($0, half, " -> ")
    if (n == 2) { callers[++calls] = stack[depth]; callees[calls] = half[2] }
    next
}
{
    match($0, /^ */)
    depth = RLENGTH / 2
    path = depth < 2 ? $1 : stack[depth - 1] "." $1
    stack[depth] = path
    if (depth == 0 || omitted(path)) next
    kind[path] = $2
    order[++modules] = path
}
END {
    print "flowchart TB"
    for (m = 1; m <= modules; ++m) {
        path = order[m]
        if (path == "tile0") { print "    subgraph tile0 [tile0: " kind[path] "]"; inside = 1; continue }
        if (inside && path !~ /^tile0\./) { print "    end"; inside = 0 }
        name = path
        sub(/^tile0\./, "", name)
        print (inside ? "        " : "    ") id(path) "[\"" name "<br/><small>" kind[path] "</small>\"]"
    }
    if (inside) print "    end"
    for (c = 1; c <= calls; ++c) {
        if (omitted(callers[c])) continue
        from = module_of(callers[c])
        n = split(callees[c], whom, ", ")
        for (w = 1; w <= n; ++w) {
            to = omitted(whom[w]) ? "" : module_of(whom[w])
            if (from == "" || to == "" || from == to || from "," to in drawn) continue
            drawn[from "," to] = 1
            print "    " id(from) " --> " id(to)
        }
    }
}
