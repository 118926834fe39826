# Sweeps: order of the runs, the table against single runs, what is repeated and what is not, runs that fail, ends
# of all kinds, engines, mistakes.
. "$(dirname "$0")/lib.sh"

cp "$KNC_IMAGES/pmi.elf" "$KNC_IMAGES/hello.elf" .
rm -rf ./*.sweep one two mpi whole anew single

# done_at DIR: when each run was done.
done_at() { stat -c '%n %.Y' "$1"/runs/*/result.json; }

# pmi.elf executes 10,008 instructions at ring 3, which are 100 periods of 100, 50 of 200 and 25 of 400.
cat >pmi.toml <<'END'
image = "pmi.elf"
columns = ["overflow0", "pmi", "skid_min", "INSTRUCTIONS_EXECUTED", "CPI"]
[limits]
max_cycles = 20_000_000
[[axis]]
key = "core.pmi_cycles"
values = [20, 0]
[[axis]]
key = "cmdline.period0"
from = 100
to = 400
factor = 2
[[column]]
name = "user"
event = "INSTRUCTIONS_EXECUTED"
level = "user"
[[column]]
name = "clocks"
count = "cycles"
from = 1
to = 2
[[column]]
name = "phase"
metric = "CPI"
from = 1
to = 2
END

# A look at it writes nothing.
expect_status 0 "$KNC_VP" sweep pmi.toml --dry-run
cat >expected <<'END'
001 core.pmi_cycles=20 cmdline.period0=100: to do
002 core.pmi_cycles=20 cmdline.period0=200: to do
003 core.pmi_cycles=20 cmdline.period0=400: to do
004 core.pmi_cycles=0 cmdline.period0=100: to do
005 core.pmi_cycles=0 cmdline.period0=200: to do
006 core.pmi_cycles=0 cmdline.period0=400: to do
END
cmp -s stdout expected || { fail 'order of the runs'; diff stdout expected; }
[ -e pmi.sweep ] && fail 'a look has written something'

# One job or two, it is the same table.
expect_status 0 "$KNC_VP" sweep pmi.toml --out one --engine local --jobs 1
expect_status 0 "$KNC_VP" sweep pmi.toml --out two --engine local --jobs 2
[ "$(grep ': exit status 0$' stderr | sort | uniq -c | awk '$1 == 1' | wc -l)" -eq 6 ] || { fail 'each run once'; cat stderr; }
cmp one/sweep.csv two/sweep.csv || fail 'the number of jobs matters'
cmp one/sweep.html two/sweep.html || fail 'the page of another number of jobs'
[ "$(sed -n '1p' one/sweep.csv | tr -d '\r')" = \
    'run,core.pmi_cycles,cmdline.period0,status,end,cycles,instructions,overflow0,pmi,skid_min,INSTRUCTIONS_EXECUTED,CPI,user,clocks,phase' ] ||
    fail 'heads of the table'
[ "$(grep -c "$(printf '\r')\$" one/sweep.csv)" -eq 7 ] || fail 'lines end in CR LF'

# Each row is what a single run says. CPI and clocks between marks are those of its second phase, from mark 1 to mark 2.
tr -d '\r' <one/sweep.csv | sed 1d >rows
run=0
for delay in 20 0; do
    for period in 100 200 400; do
        run=$((run + 1))
        expect_status 0 "$KNC_VP" run pmi.elf --set limits.max_cycles=20000000 --set core.pmi_cycles=$delay \
            --cmdline "period0=$period" --out single --quiet
        jq -r --arg run $run --arg delay $delay --arg period $period '
            def total(f): [.threads[] | f] | add;
            [$run, $delay, $period, .exit.status, .exit.reason, .time.cycles, .time.instructions,
             total(.pmu.overflows[0]), total(.apic.pmi), .threads[0].pmu.skid.min,
             total(.events.INSTRUCTIONS_EXECUTED), .phases[0].card.metrics.CPI,
             total(.events_user.INSTRUCTIONS_EXECUTED), .phases[2].cycles[1] - .phases[2].cycles[0],
             .phases[2].card.metrics.CPI] | join(",")' single/report.json >expected
        sed -n "${run}p" rows >found
        cmp -s found expected || { fail "row $run"; diff found expected; }
        # Every overflow is an interrupt.
        cut -d, -f 8,9 rows | sed -n "${run}p" | grep -qx "$((10008 / period)),$((10008 / period))" ||
            fail "row $run: interrupts"
    done
done

# What is done is not repeated.
done_at one >before
expect_status 0 "$KNC_VP" sweep pmi.toml --out one --engine local
done_at one | cmp -s - before || fail 'runs were repeated'
cmp one/sweep.csv two/sweep.csv || fail 'the table of a sweep that had nothing to do'
expect_status 0 "$KNC_VP" sweep pmi.toml --out one --dry-run
[ "$(grep -c ': done, exit status 0$' stdout)" -eq 6 ] || { fail 'all are done'; cat stdout; }
# Another column needs no run.
sed 's/"skid_min"/"skid_max"/' pmi.toml >columns.toml
expect_status 0 "$KNC_VP" sweep columns.toml --out one --engine local
done_at one | cmp -s - before || fail 'another column has repeated runs'
expect_text one/sweep.csv ',skid_max,'
# A result that is not whole is none.
echo '{"status": 0' >one/runs/002/result.json
rm one/runs/005/result.json
expect_status 0 "$KNC_VP" sweep pmi.toml --out one --engine local
cmp one/sweep.csv two/sweep.csv || fail 'the table after two runs were lost'
[ "$(done_at one | grep -vxFc -f before)" -eq 2 ] || { fail 'not just two runs were repeated'; done_at one | diff before -; }
# Another key: all of them.
done_at one >before
expect_status 0 "$KNC_VP" sweep pmi.toml --out one --engine local --dry-run
sed 's/20_000_000/20_000_001/' pmi.toml >limit.toml
expect_status 0 "$KNC_VP" sweep limit.toml --out one --engine local --dry-run
[ "$(grep -c ': to do$' stdout)" -eq 6 ] || { fail 'another limit'; cat stdout; }

# Values are added, and the axes change places: the runs get other numbers, and only the new ones are done.
cat >grows.toml <<'END'
image = "pmi.elf"
[[axis]]
key = "cmdline.period0"
values = [100, 200]
[[axis]]
key = "core.pmi_cycles"
values = [0, 20]
END
expect_status 0 "$KNC_VP" sweep grows.toml --engine local
cat grows.sweep/runs/*/result.json | cksum >before  # in the order 100 0, 100 20, 200 0, 200 20
done_at grows.sweep | sed 's/.* //' | sort >when
cat >grows.toml <<'END'
image = "pmi.elf"
[[axis]]
key = "core.pmi_cycles"
values = [20, 0]
[[axis]]
key = "cmdline.period0"
values = [300, 200, 100]
END
expect_status 0 "$KNC_VP" sweep grows.toml --dry-run
[ "$(sed -n 's/: to do$//p' stdout | tr '\n' ' ')" = \
    '001 core.pmi_cycles=20 cmdline.period0=300 004 core.pmi_cycles=0 cmdline.period0=300 ' ] ||
    { fail 'what is to do in the new order'; cat stdout; }
expect_status 0 "$KNC_VP" sweep grows.toml --engine local
for run in 006 003 005 002; do cat grows.sweep/runs/$run/result.json; done | cksum | cmp -s - before ||
    fail 'results are in the wrong places'
[ "$(done_at grows.sweep | sed 's/.* //' | sort | grep -cxFf when)" -eq 4 ] || fail 'runs with other numbers were repeated'
expect_status 0 "$KNC_VP" sweep grows.toml --out anew --engine local
cmp grows.sweep/sweep.csv anew/sweep.csv || fail 'the table after runs got other numbers'

# Another image: those runs that have it.
cat >images.toml <<'END'
[limits]
max_cycles = 20_000_000
[[axis]]
key = "image"
values = ["hello.elf", "pmi.elf"]
END
expect_status 0 "$KNC_VP" sweep images.toml --engine local
done_at images.sweep >before
cp images.sweep/sweep.csv images.csv
printf 'more' >>hello.elf
expect_status 0 "$KNC_VP" sweep images.toml --engine local
done_at images.sweep | diff before - | grep '^> ' | grep -o 'runs/[0-9]*' >repeated
[ "$(cat repeated)" = runs/001 ] || { fail 'another image'; cat repeated; }
cmp images.csv images.sweep/sweep.csv || fail 'bytes behind the image matter'

# A run that fails does not stop the others, and is not repeated. 1000 clocks are not enough for anything.
cat >fails.toml <<'END'
image = "hello.elf"
columns = ["BRANCHES"]
[[axis]]
key = "limits.max_cycles"
values = [1000, "none"]
END
expect_status 1 "$KNC_VP" sweep fails.toml --engine local --jobs 1
grep -q '^1,1000,3,limit,1000,' fails.sweep/sweep.csv || { fail 'the run that fails'; cat fails.sweep/sweep.csv; }
grep -q '^2,none,0,firmware,' fails.sweep/sweep.csv || { fail 'the run after it'; cat fails.sweep/sweep.csv; }
expect_text fails.sweep/runs/001/stderr.txt 'rip'
done_at fails.sweep >before
expect_status 1 "$KNC_VP" sweep fails.toml --engine local --jobs 1
done_at fails.sweep | cmp -s - before || fail 'a failed run was repeated'
# Expectations of a scenario count.
cat >wrong.toml <<'END'
image = "pmi.elf"
[[expect]]
name = "one more than there are"
count = "pmi"
equals = 11
[[expect]]
name = "ends"
exit = "firmware"
END
cat >expects.toml <<'END'
scenario = "wrong.toml"
columns = ["failed_expectations"]
[[axis]]
key = "cmdline.period0"
values = [1000, 909]
END
# 10,008 / 909 = 11.
expect_status 1 "$KNC_VP" sweep expects.toml --engine local
tr -d '\r' <expects.sweep/sweep.csv | cut -d, -f 2,3,7 >found
printf 'cmdline.period0,status,failed_expectations\n1000,1,1\n909,0,0\n' | cmp -s - found ||
    { fail 'expectations'; cat found; }

# Long runs: of a program that is told to loop for long.
cat >long.toml <<'END'
image = "pmi.elf"
cmdline = "loop=4000000 period0=1000000"
columns = ["pmi"]
[[axis]]
key = "core.pmi_cycles"
from = 0
to = 3
END
# wait_for COMMAND...: until it succeeds, at most 60 s.
wait_for() {
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
    fail "waited in vain: $*"
}
child_of() { cut -d ' ' -f 1 "/proc/$1/task/$1/children" 2>/dev/null; }
has_child() { [ -n "$(child_of "$1")" ]; }
# begin: starts the sweep in the background; sets sweep, worker and run to its processes, of the run that is under way.
begin() {
    "$KNC_VP" sweep long.toml --engine local --jobs 1 >long.stdout 2>long.stderr &
    sweep=$!
    wait_for has_child $sweep
    worker=$(child_of $sweep)
    wait_for has_child "$worker"
    run=$(child_of "$worker")
}
gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }
expect_status 0 "$KNC_VP" sweep long.toml --out whole --engine local --jobs 2

# Killed in the middle of the second run: the first one stays, nothing goes on, and the table is the same in the end.
begin
wait_for test -e long.sweep/runs/001/result.json
wait_for has_child "$worker"
run=$(child_of "$worker")
kill -9 $sweep
wait $sweep 2>/dev/null
wait_for gone "$worker"
wait_for gone "$run"
[ -e long.sweep/sweep.csv ] && fail 'a table of a sweep that was killed'
[ -e long.sweep/runs/004/result.json ] && fail 'all runs are done'
done_at long.sweep >before
expect_status 0 "$KNC_VP" sweep long.toml --engine local --jobs 2
cmp long.sweep/sweep.csv whole/sweep.csv || fail 'the table after kill -9'
done_at long.sweep | grep -qxFf before || fail 'the first run was repeated'

# Interrupted, by SIGTERM as by Ctrl-C.
rm -rf long.sweep
begin
kill -TERM $sweep
status=0
wait $sweep || status=$?
[ $status -eq 3 ] || { fail "status $status of an interrupted sweep"; cat long.stderr; }
expect_text long.stderr 'interrupted; the same command goes on'
wait_for gone "$worker"
wait_for gone "$run"

# A worker is killed: the sweep says so.
begin
kill -9 "$worker"
status=0
wait $sweep || status=$?
[ $status -eq 3 ] || { fail "status $status of a sweep without workers"; cat long.stderr; }
expect_text long.stderr 'knc-vp was ended by signal 9'
expect_text long.stderr 'runs are missing; the same command goes on'
wait_for gone "$run"

# While a sweep is at work, no other is in its directory.
begin
expect_status 2 "$KNC_VP" sweep long.toml --engine local
expect_text stderr 'another sweep is at work there'
# A run that is killed has the status of a shell; the others go on. The next sweep repeats it.
new_run() {
    run=$(child_of "$worker")
    [ -n "$run" ] && [ "$run" != "$before" ]
}
before=$(child_of "$worker")
wait_for new_run  # which has just begun
kill -9 "$run"
status=0
wait $sweep || status=$?
[ $status -eq 1 ] || fail "status $status of a sweep with a run that was killed"
[ "$(cut -d, -f 3 long.sweep/sweep.csv | sort | uniq -c | awk '{ print $1 $2 }' | tr '\n' ' ')" = '30 1137 1status ' ] ||
    { fail 'one run was killed'; cat long.sweep/sweep.csv; }
expect_status 0 "$KNC_VP" sweep long.toml --engine local
cmp long.sweep/sweep.csv whole/sweep.csv || fail 'the table after a run was killed'

# Open MPI shares the runs among its processes.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
expect_status 0 "$KNC_VP" sweep pmi.toml --out mpi --engine mpi --jobs 2
cmp mpi/sweep.csv two/sweep.csv || fail 'the engine matters'

# Those that come with the program can be read.
for file in "$KNC_SOURCE"/platform/sweeps/*.toml; do
    expect_status 0 "$KNC_VP" sweep "$KNC_BUILD/share/knc/sweeps/$(basename "$file")" --dry-run
    grep -q "$(basename "$file" .toml)" "$KNC_SOURCE/docs/sweep.md" || fail "docs/sweep.md does not speak of $file"
done

# Mistakes: one line, exit status 2, nothing written. What is wrong in a file is tested in unit tests.
sweep_refused() {
    complaint=$1
    shift
    rm -rf refused.sweep
    refused "knc-vp: $complaint" "$KNC_VP" sweep "$@"
    [ -e refused.sweep ] && fail "$* has written something"
}
printf 'image = "hello.elf"\n[[axis]]\nkey = "card.tiles"\nvalues = [1, 0]\n' >refused.toml
sweep_refused "refused.toml:4: key axis.values: key card.tiles: '0' is not a number from 1 to 62" refused.toml
printf 'image = "hello.elf"\n[boot]\nbsp = 1\n[[axis]]\nkey = "card.tiles"\nvalues = [2, 1]\n' >refused.toml
sweep_refused 'refused.toml: run 002 card.tiles=1: key boot.bsp: there is no core 1 among 1 tiles' refused.toml
printf 'image = "none.elf"\n[[axis]]\nkey = "card.tiles"\nvalues = [1]\n' >refused.toml
sweep_refused 'refused.toml: run 001 card.tiles=1: none.elf: No such file or directory' refused.toml
sweep_refused 'none.toml: No such file or directory' none.toml
sweep_refused "--engine ninja: one of auto, slurm, mpi, local is wanted" pmi.toml --engine ninja --out refused.sweep
sweep_refused '--jobs 0: a number above 0 is wanted' pmi.toml --jobs 0 --out refused.sweep
sweep_refused 'sweep wants one sweep file' --out refused.sweep
for words in '' 'one two' 'one 2 3'; do
    expect_status 2 "$KNC_VP" sweep-worker $words
    expect_text stderr 'sweep-worker wants DIR [COUNT]'
done
expect_status 2 "$KNC_VP" sweep-worker nothing
expect_text stderr 'nothing: no sweep'
# Slurm's commands do not answer without a cluster, or are not there.
SLURM_CONF=/dev/null
export SLURM_CONF
sweep_refused '--engine slurm: it is not there, or refuses to work' pmi.toml --engine slurm --out refused.sweep
finish
