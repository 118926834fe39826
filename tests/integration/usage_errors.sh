# Whatever is wrong with the arguments or the input: one line that names it, exit status 2, nothing written.
. "$(dirname "$0")/lib.sh"

# refused TEXT ARGUMENTS...: knc-vp refuses and its line contains TEXT.
refused() {
    text=$1
    shift
    rm -rf out
    expect_status 2 "$KNC_VP" "$@"
    [ "$(wc -l <stderr)" -eq 1 ] || fail "$*: not one line: $(cat stderr)"
    [ ! -s stdout ] || fail "$*: something on standard output"
    [ ! -e out ] || fail "$*: out was created"
    expect_text stderr "$text"
}

printf 'image = "no_such.elf"\n' >no_image.toml
printf '[card]\ntiles = 2\n' >imageless.toml
printf 'image = "x.elf"\n[core]\nissue_intervall = 2\n' >unknown_key.toml
printf 'image = "x.elf"\n"a\\nb\\u001b" = 2\n' >odd_key.toml
printf 'image = "x.elf"\n[card]\ntiles = "many"\n' >bad_value.toml
printf 'image = "x.elf"\n[core.tlb.code]\nways = 4\nentries = 48\n' >bad_geometry.toml
printf 'image = "x.elf"\n[core.branch]\nentries = 2\nways = 4\n' >many_ways.toml
printf 'image = "x.elf\n' >bad_syntax.toml
printf 'image = "x.elf"\npreset = "9999x"\n' >bad_preset.toml
printf 'not an image' >text.elf
: >empty.elf
printf '\177ELF' >four_bytes.elf
cp /bin/sh foreign.elf
# Symbolic, so that the scenarios below get past their image to their own mistake.
cp /bin/sh x.elf

refused 'no command'
refused "no command 'fly'" fly
refused 'one scenario or image' run
refused 'one scenario or image' run a b
refused 'no_such.elf: No such file' run no_such.elf --out out
refused 'no_such.elf: No such file' run no_image.toml --out out
refused 'imageless.toml: key image' run imageless.toml --out out
refused 'unknown_key.toml:3: unknown key core.issue_intervall' run unknown_key.toml --out out
refused 'odd_key.toml:2: unknown key a_b_ ' run odd_key.toml --out out
refused 'bad_value.toml:3: key card.tiles' run bad_value.toml --out out
refused "bad_geometry.toml:4: key core.tlb.code.entries: '48' is not a power of two" \
    run bad_geometry.toml --out out
refused 'many_ways.toml: key core.branch.ways: 4 ways of 2 entries (core.branch.entries)' \
    run many_ways.toml --out out
refused '--set core.fetch_bytes=24: key core.fetch_bytes' \
    run foreign.elf --set core.fetch_bytes=24 --out out
refused 'bad_syntax.toml:1:' run bad_syntax.toml --out out
refused 'bad_preset.toml: key preset' run bad_preset.toml --out out
refused 'text.elf: neither' run text.elf --out out
refused 'empty.elf: neither' run empty.elf --out out
refused 'four_bytes.elf: truncated' run four_bytes.elf --out out
refused 'foreign.elf: ' run foreign.elf --out out
refused 'is a directory' run . --out out
refused '/dev/zero: is a device' run /dev/zero --out out
refused 'unknown key card.tile' run foreign.elf --set card.tile=3 --out out
refused 'key card.tiles' run foreign.elf --set card.tiles=0 --out out
refused 'key=value' run foreign.elf --set card.tiles --out out
refused 'GDDR5: write_low is below write_high, which is at most write_queue' \
    run foreign.elf --set memory.write_low=65535 --out out
refused 'GDDR5: t_refi is too short' run foreign.elf --set memory.t_refi=0 --out out
refused 'boot.bsp' run foreign.elf --set boot.bsp=5 --out out
refused '--preset: no preset' run foreign.elf --preset 9999x --out out
refused 'unrecognised option' run foreign.elf --frobnicate
refused 'unrecognised option' run foreign.elf --pre mini
refused 'required argument' run foreign.elf --out
refused 'no list' list weather
refused 'list wants one of' list
refused 'no preset' list keys --preset 9999x
refused 'check FILE' vcd
refused 'wants a file' vcd check
refused 'no_such.vcd' vcd check no_such.vcd

if [ -e "$KNC_IMAGES/hello.elf" ]; then
    hello=$KNC_IMAGES/hello.elf
    head -c 5000 "$hello" >truncated.elf
    refused 'truncated.elf: ' run truncated.elf --out out
    refused '/dev/zero: is a device' run "$hello" --initrd /dev/zero --out out
    refused '(--out)' run "$hello" --trace all
    refused "trace scope 'nonsense'" run "$hello" --trace nonsense --out out
    : >file
    refused '--out file/x' run "$hello" --out file/x
fi
finish
