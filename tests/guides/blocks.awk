# The commands of a page, each with what it is to print, as files of DIRECTORY, and a script that runs them.
# Of every block marked `sh`, each line is a command; of one marked `console`, each line that begins with "$ ",
# and what follows it is what it prints. A command goes on behind a backslash and to the end of a here-document.
# In a console block, a line "(gdb) COMMAND" is input of the command before it.
#
#   NAME.command   the command          NAME.expected   what it prints (console blocks only)
#   NAME.input     what it reads        script          all of them; NAME is the page's line
function begin_command(line) {
    name = sprintf("%s/%04d", directory, FNR)
    names[++commands] = name
    printf "" >(name ".command")
    add(line)
}
function add(line) {
    print line >(name ".command")
    if (until_word != "") { if (line == until_word) until_word = ""; open = until_word != ""; return }
    if (match(line, /<<-?'?[A-Z]+'?/)) {
        until_word = substr(line, RSTART, RLENGTH)
        gsub(/[^A-Z]/, "", until_word)
        open = 1
        return
    }
    open = line ~ /\\$/
}
/^ *```/ {
    if (block != "") { block = ""; open = 0; next }
    block = $0
    sub(/^ *```/, "", block)
    if (block == "") block = "none"
    name = ""
    next
}
block == "sh" {
    if (open) add($0)
    else if ($0 !~ /^ *(#.*)?$/) begin_command($0)
    next
}
block == "console" {
    if (open) { add($0); next }
    if (sub(/^\$ /, "")) { begin_command($0); printf "" >(name ".expected"); next }
    if (name == "") { print FILENAME ":" FNR ": output without a command" >"/dev/stderr"; bad = 1; next }
    if (/^\(gdb\) /) { print substr($0, 7) >(name ".input"); next }
    print >(name ".expected")
}
END {
    script = directory "/script"
    print ". \"$guides/steps.sh\"" >script
    for (c = 1; c <= commands; ++c) {
        name = names[c]
        close(name ".command")
        print "if begin " name "; then {" >script
        while ((getline line <(name ".command")) > 0) print line >script
        print "} <\"$input\" >" name ".output 2>&1; end $?; fi" >script
    }
    print "wait" >script
    exit bad
}
