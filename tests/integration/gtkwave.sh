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
gtkwave::/File/Quit
END
expect_status 0 xvfb-run -a timeout 60 gtkwave --script count.tcl out/trace.vcd out/trace.gtkw
signals=$("$KNC_VP" list signals | wc -l)
expect_text stdout "facilities $signals"
# Each signal, the two lines of each group and the line below each curve are a trace.
groups=$(grep -c '^@800200' out/trace.gtkw)
curves=$(grep -c "^@20200" out/trace.gtkw)
expect_text stdout "traces $((signals + 2 * groups + curves))"
finish
