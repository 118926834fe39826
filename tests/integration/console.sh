# The console both ways: what a user types, by every way to type it, and how a run ends.
. "$(dirname "$0")/lib.sh"
shell=$KNC_IMAGES/shell.elf
prompt='commands: '
ended_by_user='ended by the user (Ctrl-A x)'

# --- From a file: all of it is received, in the order and with the echo of the guest.
printf 'echo one two\nid\nexit 0\n' >typed
expect_status 0 "$KNC_VP" run "$shell" --out out <typed
printf 'commands: echo TEXT, id, interrupts, exit N, panic, hang, spin\n> echo one two\none two\n> id\nthread 0\n> exit 0\n' >wanted
cmp wanted stdout || fail "not what the guest should print"
cmp wanted out/console.log || fail "console.log differs from the console"
expect_text stderr 'power off: firmware ended the run with code 0'
# More than the UART's FIFO holds, sent to a guest that is busy.
{ printf 'echo '; printf '%070d\n' 7 8 9 | tr '\n' ' ' | cut -c 1-70; echo 'exit 5'; } >long
expect_status 1 "$KNC_VP" run "$shell" <long
expect_text stdout "$(sed -n 's/^echo //p' long | head -1)"

# The clock of every character is that of simulated time: neither quantum nor trace change anything.
expect_status 0 "$KNC_VP" run "$shell" --out out1 --set sim.quantum=1 <typed
expect_status 0 "$CHECK_REPORT" out/report.json --same out1/report.json
expect_status 0 "$KNC_VP" run "$shell" --out out2 --trace tile0.t0 --set trace.from=60000 --set trace.to=90000 <typed
expect_status 0 "$CHECK_REPORT" out/report.json --same out2/report.json
expect_status 0 "$KNC_VP" run "$shell" --out out3 --set uart.character_cycles=20000 <typed
"$CHECK_REPORT" out/report.json --same out3/report.json >/dev/null 2>&1 &&
    fail "uart.character_cycles changes nothing"

# --- No input at all, and none that the firmware wants.
expect_status 3 "$KNC_VP" run "$shell" </dev/null
expect_text stderr 'hung: all threads halted'
expect_status 3 "$KNC_VP" run "$shell" <&-
expect_text stderr 'hung: all threads halted'
{ "$KNC_VP" run "$KNC_IMAGES/hello.elf" --quiet >/dev/null; cat >left; } <typed
cmp typed left || fail "a program that does not listen has taken its input"
# A pipe: an end of the input is not the end of the run.
printf 'exit 3\n' | "$KNC_VP" run "$shell" >stdout 2>stderr
expect_text stderr 'guest reported failure 3'
sleep 1 | expect_status 3 "$KNC_VP" run "$shell"

# --- A scenario's session, with self-checking firmware at the other end.
letters=ABCDEFGHIJKLMNOPQRSTUVWXY
cat >uart.toml <<END
image = "$KNC_IMAGES/uart.elf"
[[session]]
wait = "poll\n"
send = "0123456789012345678901234567890123456789"
[[session]]
wait = "few\n"
send = "xyz"
[[session]]
wait = "trigger\n"
send = "abcdefgh"
[[session]]
wait = "few\n"
send = "xyz"
[[session]]
wait = "many\n"
send = "$letters$letters$letters$letters"
timeout = 0.5
[[expect]]
name = "all checks"
console = "198 checks, 0 failed"
END
same_with() {
    expect_status 0 "$KNC_VP" run uart.toml --out uart0 "$@" </dev/null
    expect_status 0 "$KNC_VP" run uart.toml --out uart1 --set sim.quantum=1 "$@" </dev/null
    expect_status 0 "$CHECK_REPORT" uart0/report.json --same uart1/report.json
    expect_status 0 "$KNC_VP" run uart.toml --out uart2 --set sim.quantum=777 "$@" <typed
    expect_status 0 "$CHECK_REPORT" uart0/report.json --same uart2/report.json
    expect_status 0 "$KNC_VP" run uart.toml --out uart3 "$@" --trace tile0.t0 \
        --set trace.from=100000 --set trace.to=130000 </dev/null
    expect_status 0 "$CHECK_REPORT" uart0/report.json --same uart3/report.json
}
same_with
same_with --set card.caches=false
# The same UART at the ports of a PC, and at the page.
expect_status 0 "$KNC_VP" run uart.toml --set card.profile=compat </dev/null

# What does not come: within its time, before the power is off, before all threads halt.
session() {
    printf 'image = "%s"\n[[session]]\nwait = "> "\nsend = "%s"\n[[session]]\nwait = "tea"\n%s\n' \
        "$shell" "$1" "$2" >session.toml
}
session 'spin\n' 'timeout = 0.001'
expect_status 1 "$KNC_VP" run session.toml --out out </dev/null
expect_text stderr 'knc-vp: session.toml:5: "tea" has not come within 0.001 s simulated; the console ends with "'
expect_text stderr '> spin\n"'
expect_text stderr 'session failed'
expect_text out/report.txt 'session: session.toml:5: "tea" has not come'
expect_status 0 "$CHECK_REPORT" out/report.json
expect_status 1 "$KNC_VP" run session.toml --out out1 --set sim.quantum=1 </dev/null
expect_status 0 "$CHECK_REPORT" out/report.json --same out1/report.json
session 'exit 0\n' ''
expect_status 1 "$KNC_VP" run session.toml --quiet </dev/null
expect_text stderr '"tea" has not come; the console ends with'
session 'hang\n' ''
expect_status 3 "$KNC_VP" run session.toml </dev/null
expect_text stderr '"tea" has not come'
expect_text stderr 'hung: all threads halted, and nothing will wake one (core 0 thread 0 halted with interrupts disabled)'

# --- How a run ended, and the last lines of the console, 20 at most.
{ for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "echo $n"; done; echo panic; } >many
expect_status 1 "$KNC_VP" run "$shell" <many
expect_text stderr 'guest reported failure 255'
sed -n '/^the console.s last lines:$/,$p' stderr >tail
[ "$(wc -l <tail)" -eq 21 ] || fail "20 lines of the console are wanted: $(cat tail)"
grep -q '^> echo 1$' tail && fail "more than the last lines"
grep -q '^> echo 12$' tail || fail "not the last lines"
expect_status 1 "$KNC_VP" run "$shell" --quiet <many
grep -q 'last lines' stderr && fail "--quiet is not quiet"
printf 'spin\n' >spin
expect_status 3 "$KNC_VP" run "$shell" --set limits.max_cycles=1000000 <spin
expect_text stderr 'time limit reached (1000000 clocks)'
expect_text stderr '> spin'

# --- A terminal: raw while the guest listens, restored at every end.
expect_status 0 "$TALK" terminal "wait:$prompt" 'wait:> ' mode:raw 'send:echo a\x03b\r' 'wait:ab' \
    'send:\x01\x01id\r' 'wait:thread 0' 'send:\x01h' 'wait:Ctrl-A Ctrl-A' 'send:\x01x' \
    "wait:$ended_by_user" -- "$KNC_VP" run "$shell"
expect_text stdout 'Ctrl-A x ends the run'
expect_status 3 "$TALK" terminal 'wait:> ' mode:raw 'send:hang\r' 'wait:hung: all threads halted' -- \
    "$KNC_VP" run "$shell"
grep -q 'last lines' stdout && fail "the console is on the terminal already"
expect_status 1 "$TALK" terminal 'wait:> ' 'send:panic\r' -- "$KNC_VP" run "$shell"
for signal in 2 15 1 3 6 11; do
    expect_status $((128 + signal)) "$TALK" terminal 'wait:> ' mode:raw kill:$signal -- "$KNC_VP" run "$shell"
done
# Stopped and continued.
expect_status 0 "$TALK" terminal 'wait:> ' mode:raw kill:20 mode:cooked kill:18 mode:raw 'send:exit 0\r' -- \
    "$KNC_VP" run "$shell"
# A guest that is busy is ended too, and one that does not listen leaves the terminal as it is.
expect_status 0 "$TALK" terminal 'wait:> ' mode:raw 'send:spin\r' 'wait:spin\r\n' 'send:\x01x' \
    "wait:$ended_by_user" -- "$KNC_VP" run "$shell"
expect_status 130 "$TALK" terminal wait:MIPS mode:cooked 'send:\x03' -- "$KNC_VP" run "$KNC_IMAGES/runaway.elf"
# An error at the end of the run: the report cannot be written.
expect_status 1 "$TALK" terminal 'wait:> ' mode:raw 'run:rm -r gone' 'send:exit 0\r' 'wait:cannot be written' -- \
    "$KNC_VP" run "$shell" --out gone

# --- A pseudo-terminal and a socket: what was printed before the client came is there, and again for
# the next one.
rm -f console.socket
for where in pty "socket:$PWD/console.socket"; do
    expect_status 1 "$TALK" "$where" "wait:$prompt" 'wait:> ' 'send:id\r' 'wait:thread 0' leave \
        "wait:$prompt" 'wait:thread 0' 'send:exit 4\r' -- "$KNC_VP" run "$shell" --console "$where" --out out
    expect_text stdout '> exit 4'
    expect_text out/console.log 'thread 0'
    expect_text out/report.json '"code": 4'
done
[ ! -e console.socket ] || fail "the socket is left"
expect_status 2 "$KNC_VP" run "$shell" --console socket:nowhere/s
expect_text stderr 'nowhere/s'
expect_status 2 "$KNC_VP" run "$shell" --console "socket:$(printf '%0200d' 0)"
expect_text stderr 'too long'

# --- A file, and nowhere: no input, nothing on standard output.
expect_status 3 "$KNC_VP" run "$shell" --console file:printed --quiet <typed
[ ! -s stdout ] || fail "output in spite of --console file"
printf 'commands: echo TEXT, id, interrupts, exit N, panic, hang, spin\n> ' | cmp - printed ||
    fail "the file is not what was printed"
expect_status 2 "$KNC_VP" run "$shell" --console file:nowhere/f
expect_status 3 "$KNC_VP" run "$shell" --console none --out out <typed
[ ! -s stdout ] || fail "output in spite of --console none"
expect_text stderr "the console's last lines:"
expect_text out/console.log 'commands'
printf 'image = "%s"\nconsole = "file:printed2"\n' "$shell" >file.toml
expect_status 3 "$KNC_VP" run file.toml
cmp printed printed2 || fail "the scenario's console"
expect_status 2 "$KNC_VP" run file.toml --console tty
expect_text stderr '--console: one of stdio, pty'
finish
