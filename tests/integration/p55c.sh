# Profile p55c: a 32-bit program with MMX, and what the profile refuses.
. "$(dirname "$0")/lib.sh"

cat >mmx.S <<'EOF'
    .code32
    .text
    .align 4
    .long 0x1badb002, 0, -0x1badb002    # Multiboot
    .globl _start
_start:
    movl $0x01010101, %eax
    movd %eax, %mm0
    punpckldq %mm0, %mm0
    paddb %mm0, %mm0
    movd %mm0, %ebx
    emms
    cmpl $0x02020202, %ebx
    jne 1f
    movw $0x3f8, %dx
    movb $'M', %al
    outb %al, %dx
    movb $'\n', %al
    outb %al, %dx
    .ifdef later
    cmovz %eax, %ebx
    .endif
    movb $20, %al
    outb %al, $0xf4
1:  hlt
    jmp 1b
EOF
# build NAME [OPTION]: a Multiboot image of it.
build() {
    as --32 ${2:-} -o "$1.o" mmx.S && ld -m elf_i386 -z max-page-size=4096 -Ttext 0x101000 -o "$1.elf" "$1.o" ||
        fail "$1 does not build"
}
build mmx
build later '--defsym later=1'

# The exit port: 2 * 20 + 1.
expect_status 1 "$KNC_VP" run mmx.elf --set card.profile=p55c
expect_text stdout 'M'
expect_text stderr 'code 41'
expect_status 3 "$KNC_VP" run later.elf --set card.profile=p55c --set limits.max_instructions=100000
expect_text stderr 'cmovz at 0x'
expect_text stderr 'a Pentium with MMX has no such instruction; build with -march=pentium-mmx'

# The other profiles have no MMX.
for other in knc compat; do
    expect_status 3 "$KNC_VP" run mmx.elf --set card.profile=$other --set limits.max_instructions=100000
    expect_text stderr 'no MMX, SSE or AVX'
done

# It has no 64-bit code.
refused 'a 64-bit kernel; profile p55c has no 64-bit code' \
    "$KNC_VP" run "$KNC_IMAGES/kernel.vmlinux" --set card.profile=p55c

# The key of the profile.
expect_status 1 "$KNC_VP" run mmx.elf --set card.profile=p55c --set p55c.mmx_to_x87_clocks=0
expect_status 2 "$KNC_VP" run mmx.elf --set card.profile=p55c --set p55c.mmx_to_x87_clocks=1001
expect_status 2 "$KNC_VP" run mmx.elf --set card.profile=p54c
expect_text stderr 'knc, compat, p55c'

# The pins at an input of the I/O APIC: an edge is in its clock, however far the core runs at a time.
for quantum in 1 7 10000; do
    expect_status 0 "$KNC_VP" run "$KNC_IMAGES/p55c_pins.elf" --preset p55c --cmdline irq12 --set 'p55c.pm_to=irq 12' \
        --set sim.quantum=$quantum --out quantum$quantum --quiet
done
expect_status 0 "$CHECK_REPORT" quantum10000/report.json --same quantum1/report.json
expect_status 0 "$CHECK_REPORT" quantum10000/report.json --same quantum7/report.json
# In a waveform: of each counter two overflows, each for a clock of the bus, which is two of the core's and begins with an
# even one; then its increments: two clocks of counter 0, one of counter 1.
"$KNC_VP" run "$KNC_IMAGES/p55c_pins.elf" --preset p55c --quiet --trace tile0.pmu.t0.pm0,tile0.pmu.t0.pm1 \
    --set trace.to=1000000 --out pins >console
awk -v hz=200000000 -v names='tile0.pmu.t0.pm0 tile0.pmu.t0.pm1' -f "$KNC_SOURCE/tests/integration/vcd_values.awk" pins/trace.vcd |
    awk '{
        for (n = 0; n < 2; ++n) {
            if ($(n + 2) == 1 && level[n] != 1) { begin[n] = $1 }
            if ($(n + 2) == 0 && level[n] == 1) { printf "%d:%d%s ", n, $1 - begin[n], ++pulses <= 4 && begin[n] % 2 ? "!" : "" }
            level[n] = $(n + 2)
        }
    }' >pulses
[ "$(cat pulses)" = '0:2 0:2 1:2 1:2 0:2 1:1 ' ] || fail "the pins in a waveform: $(cat pulses)"
for wrong in 'irq 26' irq 'irq 8' 12; do
    refused 'key p55c.pm_to' "$KNC_VP" run "$KNC_IMAGES/p55c_pins.elf" --preset p55c --set "p55c.pm_to=$wrong"
done
finish
