# run_firmware.sh PROGRAM IMAGE STATUS ARGUMENTS...: the run ends with STATUS; with 3 it shows the threads' state.
program=$1 image=$2 wanted=$3
shift 3
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
"$program" run "$image" "$@" 2>"$log" </dev/null || status=$?
cat "$log" >&2
if [ "$status" -ne "$wanted" ]; then
    echo "exit status $status, $wanted expected"
    exit 1
fi
if [ "$wanted" -eq 3 ] && ! grep -qi 'rip' "$log"; then
    echo "no state of the threads"
    exit 1
fi
