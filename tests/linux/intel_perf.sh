# Debian's kernel, as Debian has built it, on preset perfmon: its own driver of Intel's PMU finds the counters, and what it
# counts and samples is, to the last event, what the model counted.
#
# KNC_DEBIAN is the folder with Debian's kernel; sw/linux/debian fetches it there. The programs are those of the card's
# Linux. They stay on CPU 0, and only `work` goes to CPU 2 (thread 2), so the model's count of that thread at ring 3 is
# that of `work`.
. "$(dirname "$0")/lib.sh"
if ! ls "$KNC_DEBIAN"/vmlinuz-* >/dev/null 2>&1; then
    (cd /tmp && apt-get download --print-uris linux-image-amd64) >/dev/null 2>&1 || { echo "no kernel in $KNC_DEBIAN"; exit 77; }
fi

# The model's count at ring 3 of thread 2.
of_model() {
    awk -v event="\"$1\":" '
        { gsub(",", "") }
        $1 == "\"thread\":" { thread = $2 }
        $1 == "\"events_user\":" { user = 1 }
        $1 == "\"events\":" { user = 0 }
        $1 == event && user && thread == 2 { print $2; exit }
    ' report/report.json
}
# counted EVENT: what perf-stat printed.
counted() {
    awk -v event="$1" '$2 == event { print $1; exit }' console
}
# sampled EVENT SAMPLES COUNT: perf-record printed so many samples and that count, which are consistent.
sampled() {
    awk -v event="$1" -v samples="$2" -v count="$3" '
        $1 == 2 && $6 == event { found = 1; if ($2 != samples || $5 != count || $2 * $3 + $4 != $5) exit 1 }
        END { exit !found }
    ' console || { fail "not $2 samples and $3 of $1:"; grep "$1" console; }
}

# The UART is emptied at each tick only, so the last lines need time.
rm -rf report
expect_status 0 sh "$KNC_SOURCE/sw/linux/debian" --work "$KNC_DEBIAN" --initrd "$KNC_LINUX/initramfs.cpio.gz" \
    --preset perfmon --out report --append "cpus=0 rc=\"
        perf-stat -C 2 -e instructions:u,branch-instructions:u,branch-misses:u,cache-misses:u,cycles:u work -C 2 20;
        perf-record -C 2 -e instructions:u -c 10007 -o /tmp/perf.data work -C 2 20;
        perf-record -C 2 -g -e instructions:upp -c 10007 -o /tmp/perf.data work -C 2 20; send-file /tmp/perf.data;
        perf-record -C 2 -e cycles:pp work -C 2 20; dmesg; sleep 12; poweroff\""
tr -d '\r' <report/console.log >console

expect_text console 'PEBS fmt4+-baseline, generic architected perfmon, full-width counters, Intel PMU driver'
# The work is the same as on a Knights Corner card (linux.on_card), and so are its instructions.
one=988403
expect_text console 'work: checksum 3071980a9446cc91, correct'
[ "$(counted instructions:u)" = $one ] || fail "$(counted instructions:u) instructions"
branches=$(counted branch-instructions:u)
sampled instructions:u $((one / 10007)) $one
# Four runs of the work are all that thread 2 has executed at ring 3.
[ "$(of_model INSTRUCTIONS_RETIRED)" = $((4 * one)) ] || fail "the model counted $(of_model INSTRUCTIONS_RETIRED) instructions"
[ "$(of_model BRANCH_INSTRUCTIONS_RETIRED)" = $((4 * branches)) ] ||
    fail "the model counted $(of_model BRANCH_INSTRUCTIONS_RETIRED) branches"
# PEBS: records are as many as interrupts, and every address is exact. With call chains the kernel reads the buffer at each
# record. Without them it reads many at once (cycles:pp), here those of a task that has ended, which perf then cannot name.
sampled instructions:upp $((one / 10007)) $one
expect_text console "exact addresses in $((one / 10007)) of $((one / 10007)) samples of instructions:upp"
awk '$1 == "exact" && $NF == "cycles:pp" { found = 1; if ($4 != $6 || $4 == 0) exit 1 } END { exit !found }' console ||
    { fail 'samples of cycles:pp:'; grep exact console; }
# The shares of the records: 10, 20, 30 and 40 percent of the instructions, with 98 samples to 2 points.
expect_status 0 sh "$KNC_SOURCE/sw/linux/receive" console .
if command -v perf >/dev/null; then
    expect_status 0 perf script -i perf.data --symfs "$KNC_LINUX/root" -F ip,sym
    awk '
        /^[ \t]*$/ { frame = 0; next }
        ++frame == 1 { ++all; ++of[$2] }
        END {
            for (p = 10; p <= 40; p += 10) {
                part = 100 * of["share_" p] / all
                if (part < p - 2 || part > p + 2) exit 1
            }
        }
    ' stdout || { fail "shares of the functions:"; sort stdout | uniq -c; }
fi
finish
