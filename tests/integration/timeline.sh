# The time line of a run: well formed, the same for any quantum, nothing of the report depends on it,
# and its slices are what report and log say.
. "$(dirname "$0")/lib.sh"
image=$KNC_IMAGES/timeline.elf

expect_status 0 "$KNC_VP" run "$image" --out plain --quiet
expect_status 0 "$KNC_VP" run "$image" --out line --timeline --log instructions,apic,exceptions
expect_status 0 "$CHECK_REPORT" line/report.json --same plain/report.json
expect_status 0 "$CHECK_TIMELINE" line/timeline.json --skid line/report.json
for quantum in 1 37 100000; do
    expect_status 0 "$KNC_VP" run "$image" --out quantum --timeline --quiet --set sim.quantum=$quantum
    cmp line/timeline.json quantum/timeline.json || fail "the time line depends on the quantum ($quantum)"
done

# clock THREAD LEVEL... PATTERN: the clock of the first line of the log that matches.
clock() { awk -v p="$1" '$0 ~ p { print $1; exit }' line/log.txt; }

# track NAME: its slices without clocks.
track() {
    "$CHECK_TIMELINE" line/timeline.json --track "$1" | sed 's/^\( *\)[0-9]* [0-9]* /\1/'
}
# slice TRACK NAME N: begin and end of the Nth slice of this name.
slice() {
    "$CHECK_TIMELINE" line/timeline.json --track "$1" |
        sed 's/^ *//' | awk -v name="$2" -v n="$3" '{ b = $1; e = $2; sub(/^[0-9]+ [0-9]+ /, "") }
            $0 == name && --n == 0 { print b, e; exit }'
}

# outer calls inner twice, which calls kernel_loop: nothing else is in it.
track '0.0 functions' | awk '/^ *outer$/ { on = 1; d = match($0, /[a-z]/) }
    on && match($0, /[a-z]/) <= d && !/outer/ { exit } on { print substr($0, d) }' >functions
cat >expected <<'END'
outer
  inner
    kernel_loop
  inner
    kernel_loop
END
cmp expected functions || { fail "functions of outer:"; cat functions; }
# It begins and ends in the clocks in which the log has its first instruction, and the next one of main.
begin=$(clock ' 0.0 .* outer[+]0x0 ')
end=$(awk '/ 0.0 .* outer[+]/ { on = 1 } on && / 0.0 .* main[+]/ { print $1; exit }' line/log.txt)
[ "$(slice '0.0 functions' outer 1)" = "$begin $end" ] ||
    fail "outer is $(slice '0.0 functions' outer 1), not $begin $end"

# The handler of the performance interrupt: from its acceptance to its IRET, entry up to its first
# instruction, its functions inside of the interrupted one.
begin=$(clock ' 0.0 .*interrupt 0x60 ')
end=$(awk '/ 0.0 .*interrupt 0x60 / { on = 1 } on && / 0.0 .* iretq/ { print $1; exit }' line/log.txt)
[ "$(slice '0.0 interrupts' 'interrupt 0x60' 1)" = "$begin $end" ] ||
    fail "the handler is $(slice '0.0 interrupts' 'interrupt 0x60' 1), not $begin $end"
"$CHECK_TIMELINE" line/timeline.json --track '0.0 functions' >all
awk -v b="$begin" -v e="$end" '$1 >= b && $2 <= e { sub(/^ *[0-9]+ [0-9]+ /, ""); print }' all >handler
expect_text handler on_pmi
expect_text handler serviced
awk -v b="$begin" -v e="$end" '$3 == "kernel_loop" && $1 < b && $2 > e { found = 1 } END { exit !found }' all ||
    fail 'no kernel_loop around the handler'
"$CHECK_TIMELINE" line/timeline.json --beside >pmi
sed 's/^ *[0-9]* [0-9]* //' pmi | tr '\n' ' ' >parts
[ "$(cat parts)" = 'PMI of 0.0 delivery boundary entry ' ] || fail "the interrupt has the parts $(cat parts)"

# A handler that returns to another place ends there, too.
begin=$(clock ' 0.0 .*exception #GP ')
end=$(awk '/ 0.0 .*exception #GP / { on = 1 } on && / 0.0 .* iretq/ { print $1; exit }' line/log.txt)
[ "$(slice '0.0 interrupts' '#GP' 1)" = "$begin $end" ] ||
    fail "the fault is $(slice '0.0 interrupts' '#GP' 1), not $begin $end"

# An arrow for each message: INIT and start-up, ping and pong, each of card.ipi_cycles (100 clocks).
"$CHECK_TIMELINE" line/timeline.json --arrows >arrows
awk '{ print $4 == "->" && $5 - $1 == 100 ? "" : "not 100 clocks: ", $2, $3, $4, $6, $7, $8, $9 }' arrows |
    sed 's/^ *//; s/ *$//' >messages
cat >expected <<'END'
0.0 messages -> 0.1 messages INIT
0.0 messages -> 0.1 messages start-up 0x08
0.0 messages -> 0.1 messages fixed 0x70
0.1 messages -> 0.0 messages fixed 0x71
END
cmp expected messages || { fail "arrows:"; cat arrows; }

# A window: what is under way at its ends is cut there.
expect_status 0 "$KNC_VP" run "$image" --out window --timeline --quiet \
    --set timeline.from=10000 --set timeline.to=12000
expect_status 0 "$CHECK_TIMELINE" window/timeline.json --track '0.0 state'
[ "$(cat stdout)" = '10000 12000 running' ] || fail "a window: $(cat stdout)"

# A limit: one warning, and the report knows nothing of it.
expect_status 0 "$KNC_VP" run "$image" --out short --timeline --set timeline.bytes=4096
[ "$(grep -c 'timeline.json ends at clock [0-9]*: it has timeline.bytes = 4096' stderr)" -eq 1 ] ||
    fail "no warning: $(cat stderr)"
expect_status 0 "$CHECK_TIMELINE" short/timeline.json
[ "$(wc -c <short/timeline.json)" -lt 8192 ] || fail 'the time line is longer than its limit'
expect_status 0 "$CHECK_REPORT" short/report.json --same plain/report.json

# Skids of a run that samples, with every way of delivery; many threads; resets; without caches.
for options in '' '--cmdline nmi' '--set card.caches=false' '--set core.pmi_cycles=25'; do
    # shellcheck disable=SC2086
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/demo.elf" --out demo --timeline --quiet $options
    expect_status 0 "$CHECK_TIMELINE" demo/timeline.json --skid demo/report.json
done
for name in threads card_reset ipi_modes; do
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$name.elf" --out plain --quiet
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$name.elf" --out more --timeline --quiet
    expect_status 0 "$CHECK_TIMELINE" more/timeline.json
    expect_status 0 "$CHECK_REPORT" more/report.json --same plain/report.json
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$name.elf" --out one --timeline --quiet --set sim.quantum=1
    cmp more/timeline.json one/timeline.json || fail "$name: the time line depends on the quantum"
done
expect_status 3 "$KNC_VP" run "$KNC_IMAGES/triple_fault.elf" --out ended --timeline --quiet
expect_status 0 "$CHECK_TIMELINE" ended/timeline.json

rm -rf nothing
expect_status 2 "$KNC_VP" run "$image" --timeline
expect_text stderr 'a time line needs a directory to be written to (--out)'
finish
