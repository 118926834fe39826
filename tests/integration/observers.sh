# Whoever looks at a run changes nothing of it: waveform, time line, log, profile, monitor and gdb, alone and all together.
. "$(dirname "$0")/lib.sh"
gdb_socket=$PWD/gdb.socket monitor_socket=$PWD/monitor.socket

# same NAME: report, console, samples and page are those of the run that nobody looked at.
same() {
    expect_status 0 "$CHECK_REPORT" "$1/report.json" --same "plain/report.json"
    cmp "plain/console.log" "$1/console.log" || fail "$what, $1: other console"
    cmp "plain/samples.txt" "$1/samples.txt" || fail "$what, $1: other samples"
    cmp "plain/report.html" "$1/report.html" || fail "$what, $1: another page"
}

# observed IMAGE ARGUMENTS...
observed() {
    image=$KNC_IMAGES/$1.elf
    what=$*
    shift
    rm -rf plain waveform timeline log monitor gdb all
    set -- "$image" --quiet "$@"
    expect_status 0 "$KNC_VP" run "$@" --out plain
    # Without results to write, the program's last words are the same.
    expect_status 0 "$KNC_VP" run "$@"
    cmp plain/console.log stdout || fail "$what: other console without --out"
    # Everything of 50 000 clocks, and the PMUs throughout.
    expect_status 0 "$KNC_VP" run "$@" --out waveform --trace all --set trace.from=20000 --set trace.to=70000
    expect_file waveform/trace.vcd
    same waveform
    expect_status 0 "$KNC_VP" run "$@" --out waveform --trace '*.pmu*' --set 'trace.trigger=first pmi' --set trace.format=fst
    same waveform
    expect_status 0 "$KNC_VP" run "$@" --out timeline --timeline
    expect_file timeline/timeline.json
    same timeline
    expect_status 0 "$KNC_VP" run "$@" --out log --log instructions,msr,apic,exceptions --set log.lines=20000
    expect_file log/log.txt
    same log

    rm -f "$monitor_socket" "$gdb_socket"
    "$KNC_VP" run "$@" --out all --trace all --set trace.from=20000 --set trace.to=70000 --timeline --log msr,apic,exceptions \
        --monitor "$monitor_socket,wait" --gdb "$gdb_socket,wait" >all.console 2>all.err &
    run=$!
    appears "$monitor_socket"
    "$KNC_VP" top --socket "$monitor_socket" --interval 100us --csv top.csv >top.out 2>&1 &
    top=$!
    appears "$gdb_socket"
    timeout 100 gdb -nx -batch -ex "target remote $gdb_socket" -ex 'break main' -ex continue -ex 'monitor counts' -ex 'stepi 100' \
        -ex 'info threads' -ex 'monitor trace off' -ex 'monitor trace on' -ex delete -ex continue "$image" >gdb.out 2>&1
    status=0
    wait $run || status=$?
    [ $status -eq 0 ] || { fail "$what: all together: status $status"; cat all.err gdb.out; }
    wait $top || fail "$what: top failed"
    expect_text gdb.out 'Breakpoint 1, main'
    expect_text gdb.out 'the trace is on'
    expect_file top.csv
    expect_file all/trace.vcd all/timeline.json all/log.txt
    same all
}

# Threads that write code which others execute: whoever asks for each instruction also turns off the summaries of issues.
for image in smc smc_threads; do
    rm -rf plain log
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$image.elf" --quiet --out plain
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$image.elf" --quiet --out log --log instructions --set log.lines=1000
    expect_status 0 "$CHECK_REPORT" log/report.json --same plain/report.json
done

observed pmu_sampling
observed sample_all --cmdline last=7
finish
