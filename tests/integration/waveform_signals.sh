# The signals of a card: each module has some, and they show what happens in the clock in which it happens.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")

# values HZ OUT NAME...: the values of signals, clock by clock, of a card with that core clock.
values() {
    hz=$1 file=$2/trace.vcd
    shift 2
    awk -v hz="$hz" -v names="$*" -f "$here/vcd_values.awk" "$file"
}
expect_equal() {
    [ "$2" = "$3" ] || fail "$1: $2, $3 expected"
}

# ---- every module has signals, but those without a state of their own
expect_status 0 "$KNC_VP" list signals
cp stdout signals
awk 'NF < 3 { print; bad = 1 } END { exit bad }' signals || fail "a signal without a meaning"
awk '{ print $1 }' signals | sort >names
uniq -d names | grep . && fail "a name twice"
expect_status 0 "$KNC_VP" list modules
awk '$1 != "." { depth = (length($0) - length(substr($0, match($0, /[^ ]/)))) / 2; path[depth] = $1
                 full = path[1]; for (i = 2; i <= depth; ++i) full = full "." path[i]
                 if (depth > 0) print full }' stdout >modules
[ "$(wc -l <modules)" -ge 38 ] || fail "38 modules expected: $(wc -l <modules)"
while read -r module; do
    case $module in
    memory | coherent | addresses | scheduler) continue ;;
    sbox_stop) scope=ring.sbox ;;
    *.stop) scope=ring.${module%.stop} ;;
    *.apic?) scope=${module%.apic?}.t${module#*.apic}.apic ;;
    *) scope=$module ;;
    esac
    grep -q "^$scope\." names || fail "module $module has no signal $scope.*"
done <modules

# ---- the pipelines: a loop at ring 3
# kernel_loop is `mov %rdi,%rax` (3 bytes), then `dec %rax` (3 bytes) and `jnz` in a loop. The pair issues in one
# clock, and the decoder serves the same thread in every second one (core.issue_interval). Between the marks
# the firmware calls it twice with 3000.
mini=1100000000
region=$KNC_IMAGES/region.elf
expect_status 0 "$KNC_VP" run "$region" --out loop --quiet --trace "tile0.core,tile0.t0" \
    --set trace.mark=1 --set trace.to=40000
loop=$(printf '%d' "0x$(nm "$region" | sed -n 's/ [tT] kernel_loop$//p')")
values $mini loop tile0.core.u.thread tile0.core.u.pc tile0.core.u.kind tile0.core.v.pc tile0.core.v.kind \
    tile0.core.stall >issue
awk -v dec=$((loop + 3)) -v jnz=$((loop + 6)) '
    # integer in U and branch in V, of thread 0
    $3 == dec { ++pairs; if ($2 " " $4 " " $5 " " $6 " " $7 != "0 1 " jnz " 5 0") bad = bad "\n" $0 }
    # the clock after: nothing issues, because of the decoder, or of the refill after a wrong prediction
    last == dec { ++after[($1 - at) " " $4 " " $6 " " $7] }
    $3 == dec && $1 - before == 2 { ++close_by }
    $3 == dec { before = $1 }
    { last = $3; at = $1 }
    END { print pairs, close_by, after["1 0 0 4"], after["1 0 0 3"] bad }' issue >pairs
# Wrong predictions: the first branch of the first call, which the BTB does not know, and the end of each call. The pairs
# after these, and the first of each call, are not two clocks after another one.
expect_equal "pairs, close to another, with the decoder and a refill after them" "$(cat pairs)" "6000 5997 5997 3"

# What executes when it completes (SPFLT: 2 clocks) has kind 11 in U, and microcode follows.
awk '$4 == 11 { ++n } END { exit n < 4 }' issue || fail "four SPFLT expected"

# The functions have names.
expect_text loop/trace.function.txt ' kernel_loop'
grep -q "^$(printf '%016x' $((loop + 3))) kernel_loop+0x3\$" loop/trace.pc.txt || fail "no name for kernel_loop+0x3"
values $mini loop tile0.t0.function tile0.t0.pc >function
number=$(sed -n 's/ kernel_loop$//p' loop/trace.function.txt)
awk -v loop="$loop" -v n="$number" '{ inside = $3 >= loop && $3 < loop + 9; if (inside != ($2 == n)) { print; exit 1 } }' \
    function || fail "function does not agree with pc"

# ---- page walks: 100 clocks each, for loads of a page of 2 MB that no TLB has (core.tlb.long_walk_cycles)
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/tlb.elf" --out walks --quiet --set trace.mark=7 --set trace.to=9000 \
    --trace tile0.t0.waits_for,tile0.core.long_data_page_walk,tile0.core.data_page_walk,tile0.core.code_page_walk
values $mini walks tile0.t0.waits_for tile0.core.long_data_page_walk >walk
awk 'was == 3 && $2 != 3 { ++length_of[$1 - since] } $2 == 3 && was != 3 { since = $1 } { was = $2 }
     NR == 1 { first = $3 } { last = $3 } END { print length_of[100] + 0, last - first }' walk >walks.count
read -r seen counted <walks.count
[ "$seen" -ge 70 ] && [ "$seen" -le "$counted" ] || fail "$seen walks of 100 clocks, $counted counted"

# ---- the states of a line that eight cores write (docs/coherence.md): I, then IM_D until the data come, then M, until
# another core asks. At most one L2 has it, and the directory knows which.
sharing=$KNC_IMAGES/false_sharing.elf
tiles="0 1 2 3 4 5 6 7"
expect_status 0 "$KNC_VP" run "$sharing" --preset 5110p --cmdline cores=8 --out sharing --quiet \
    --trace 'tile[0-7].l2.line,tile[0-7].l1d.line,tile*.directory.*' --set trace.line=shared_line \
    --set trace.mark=1 --set trace.from=12000 --set trace.to=20000
state() { # NUMBER: its name in the translate file
    sed -n "s/^$1 //p" "sharing/trace.$2.txt"
}
expect_equal "names of states" "$(state 0 l2_state) $(state 3 l2_state) $(state 6 l2_state) $(state 3 l1_state) $(state 2 directory_state)" \
    "I M IM_D M GE"
# shellcheck disable=SC2046
values 1053000000 sharing $(for t in $tiles; do echo "tile$t.l2.line tile$t.l1d.line"; done) >states
awk '{ owners = 0
       for (i = 2; i < 18; i += 2) {
           owners += $i == 3
           if ($i != 3 && ($(i + 1) == 2 || $(i + 1) == 3)) { print "an L1 without its L2:", $0; bad = 1 }
           if (NR > 1 && was[i] != $i) ++change[was[i] ">" $i]
           was[i] = $i
       }
       if (owners > 1) { print "two owners:", $0; bad = 1 } }
     END { for (c in change) if (c != "0>6" && c != "6>3" && c != "3>0" && c != "3>6") { print "change", c; bad = 1 }
           print change["6>3"] + 0 >"moves"; exit bad }' states || fail "states of the line"
[ "$(cat moves)" -ge 16 ] || fail "the line moves $(cat moves) times"
# Its home is one slice. A line in GE has one holder, its owner.
home=$(for t in $(seq 0 59); do
    values 1053000000 sharing "tile$t.directory.line" | awk -v t="$t" '$2 != 0 { found = 1 } END { if (found) print t }'
done)
expect_equal "homes" "$(echo "$home" | wc -w)" 1
# shellcheck disable=SC2046
values 1053000000 sharing "tile$home.directory.line" "tile$home.directory.line_holders" "tile$home.directory.line_owner" \
    "tile$home.directory.transactions" "tile$home.directory.queued" $(for t in $tiles; do echo "tile$t.l2.line"; done) >homes
# The eight compete all the time: GE_FD (6, the owner before sends the data) and GE_D (8, the new owner has not said that it has
# them) alternate. One of the requests is in progress, those of all others but the one that has the line wait.
awk '{ if ($2 != 6 && $2 != 8 || $3 != 2 ^ $4 || $5 != 1 || $6 < 6 || $6 > 7) { print "directory:", $0; bad = 1 }
       if ($(7 + $4) != 3 && $(7 + $4) != 6) { print "the owner neither has the line nor waits for it:", $0; bad = 1 }
       ++state[$2] }
     END { exit bad || !state[6] || !state[8] }' homes || fail "the directory"

# ---- a controller: each line that it has accepted waits in a queue, or has found its row open, its bank closed or
# another row open. Refresh closes all 16 banks.
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/stream.elf" --cmdline "bytes=16384" --out stream --quiet --trace controller0
values $mini stream controller0.lines_read controller0.lines_written controller0.row_hits controller0.row_closed \
    controller0.row_conflicts controller0.reads controller0.writes controller0.open_banks controller0.refreshes >rows
awk '$2 + $3 != $4 + $5 + $6 + $7 + $8 || $9 >= 65536 { print; bad = 1 }
     $10 != refreshes { ++refreshed; refreshes = $10; if ($9 != 0 && $9 == open) { print "open in spite of refresh:", $0; bad = 1 } }
     { open = $9; lines = $2 } END { exit bad || lines < 256 || refreshed < 2 }' rows || fail "rows of the controller"

# ---- a trace changes nothing in the report, and the quantum nothing in the trace
for quantum in 1 10000; do
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/hello.elf" --out "q$quantum" --quiet --trace all --set trace.from=20000 \
        --set trace.to=24000 --set sim.quantum=$quantum
done
cmp q1/trace.vcd q10000/trace.vcd || fail "the quantum changes the trace"
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/hello.elf" --out untraced --quiet
for out in q10000 untraced; do grep -v '"host_seconds"\|"mips"' $out/report.json >$out.json; done
cmp q10000.json untraced.json || fail "the trace changes the report"

# ---- every translate file that the view names is there, and has the names of the values
for file in $(sed -n 's/^^[0-9]* //p' q10000/trace.gtkw | sort -u); do
    expect_file "q10000/$file"
done
expect_equal "states of a thread" "$(tr '\n' ' ' <q10000/trace.state.txt)" \
    "0 running 1 halted 2 waits for startup 3 shut down "
expect_equal "levels" "$(tr '\n' ' ' <q10000/trace.cpl.txt)" "0 ring 0 1 ring 1 2 ring 2 3 ring 3 "
expect_equal "kinds" "$(wc -l <q10000/trace.kind.txt)" 16
# A new run into the same directory leaves none of the old ones.
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/hello.elf" --out q10000 --quiet
[ -z "$(ls q10000/trace.* 2>/dev/null)" ] || fail "files of an earlier trace: $(ls q10000)"

# ---- the chosen line
expect_status 2 "$KNC_VP" run "$sharing" --out no --quiet --trace tile0.l2.line --set trace.line=nothing
expect_text stderr 'key trace.line: false_sharing.elf has no symbol nothing'
expect_status 2 "$KNC_VP" run "$sharing" --out no --quiet --trace tile0.l2.line --set trace.line=12x
expect_text stderr 'key trace.line: 12x is no address'
# None is chosen: no cache has it, full or empty.
expect_status 0 "$KNC_VP" run "$sharing" --preset 5110p --cmdline cores=2 --out unchosen --quiet \
    --trace 'tile0.l1d.line,tile0.l1i.line,tile0.l2.line' --set trace.to=3000
expect_equal "values of no line" \
    "$(values 1053000000 unchosen tile0.l1d.line tile0.l1i.line tile0.l2.line | awk '$2 + $3 + $4 != 0' | wc -l)" 0
finish
