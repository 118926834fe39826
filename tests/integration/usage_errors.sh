# Whatever is wrong with the arguments or the input: one line that names it, exit status 2, nothing written.
. "$(dirname "$0")/lib.sh"

# usage_refused TEXT ARGUMENTS...: nothing is written.
usage_refused() {
    text_wanted=$1
    shift
    rm -rf out
    refused "$text_wanted" "$KNC_VP" "$@"
    [ ! -s stdout ] || fail "$*: something on standard output"
    [ ! -e out ] || fail "$*: out was created"
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

usage_refused 'no command'
usage_refused "no command 'fly'" fly
usage_refused 'one scenario or image' run
usage_refused 'one scenario or image' run a b
usage_refused 'no_such.elf: No such file' run no_such.elf --out out
usage_refused 'no_such.elf: No such file' run no_image.toml --out out
usage_refused 'imageless.toml: key image' run imageless.toml --out out
usage_refused 'unknown_key.toml:3: unknown key core.issue_intervall' run unknown_key.toml --out out
usage_refused 'odd_key.toml:2: unknown key a_b_ ' run odd_key.toml --out out
usage_refused 'bad_value.toml:3: key card.tiles' run bad_value.toml --out out
usage_refused "bad_geometry.toml:4: key core.tlb.code.entries: '48' is not a power of two" \
    run bad_geometry.toml --out out
usage_refused 'many_ways.toml: key core.branch.ways: 4 ways of 2 entries (core.branch.entries)' \
    run many_ways.toml --out out
usage_refused '--set core.fetch_bytes=24: key core.fetch_bytes' \
    run foreign.elf --set core.fetch_bytes=24 --out out
usage_refused 'bad_syntax.toml:1:' run bad_syntax.toml --out out
usage_refused 'bad_preset.toml: key preset' run bad_preset.toml --out out
usage_refused 'text.elf: neither' run text.elf --out out
usage_refused 'empty.elf: neither' run empty.elf --out out
usage_refused 'four_bytes.elf: truncated' run four_bytes.elf --out out
usage_refused 'foreign.elf: ' run foreign.elf --out out
usage_refused 'is a directory' run . --out out
usage_refused '/dev/zero: is a device' run /dev/zero --out out
usage_refused 'unknown key card.tile' run foreign.elf --set card.tile=3 --out out
usage_refused 'key card.tiles' run foreign.elf --set card.tiles=0 --out out
usage_refused 'key=value' run foreign.elf --set card.tiles --out out
usage_refused 'GDDR5: write_low is below write_high, which is at most write_queue' \
    run foreign.elf --set memory.write_low=65535 --out out
usage_refused 'GDDR5: t_refi is too short' run foreign.elf --set memory.t_refi=0 --out out
usage_refused 'boot.bsp' run foreign.elf --set boot.bsp=5 --out out
usage_refused '--preset: no preset' run foreign.elf --preset 9999x --out out
usage_refused 'unrecognised option' run foreign.elf --frobnicate
usage_refused 'unrecognised option' run foreign.elf --pre mini
usage_refused 'required argument' run foreign.elf --out
usage_refused 'no list' list weather
usage_refused 'list wants one of' list
usage_refused 'no preset' list keys --preset 9999x
usage_refused 'check FILE' vcd
usage_refused 'wants a file' vcd check
usage_refused 'no_such.vcd' vcd check no_such.vcd

if [ -e "$KNC_IMAGES/hello.elf" ]; then
    hello=$KNC_IMAGES/hello.elf
    head -c 5000 "$hello" >truncated.elf
    usage_refused 'truncated.elf: ' run truncated.elf --out out
    usage_refused '/dev/zero: is a device' run "$hello" --initrd /dev/zero --out out
    usage_refused '(--out)' run "$hello" --trace all
    usage_refused "trace scope 'nonsense'" run "$hello" --trace nonsense --out out
    : >file
    usage_refused '--out file/x' run "$hello" --out file/x
fi
finish
