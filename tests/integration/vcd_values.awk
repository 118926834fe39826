# The values of signals in a VCD file, clock by clock.
#
#     awk -v hz=CLOCK -v names="A B C" -f vcd_values.awk trace.vcd
#
# For each time at which something changes, a line: the clock that begins then, and the values in
# decimal ("x" before the first). A name is that of a signal without the scope that SystemC adds.
BEGIN { n = split(names, wanted, " ") }
/^\$scope/ { path[depth++] = $3; next }
/^\$upscope/ { --depth; next }
/^\$var/ {
    full = $5
    for (i = depth - 1; i > 0; --i) full = path[i] "." full
    for (i = 1; i <= n; ++i)
        if (wanted[i] == full) id_of[i] = $4
    next
}
/^#/ { show(); time = substr($0, 2); next }
/^b[01]/ { value[$2] = number(substr($1, 2)); next }
/^[01]/ { value[substr($0, 2)] = substr($0, 1, 1) + 0 }
END { show() }

function number(bits, i, v) {
    v = 0
    for (i = 1; i <= length(bits); ++i) v = 2 * v + substr(bits, i, 1)
    return v
}

function show(i, line) {
    if (time == "") return
    line = sprintf("%.0f", time * hz / 1e12)
    for (i = 1; i <= n; ++i) line = line " " (id_of[i] in value ? sprintf("%.0f", value[id_of[i]]) : "x")
    print line
}
