# Linux on the card: what its perf_event subsystem counts and samples is, to the last event, what the model counted.
#
# KNC_LINUX is the folder of vmlinux, initramfs.cpio.gz and root. All programs stay on CPU 0, and only `work` goes to CPU 5
# (thread 1 of core 1); to CPU 6 if init, before it went to CPU 0, was on CPU 5. So the model's count of that CPU at
# ring 3 is that of one `work`.
. "$(dirname "$0")/lib.sh"

# on_card COMMANDS: runs them and powers off; the console is in the file console, the report in report.
PARAMETERS='quiet cpus=0'
on_card() {
    boot report "c=5; [ \$init_cpu = 5 ] && c=6; $1"
    cp report/console console
    cpu=$(sed -n 's/^cpu \([56]\): .*/\1/p' console)
}
# of_model EVENT: the model's count at ring 3 of the CPU where `work` was.
of_model() {
    awk -v event="\"$1\":" -v wanted=$((cpu - 4)) '
        { gsub(",", "") }
        $1 == "\"core\":" { core = $2 }
        $1 == "\"thread\":" { thread = $2 }
        $1 == "\"events_user\":" { user = 1 }
        $1 == "\"events\":" { user = 0 }
        $1 == event && user && core == 1 && thread == wanted { print $2; exit }
    ' report/report.json
}

# Sampling: columns cpu, samples, period, remainder, count, event.
on_card 'perf-record -C $c -e INSTRUCTIONS_EXECUTED:u,CPU_CLK_UNHALTED:u -c 10007 -g -o /tmp/perf.data work -C $c 20;
    send-file /tmp/perf.data'
expect_text console 'work: checksum 3071980a9446cc91, correct'
expect_text console 'lost 0, throttled 0'
for event in INSTRUCTIONS_EXECUTED CPU_CLK_UNHALTED; do
    model=$(of_model $event)
    awk -v event="$event:u" -v model="$model" -v cpu="$cpu" '
        $1 == cpu && $6 == event {
            found = 1
            if ($2 * $3 + $4 != model || $5 != model || $4 < 0 || $4 >= $3 || $2 == 0) exit 1
        }
        END { if (!found) exit 1 }
    ' console || { fail "the model counted $model $event:u, Linux:"; grep "$event" console; }
done
# The shares of samples: 10, 20, 30 and 40 percent of the instructions, with 98 samples to 2 points.
expect_status 0 sh "$KNC_SOURCE/sw/linux/receive" console .
if command -v perf >/dev/null; then
    expect_status 0 perf script -i perf.data --symfs "$KNC_LINUX/root" -F event,ip,sym
    [ ! -s stderr ] || { fail "perf script complained:"; cat stderr; }
    awk '
        /^[ \t]*$/ { frame = 0; next }
        /:u:/ { instructions = /INSTRUCTIONS/; next }
        { ++frame }
        instructions && frame == 1 { ++all; ++of[$2] }
        instructions && frame == 2 && $2 != "one_round" && of["share"] > 0 { exit 1 }
        END {
            for (p = 10; p <= 40; p += 10) {
                part = 100 * of["share_" p] / all
                if (part < p - 2 || part > p + 2) exit 1
            }
        }
    ' stdout || { fail "shares of the functions:"; grep -c share_40 stdout; }
fi

# Counting, without and with a change of events on the counters.
on_card 'perf-stat -C $c -e INSTRUCTIONS_EXECUTED:u,BRANCHES:u work -C $c 20'
for event in INSTRUCTIONS_EXECUTED BRANCHES; do
    [ "$(awk -v event=$event:u '$2 == event { print $1 }' console)" = "$(of_model $event)" ] ||
        { fail "the model counted $(of_model $event) $event:u, Linux:"; grep "$event" console; }
done

# Registers, and the vector unit with several processes on a CPU: counter 0 of CPU 2 can be written and read; register 0x1A0 does not exist.
on_card 'wrmsr -p 2 0x20 0x123; rdmsr -p 2 -c 0x20; rdmsr 0x1a0; echo status $?; stream -C 1,4 -n 2 65536 1; vectors -C 0,5 40'
expect_text console '0x123'
expect_text console 'status 4'
expect_text console 'stream: 4 processes, all results correct'
expect_text console 'vectors: 6 processes kept their registers in 240 of 240 rounds, correct'
finish
