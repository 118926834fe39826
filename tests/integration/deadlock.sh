# What the program says about threads that nothing will wake, or that a limit has stopped: who waits,
# for what, and what could wake it. The firmware is sw/tests/deadlock.c.
. "$(dirname "$0")/lib.sh"

# hangs VARIANT: the run is found to hang. Keeps the lines about what threads wait for in `waits`.
hangs() {
    expect_status 3 "$KNC_VP" run "$KNC_IMAGES/deadlock.elf" --cmdline "$1" --quiet --out "$1"
    grep -E '^thread |^  (waits|apic) |^core 0 thread [01]: [^w]|^tile|^interrupt' stderr |
        sed 's/, [0-9]* instructions//' >waits
    cmp expected waits || { fail "$1:"; cat waits; }
    # The report says the same.
    grep -qxF "$(head -1 expected)" "$1/report.txt" || fail "$1: not in report.txt"
}

cat >expected <<'END'
thread 0.0 is halted with interrupts disabled, only NMI or INIT can wake it; 7 threads wait for SIPI
core 0 thread 0: halted
  waits interrupts are disabled: only NMI or INIT can wake it
  apic  interrupt 0x70 pending: interrupts are disabled
END
hangs disabled

cat >expected <<'END'
thread 0.0 is halted until an interrupt comes; 7 threads wait for SIPI
core 0 thread 0: halted
  waits an interrupt, NMI or INIT can wake it
  apic  interrupt 0x70 pending: the task priority is 0x80
END
hangs priority

# The handler of 0x71 has returned without an EOI; 0x70 has the same priority class.
cat >expected <<'END'
thread 0.0 is halted until an interrupt comes; 7 threads wait for SIPI
core 0 thread 0: halted
  waits an interrupt, NMI or INIT can wake it
  apic  interrupt 0x70 pending: 0x71 is in service
  apic  interrupt 0x71 in service, no EOI yet
END
hangs service

cat >expected <<'END'
thread 0.0 is halted with interrupts disabled and NMI blocked, only INIT can wake it; 7 threads wait for SIPI
core 0 thread 0: halted
  waits interrupts are disabled and NMI is blocked: only INIT can wake it
  apic  NMI pending, blocked until IRET
END
hangs nmi

cat >expected <<'END'
thread 0.0 is halted until an interrupt comes; 7 threads wait for SIPI
core 0 thread 0: halted
  waits an interrupt, NMI or INIT can wake it
  apic  performance interrupts are masked: lvt_pmc 0x10070
END
hangs masked

cat >expected <<'END'
thread 0.0 is halted until an interrupt comes; thread 0.1 is halted with interrupts disabled, only NMI or INIT can wake it; 6 threads wait for SIPI
core 0 thread 0: halted
  waits an interrupt, NMI or INIT can wake it
core 0 thread 1: halted
  waits interrupts are disabled: only NMI or INIT can wake it
  apic  interrupt 0x70 pending: interrupts are disabled
END
hangs other

# A shutdown; a loop.
expect_status 3 "$KNC_VP" run "$KNC_IMAGES/triple_fault.elf" --quiet
expect_text stderr 'thread 0.0 is in shutdown, only INIT can wake it; 7 threads wait for SIPI'
expect_text stderr '  waits only INIT can wake it'
expect_status 3 "$KNC_VP" run "$KNC_IMAGES/runaway.elf" --quiet --set limits.max_instructions=100000
grep -qE '^thread 0\.0 runs at runaway\.elf: main\+0x[0-9a-f]+; 7 threads wait for SIPI$' stderr ||
    fail "a loop: $(head -1 stderr)"

# A limit while the first stores of the firmware wait for their lines, at the same clocks as the time
# line says; and while a message is under way: by sw/tests/timeline.c.
image=$KNC_IMAGES/timeline.elf
expect_status 0 "$KNC_VP" run "$image" --quiet --out line --timeline --log apic
clock=$("$CHECK_TIMELINE" line/timeline.json --track 'L2 miss 0' | sed -n 's/^\([0-9]*\) [0-9]* write 0x\(.*\)/\1/p' | head -1)
line=$("$CHECK_TIMELINE" line/timeline.json --track 'L2 miss 0' | sed -n 's/^\([0-9]*\) [0-9]* write 0x\(.*\)/\2/p' | head -1)
expect_status 3 "$KNC_VP" run "$image" --quiet --set limits.max_cycles=$((clock + 100))
grep -qE "^tile 0: miss of line 0x$line since clock $clock, directory slice of tile [01], controller 0; " stderr ||
    fail "no miss of $line since $clock: $(grep '^tile' stderr)"
sent=$(awk '/sends fixed 0x70/ { print $1 }' line/log.txt)
expect_status 3 "$KNC_VP" run "$image" --quiet --set limits.max_cycles=$((sent + 90))
expect_text stderr "interrupt message under way: fixed 0x70 from 0.0 to 0.1, there in clock $((sent + 100))"
expect_status 3 "$KNC_VP" run "$image" --quiet --set limits.max_cycles=$((sent + 101))
grep -q 'under way' stderr && fail 'a message under way that has arrived'
finish
