# Sampling on all threads of a card: no sample is lost or invented, and the files are what other programs
# read, with the functions and lines that binutils find.
. "$(dirname "$0")/lib.sh"

# sampled NAME THREADS WORDS [OPTIONS...]: the run succeeds, and for each thread and counter samples x period +
# remainder is what the model has counted.
sampled() {
    name=$1 threads=$2 words=$3
    shift 3
    rm -rf "$name"
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/sample_all.elf" --out "$name" --quiet --cmdline "$words" "$@"
    grep -q warning stderr && fail "$name: $(cat stderr)"
    expect_status 0 "$CHECK_REPORT" "$name/report.json" --samplers "$threads" "$name/samples.txt"
    cat stderr
}

# stops NAME: times that a full log stopped the counters.
stops() {
    sed -n 's/^ *"stops": \([0-9]*\).*/\1/p' "$1/report.json" | awk '{ n += $1 } END { print n + 0 }'
}

sampled fixed 8 ''
sampled nmi 8 nmi
sampled rings 8 os
sampled rings_nmi 8 'os nmi'
sampled even 4 even
sampled late 8 late
sampled time 8 time
sampled again 8 again
[ "$(stops fixed)" -eq 0 ] || fail 'a log was full'
# Logs that are full stop their threads' counters: nothing is lost that was counted.
sampled full 8 'os capacity=8'
sampled full_nmi 8 'os nmi capacity=8'
sampled full_time 8 'time capacity=8'
for name in full full_nmi full_time; do
    [ "$(stops $name)" -eq 8 ] || fail "$name: not every log was full"
done
# Samples that stand for several periods each; and none at all, where everything is in the remainder.
sampled throttled 8 'least=30000'
grep -q '"missed": [1-9]' throttled/report.json || fail 'nothing was throttled'
sampled none 8 'period=1000000000'
[ -e none/samples.txt ] && [ ! -s none/samples.txt ] || fail 'samples of a period that never ended'
# How far tiles run ahead does not matter.
sampled quantum 8 '' --set sim.quantum=77
cmp fixed/samples.txt quantum/samples.txt || fail 'the quantum matters'
# A whole card.
sampled card 244 'last=243 load=24000' --preset 7120p
sampled card_nmi 244 'last=243 load=12000 nmi os' --preset 7120p

# The share of every function is as near to the truth as chance allows, and the bound says so.
expect_status 0 "$CHECK_REPORT" card/report.json --sampled --largest-difference 1
expect_text card/report.txt 'outside the bound: '
expect_text card/report.txt 'clocks per instruction'

# A counting session on all threads: what it prints is what the model has counted.
rm -rf session
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/sample_all.elf" --out session --quiet --cmdline session
[ ! -e session/samples.txt ] || fail 'samples without a sampler'
printed=$(sed -n 's/^thread [0-9]* counter [01]: //p' session/console.log)
counted=$(sed -n '/"counted":/,/"skid":/s/^ *"count": \([0-9]*\).*/\1/p' session/report.json)
[ "$(echo "$printed" | wc -l)" -eq 16 ] || fail "session: $printed"
[ "$printed" = "$counted" ] || fail "session: printed $printed, counted $counted"

# A run that ends while threads sample: the samples are there, the account is not.
rm -rf stay
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/sample_all.elf" --out stay --quiet --cmdline stay
expect_text stay/report.txt 'sampling'
[ "$(grep -c '^sample_all\.elf ' stay/samples.txt)" -gt 1000 ] || fail 'no samples of samplers at work'

# What stackcollapse-perf.pl, speedscope and the Firefox profiler take for a sample and a frame. It prints each
# stack, the outermost function first, the event, and the period.
cat >read.pl <<'END'
my ($on, $last, @stack, $line, $event, $period, $comm);
while (<STDIN>) {
    chomp;
    if (/^$/) {
        die "no frames before line $.\n" unless $on && @stack;
        print join(";", $comm, $event, @stack), " $period\n";
        $on = 0;
        @stack = ();
    } elsif (!$on) {
        /^(\S.+?)\s+(\d+)\/*(\d+)*\s+/ or die "no sample: $_\n";
        $comm = $1;
        die "thread 0: $_\n" unless $3;
        /:\s*(\d+)*\s+(\S+):\s*$/ or die "no period and event: $_\n";
        ($period, $event) = ($1, $2);
        /^(.*)\s+([\d.]+):/ or die "no time: $_\n";
        my $time = $2;
        die "times: $_\n" if $time < $last;
        $last = $time;
        /\s+(\d+\.\d+):\s+/ && $1 eq $time or die "no time: $_\n";
        $on = 1;
    } else {
        /^\s*(\w+)\s*(.+) \(([^)]*)\)/ or die "no frame: $_\n";
        my $other = $2;
        /^\s*(\w+)\s*(.+) \((\S*)\)/ && $2 eq $other or die "no frame: $_\n";
        my $function = $2;
        $function =~ s/\+0x[\da-f]+$//;
        unshift @stack, $function;
    }
}
die "no end\n" if $on;
END

# folded NAME PERIODS: samples.folded is what these programs make of samples.txt. PERIODS: of each event.
folded() {
    perl read.pl <"$1/samples.txt" >stacks || { fail "$1/samples.txt cannot be read"; return; }
    awk -v periods="$2" '
        BEGIN { n = split(periods, p, "[ =]"); for (i = 1; i < n; i += 2) of[p[i]] = p[i + 1] }
        { split($1, part, ";"); sum[$1] += $2 / of[part[2]] }
        END { for (s in sum) { t = s; if (n == 2) sub(/;[^;]*/, "", t); print t, sum[s] } }' stacks | sort >expected
    sort "$1/samples.folded" | cmp -s - expected || { fail "$1/samples.folded:"; diff "$1/samples.folded" expected; }
}
both='INSTRUCTIONS_EXECUTED:u=2003 CPU_CLK_UNHALTED:u=4001'
folded fixed "$both"
folded card "$both"
folded throttled "$both"
folded time 'timer=5000'
# Callers by frame pointers, and functions that the compiler has inlined into one another.
expect_text fixed/samples.folded ';load;fibonacci;fibonacci;fibonacci'
expect_text fixed/samples.folded ';mix;scramble '
expect_text fixed/samples.folded ';mix;scramble;fold '
expect_text fixed/samples.txt ' scramble+0x'
grep -q ' scramble+0x[0-9a-f]* (inlined)$' fixed/samples.txt || fail 'nothing is inlined'

# The innermost functions of a sample, up to the one that is not inlined, and its line, are those that binutils say.
awk '/^\t/ { if (at == "") at = $1; if ($1 != at || end) next; sub(/\+0x.*/, "", $2); names = names ";" $2
             end = $NF != "(inlined)" }
     /^$/ { print at names; at = names = ""; end = 0 }' fixed/samples.txt >found
sort -u found >functions
cut -d ';' -f 1 functions | addr2line -a -i -f -e "$KNC_IMAGES/sample_all.elf" |
    awk '/^0x/ { if (at != "") print at names; at = substr($1, 3); sub(/^0*/, "", at); names = ""; next }
         { names = names ";" $1; getline }
         END { print at names }' >expected
cmp functions expected || { fail 'functions:'; diff functions expected; }
[ "$(wc -l <functions)" -gt 20 ] || fail 'few places are sampled'
cut -d ';' -f 1 found | addr2line -e "$KNC_IMAGES/sample_all.elf" | sed 's/ (discriminator.*//; s,.*/,,' |
    sort | uniq -c | awk '{ print $2, $1 }' | sort >expected
# In report.json a line has its file, its number, its function and its samples, in this order.
awk '/^ *"lines"/ { on = 1 } /^ *\]/ { on = 0 }
     on && /"file"/ { file = $2; gsub(/[",]/, "", file); sub(/.*\//, "", file) }
     on && /"line":/ { line = $2 + 0 }
     on && /"samples"/ { sum[file ":" line] += $2 }
     END { for (l in sum) print l, sum[l] }' fixed/report.json | sort >lines
cmp lines expected || { fail 'lines:'; diff lines expected; }

# Without debug information the functions remain.
objcopy --strip-debug "$KNC_IMAGES/sample_all.elf" sample_all.elf
rm -rf stripped
expect_status 0 "$KNC_VP" run sample_all.elf --out stripped --quiet
expect_status 0 "$CHECK_REPORT" stripped/report.json --samplers 8 stripped/samples.txt
expect_text stripped/samples.folded ';mix '
grep -q scramble stripped/samples.folded && fail 'a name from nowhere'
# Names that are no text: the files can be read.
odd=$(printf 'm\377;\t\nx')
objcopy --strip-debug --redefine-sym "mix=$odd" "$KNC_IMAGES/sample_all.elf" odd.elf
rm -rf odd
expect_status 0 "$KNC_VP" run odd.elf --profile --out odd --quiet
expect_status 0 "$CHECK_REPORT" odd/report.json --samplers 8 odd/samples.txt
cat stderr
folded odd "$both"
expect_text odd/samples.folded ';m_:__x '

# Debug information that is something else: no crash, and nothing else changes.
tail -c 5000 "$KNC_IMAGES/sample_all.elf" | head -c 3000 >noise
for section in .debug_info .debug_line .debug_abbrev .debug_rnglists .debug_str; do
    rm -rf spoilt
    objcopy --update-section $section=noise "$KNC_IMAGES/sample_all.elf" sample_all.elf
    expect_status 0 "$KNC_VP" run sample_all.elf --out spoilt --quiet
    expect_status 0 "$CHECK_REPORT" spoilt/report.json --samplers 8 spoilt/samples.txt
done

# The demo's longest skid is that of its first interrupt, whose entry comes from memory; all others are short. With
# another compiler, something else may have brought the line of the entry to the L2.
if [ "$(gcc -dumpversion)" != 12 ]; then finish; fi
"$KNC_VP" run "$KNC_IMAGES/demo.elf" --out all --quiet
end=$(awk '/^demo/ { print substr($4, 1, length($4) - 1) * 1100000000 + 5000; exit }' all/samples.txt)
expect_status 3 "$KNC_VP" run "$KNC_IMAGES/demo.elf" --out first --quiet --set "limits.max_cycles=${end%.*}"
for run in all first; do
    sed -n '/^skid/,/^$/p' $run/report.txt | awk '$1 == "0.0" { print $2, $5 }' >$run.skid
done
read -r count longest <first.skid
[ "$count" -eq 1 ] && [ "$longest" -gt 256 ] || fail "the first interrupt: $(cat first.skid)"
[ "$longest" = "$(cut -d ' ' -f 2 all.skid)" ] || fail "all interrupts: $(cat all.skid)"
grep -q '256-511: 1$' all/report.txt || fail 'more than one long skid'
finish
