# compare.awk EXPECTED OUTPUT: does the program print what the page shows? Exit status 1, and the first line
# that is missing, if not. The page may leave things out and cannot know others:
#
#   a line "..."               stands for any number of lines
#   a line that ends in " ..." stands for all lines that begin so
#   N s on the host, N MIPS    the host's speed: any numbers
#   (gdb)                      prompts in the output do not count: nobody types there
#
# Spaces at the ends of lines do not count, nor gdb's remark that a source file is newer than the program: a
# checkout may have touched it.
function plain(line) {
    gsub(/\r/, "", line)
    while (sub(/^\(gdb\) /, "", line)) {}
    if (line == "(gdb)") line = ""
    sub(/[ \t]+$/, "", line)
    gsub(/[0-9.]+ s on the host/, "N s on the host", line)
    gsub(/[0-9.]+ MIPS/, "N MIPS", line)
    return line
}
function same(wanted, line) {
    if (wanted ~ / \.\.\.$/) { wanted = substr(wanted, 1, length(wanted) - 4); return index(line, wanted) == 1 }
    return wanted == line
}
FILENAME == ARGV[1] { expected[++e] = plain($0); next }
/^warning: Source file is more recent than executable\.$/ { next }
{ printed[++p] = plain($0) }
END {
    # Both without empty lines at their ends.
    while (e && expected[e] == "") --e
    while (p && printed[p] == "") --p
    at = 1
    if (e == 0 && p > 0) { print "    the program: " printed[1]; print "    the page:    (nothing)"; exit 1 }
    for (i = 1; i <= e; i = stop + 1) {
        for (stop = i; stop <= e && expected[stop] != "..."; ++stop) {}
        # The lines from i to before stop, somewhere from at on: at once if nothing was left out before them,
        # at the end if nothing is left out behind them.
        first = at
        last = i == 1 ? at : p
        if (stop > e) {
            if (i > 1) first = p - (stop - i) + 1
            last = first
        }
        for (; first <= last; ++first) {
            for (n = 0; i + n < stop && first + n <= p && same(expected[i + n], printed[first + n]); ++n) {}
            if (i + n == stop) break
            if (n >= best) { best = n; best_line = i + n; best_at = first + n }
        }
        if (first > last || first < at) {
            if (!best_line) { best_line = i; best_at = at }
            print "    the page:    " expected[best_line]
            print "    the program: " (best_at <= p ? printed[best_at] : "(nothing more)")
            exit 1
        }
        at = first + stop - i
        best = 0
        best_line = 0
        if (stop > e && at <= p) { print "    the program: " printed[at]; print "    the page:    (nothing more)"; exit 1 }
    }
}
