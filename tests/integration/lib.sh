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

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
    exit 0
}
