# The log of a run: exact lines, the same for any quantum; nothing of the report depends on it.
. "$(dirname "$0")/lib.sh"
image=$KNC_IMAGES/timeline.elf

expect_status 0 "$KNC_VP" run "$image" --out plain --quiet
expect_status 0 "$KNC_VP" run "$image" --out all --log instructions,msr,apic,exceptions --quiet
expect_status 0 "$CHECK_REPORT" all/report.json --same plain/report.json
for quantum in 1 37 100000; do
    expect_status 0 "$KNC_VP" run "$image" --out quantum --quiet --set sim.quantum=$quantum \
        --log instructions,msr,apic,exceptions
    cmp all/log.txt quantum/log.txt || fail "the log depends on the quantum ($quantum)"
done

# A line for each instruction.
executed=$(sed -n 's/^ *"instructions": \([0-9]*\),.*/\1/p' plain/report.json | head -1)
logged=$(grep -c '^ *[0-9]* 0\.[01] *[ku] [UV] ' all/log.txt)
[ "$logged" = "$executed" ] || fail "$logged instructions in the log, $executed in the report"
# As many in V as the event says.
in_v=$(grep -c '^ *[0-9]* 0\.[01] *[ku] V ' all/log.txt)
expect_text plain/report.txt INSTRUCTIONS_EXECUTED_V_PIPE
grep INSTRUCTIONS_EXECUTED_V_PIPE plain/report.txt | grep -qw "$in_v" ||
    fail "$in_v instructions in V, but $(grep INSTRUCTIONS_EXECUTED_V_PIPE plain/report.txt)"

# lines FILE: without clocks.
lines() { sed 's/^ *[0-9]* //' "$1"; }

# What the firmware does with the APICs and the MSR that is not there (sw/tests/timeline.c).
expect_status 0 "$KNC_VP" run "$image" --out some --quiet --log apic,exceptions --set log.from=46000
grep -v ' writes ' some/log.txt >steps
sed 's/ at [0-9a-f]* \([a-z_]*\)+0x[0-9a-f]*/ at \1/; s/in clock [0-9]*/in clock N/' steps >places
lines places >got
cat >expected <<'END'
0.0   apic PMU raises its line
0.0   apic performance interrupt by lvt_pmc 0x60: requested
0.0   interrupt 0x60 at kernel_loop cpl 0
0.0   apic EOI of 0x60
0.0   exception #GP error code 0x0 at read_msr cpl 0
0.0   apic sends INIT to 0.1, there in clock N
0.1   apic receives INIT from APIC ID 0
0.0   apic sends start-up 0x08 to 0.1, there in clock N
0.1   apic receives start-up 0x08 from APIC ID 0
0.0   apic sends fixed 0x70 to 0.1, there in clock N
0.1   apic receives fixed 0x70 from APIC ID 0
0.1   interrupt 0x70 at other_main cpl 0
0.1   apic EOI of 0x70
0.1   apic sends fixed 0x71 to 0.0, there in clock N
0.0   apic receives fixed 0x71 from APIC ID 1
0.0   interrupt 0x71 at platform_delay cpl 0
0.0   apic EOI of 0x71
END
cmp expected got || { fail 'steps:'; cat got; }
# A message takes card.ipi_cycles, and arrives when its sending said.
sent=$(awk '/sends fixed 0x70/ { print $1 + 100; exit }' steps)
said=$(sed -n 's/.*sends fixed 0x70 to 0.1, there in clock //p' steps)
got=$(awk '/receives fixed 0x70/ { print $1 }' steps)
[ "$sent $sent" = "$said $got" ] || fail "sent for $sent, said $said, received $got"

expect_status 0 "$KNC_VP" run "$image" --out msr --quiet --log msr --set log.threads=0.0 --set log.from=46000
sed 's/^ *[0-9]* 0\.0 *//' msr/log.txt | sed '/0x28/,$!d' >got
cat >expected <<'END'
msr WRMSR 0x28 IA32_PerfEvtSel0 = 0x0
msr WRMSR 0x20 IA32_PerfCntr0 = 0xffffffffec
msr WRMSR 0x28 IA32_PerfEvtSel0 = 0x520016
msr RDMSR 0x2f IA32_PERF_GLOBAL_CTRL = 0x0
msr WRMSR 0x2f IA32_PERF_GLOBAL_CTRL = 0x1
msr WRMSR 0x2e IA32_PERF_GLOBAL_OVF_CONTROL = 0x1
msr RDMSR 0x2f IA32_PERF_GLOBAL_CTRL = 0x1
msr WRMSR 0x2f IA32_PERF_GLOBAL_CTRL = 0x0
msr RDMSR 0x1234 no register: #GP(0)
END
cmp expected got || { fail 'MSRs:'; cat got; }

# Instructions of a function: its first call has n = 2, so 1 + 2 * 2 + 1 instructions. They are those
# that disassemble prints.
expect_status 0 "$KNC_VP" run "$image" --quiet --log instructions --set log.functions=kernel_loop
head -6 stderr | sed 's/^ *[0-9]* 0\.0 *k [UV] *//; s/ \+/ /' >got
expect_status 0 "$KNC_VP" disassemble "$image"
sed -n 's/^ *\([0-9a-f]*\):  \([0-9a-f][0-9a-f] \)* *\([a-z].*\)/\1 \3/p' stdout | sed 's/  <.*//' >code
awk 'NR == FNR { text[$1] = $0; sub(/^[0-9a-f]+ /, "", text[$1]); next }
    { at = $1; name = $2; $1 = $2 = ""; sub(/^ +/, ""); print (text[at] == $0 ? "same" : "other: " text[at] " - " $0), name }' code got >compared
cat >expected <<'END'
same kernel_loop+0x0
same kernel_loop+0x3
same kernel_loop+0x6
same kernel_loop+0x3
same kernel_loop+0x6
same kernel_loop+0x8
END
cmp expected compared || { fail 'instructions:'; cat compared code got; }

# Other syntax; a limit with one warning; other threads.
expect_status 0 "$KNC_VP" run "$image" --log instructions --set log.syntax=intel --set log.lines=10 --out ten
[ "$(wc -l <ten/log.txt)" -eq 10 ] || fail 'not 10 lines'
[ "$(grep -c 'the log ends at clock [0-9]*: it has log.lines = 10' stderr)" -eq 1 ] || fail "no warning: $(cat stderr)"
expect_text ten/log.txt 'mov edi, eax'
expect_status 0 "$CHECK_REPORT" ten/report.json --same plain/report.json
expect_status 0 "$KNC_VP" run "$image" --quiet --log apic --set log.threads=1
[ ! -s stderr ] || fail "core 1 has done something: $(head -1 stderr)"

# A page fault with its address, code of programs, ring 3.
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/spaces.elf" --quiet --cmdline last=0 --out spaces --log instructions \
    --symbols "$KNC_IMAGES/spaces_program1" --set log.functions=entry
grep -q '^ *[0-9]* 0\.0 *u [UV] 40000000 spaces_program1:entry+0x0 ' spaces/log.txt || fail "$(head -3 spaces/log.txt)"
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/paging.elf" --quiet --out paging --log exceptions
grep -q 'exception #PF error code 0x[0-9a-f]* address 0x[0-9a-f]* at ' paging/log.txt || fail 'no page fault'

refused "log: no kind 'nothing' (there are instructions, msr, apic, exceptions)" "$KNC_VP" run "$image" --log msr,nothing
refused "log.threads: '2' is no thread (CORE.THREAD) and no core of this card" "$KNC_VP" run "$image" --log msr --set log.threads=2
refused "log.threads: '0.4' is no thread" "$KNC_VP" run "$image" --log msr --set log.threads=0.4
refused "log.syntax: 'other', att or intel is wanted" "$KNC_VP" run "$image" --log msr --set log.syntax=other
finish
