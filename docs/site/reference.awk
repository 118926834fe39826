# A reference page, from the output of `knc-vp list KIND`: its columns become a table.
function cell(t, code) {
    gsub(/^ +| +$/, "", t)
    if (t == "") return ""
    if (code) return "`" t "`"
    gsub(/[\\`*_{}<>|]/, "\\\\&", t)
    return t
}
function row(n, values,    i, line) {
    line = "|"
    for (i = 1; i <= n; ++i) line = line " " cell(values[i], i in code) " |"
    print line
}
function heads(names,    n, head, i, line) {
    n = split(names, head, /, /)
    print ""
    line = "|"
    for (i = 1; i <= n; ++i) line = line " " head[i] " |"
    print line
    gsub(/[^|]+/, "---", line)
    print line
}
# The columns begin where the words of the headline begin.
function headline(line,    at, names) {
    while (match(substr(line, at + 1), /[^ ]+( [^ ]+)*/)) {
        begins[++columns] = at + RSTART
        names = names (columns > 1 ? ", " : "") substr(line, at + RSTART, RLENGTH)
        at += RSTART + RLENGTH - 1
    }
    heads(names)
}
BEGIN {
    print "# " title
    print ""
    print intro
    code[1]
    if (kind == "presets") heads("preset, card")
    if (kind == "signals") heads("signal, bits")
    if (kind == "metrics") heads("metric, meaning, formula")
}
kind == "keys" || kind == "events" {
    if (NR == 1) { headline($0); if (kind == "keys") code[2]; next }
    for (i = 1; i <= columns; ++i) value[i] = substr($0, begins[i], i < columns ? begins[i + 1] - begins[i] : length($0))
    row(columns, value)
}
kind == "presets" || kind == "signals" {
    value[1] = $1
    value[2] = substr($0, length($1) + 1)
    row(2, value)
}
# The first line is the command that runs one, in the folder of this build.
kind == "scenarios" && NR == 1 { heads("scenario, image, shows"); code[2]; next }
kind == "scenarios" { split($0, value, /   */); row(3, value) }
kind == "metrics" && /^[^ ]/ { value[1] = $1; value[2] = substr($0, length($1) + 1); next }
kind == "metrics" { sub(/^ *= /, ""); value[3] = $0; row(3, value) }
# A section for each group. Its registers have a width, or a reset value and the bits that can be written.
kind == "registers" && /^[^ ]/ {
    print ""
    print "## " toupper(substr($0, 1, 1)) substr($0, 2)
    registers = 0
    code[2]
    next
}
kind == "registers" {
    wide = match($0, / +[0-9]+ bits +/)
    if (!registers++) heads(wide ? "address, name, bits, access, meaning" : "address, name, access, reset, writable, meaning")
    value[1] = $1
    value[2] = $2
    at = wide ? 5 : $3 == "reset" ? 3 : 4
    value[3] = wide ? $3 : at == 4 ? $3 : ""
    if (wide) value[4] = $5
    else { value[4] = $(at + 1); value[5] = $(at + 3); code[4]; code[5] }
    rest = $0
    for (i = 1; i <= (wide ? 5 : at + 3); ++i) sub(/^ *[^ ]+/, "", rest)
    value[wide ? 5 : 6] = rest
    if (wide) { delete code[4]; delete code[5] }
    row(wide ? 5 : 6, value)
}
