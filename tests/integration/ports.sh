# Console and exit by the ports of profile compat: an image for a PC-like machine, unchanged.
. "$(dirname "$0")/lib.sh"

image="$KNC_IMAGES/hello.elf32"

# QEMU's exit port: status 2 * 0 + 1.
expect_status 1 "$KNC_VP" run "$image" --set card.profile=compat --out out
expect_text stdout 'hello from thread 0'
expect_text out/console.log 'hello from thread 0'
grep -q '"code": *1[,} ]*$' out/report.json || fail "no exit code 1 in the report"

# The hardware has no port instructions.
expect_status 3 "$KNC_VP" run "$image" --set limits.max_instructions=1000000
expect_text stderr 'no port I/O'

# No ports without the test devices: nobody takes the exit.
expect_status 3 "$KNC_VP" run "$image" --set card.profile=compat --set testdev.enable=false \
    --set limits.max_instructions=1000000
grep -q 'hello' stdout && fail "console output without a console"
finish
