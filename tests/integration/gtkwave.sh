# GTKWave reads the waveform and finds every signal the save file shows.
. "$(dirname "$0")/lib.sh"

rm -rf out
expect_status 0 "$KNC_VP" run "$KNC_IMAGES/hello.elf" --out out --quiet --trace all --set trace.to=2000
expect_status 0 vcd2fst out/trace.vcd out/trace.fst
expect_file out/trace.fst

cat >count.tcl <<'END'
puts "facilities [gtkwave::getNumFacs]"
puts "traces [gtkwave::getTotalNumTraces]"
puts "times [gtkwave::getMinTime] [gtkwave::getMaxTime]"
gtkwave::setMarker 1000000
foreach name {state cpl function pc} { puts "$name [gtkwave::getTraceValueAtMarkerFromName $name]" }
gtkwave::/File/Quit
END
# A display of this test's own: xvfb-run takes the same one for two that start at a time. Its own status is that of
# ending the server, too, which may have gone by itself.
echo 'timeout 60 gtkwave --script count.tcl out/trace.vcd out/trace.gtkw; echo "status $?"' >gtkwave.sh
xvfb-run -a -n $((200 + $$ % 20000)) sh gtkwave.sh >stdout 2>stderr
expect_text stdout 'status 0'
signals=$("$KNC_VP" list signals | wc -l)
expect_text stdout "facilities $signals"
# Each signal, the two lines of each group and the line below each curve are a trace.
groups=$(grep -c '^@800200' out/trace.gtkw)
curves=$(grep -c "^@20200" out/trace.gtkw)
expect_text stdout "traces $((signals + 2 * groups + curves))"
# The first trace of each name is thread 0's. At 1 us it runs at ring 0 in the code that starts the firmware: its values
# have names, which GTKWave takes from the files beside the view.
expect_text stdout 'state running'
expect_text stdout 'cpl ring 0'
function=$(sed -n 's/^function //p' stdout)
grep -q "^[1-9][0-9]* $function\$" out/trace.function.txt || fail "function '$function' is not in trace.function.txt"
grep -q "^pc $function+0x" stdout || fail "pc and function do not agree"
grep -Ei 'warning|error|could not|unable' stdout stderr && fail "GTKWave complains"
finish
