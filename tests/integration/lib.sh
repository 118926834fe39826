# Helpers of the integration scripts: `. "$(dirname "$0")/lib.sh"`.
set -u
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect_status STATUS COMMAND...: runs it; output goes to the files stdout and stderr.
expect_status() {
    wanted=$1
    shift
    status=0
    "$@" >stdout 2>stderr || status=$?
    if [ "$status" -ne "$wanted" ]; then
        fail "$* : exit status $status, $wanted expected"
        cat stderr
    fi
}

# expect_text FILE TEXT: the file contains it.
expect_text() {
    grep -qF -- "$2" "$1" || { fail "'$2' is not in $1:"; cat "$1"; }
}

# expect_file FILE...: they exist and are not empty.
expect_file() {
    for file; do
        [ -s "$file" ] || fail "$file is missing or empty"
    done
}

# refused TEXT COMMAND...: exit status 2, and one line that contains TEXT.
refused() {
    text=$1
    shift
    expect_status 2 "$@"
    expect_text stderr "$text"
    [ "$(wc -l <stderr)" -eq 1 ] || { fail "$*: more than one line:"; cat stderr; }
}

# appears SOCKET [SECONDS]: it is there, at the latest after so many seconds (10).
appears() {
    tries=0
    until [ -S "$1" ] || [ $tries -eq $((${2:-10} * 20)) ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ -S "$1" ] || fail "$1 does not appear"
}

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
    exit 0
}
