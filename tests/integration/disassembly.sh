# knc-vp disassemble on whole images: addresses and bytes are those that objdump finds in 16-, 32- and 64-bit
# code; the card's own instructions, which objdump does not know; ranges; wrong arguments.
. "$(dirname "$0")/lib.sh"

# Columns address and bytes, of both programs' listings.
columns() {
    sed -n 's/^ *\([0-9a-f]*\):[[:space:]]*\(\([0-9a-f][0-9a-f] \)*\).*/\1 \2/p' "$1" | sed 's/ *$//'
}
# by_objdump IMAGE SECTION MACHINE: appends its columns to the file theirs.
by_objdump() {
    objdump -d -w --insn-width=15 -b "$4" -m "$3" -j "$2" "$1" >dump || fail "objdump $1"
    columns dump >>theirs
}
same() {
    expect_status 0 "$KNC_VP" disassemble "$1"
    columns stdout >ours
    [ "$(wc -l <ours)" -ge 1000 ] || fail "$1: few instructions"
    cmp -s theirs ours || { fail "$1: not what objdump finds"; diff theirs ours | head; }
    rm theirs
}

# The program for other machines has none of the card's own instructions, but code of all three modes.
by_objdump "$KNC_IMAGES/hello.elf32" .code32 i386 elf32-i386
by_objdump "$KNC_IMAGES/hello.elf32" .code16 i8086 elf32-i386
by_objdump "$KNC_IMAGES/hello.elf32" .text i386:x86-64 elf32-i386
same "$KNC_IMAGES/hello.elf32"
by_objdump "$KNC_IMAGES/protected32.elf" .text i386 elf32-i386
same "$KNC_IMAGES/protected32.elf"

expect_status 0 "$KNC_VP" disassemble "$KNC_IMAGES/hello.elf" --range platform_delay
sed 's/^ *[0-9a-f]*:  //; s/^[0-9a-f]* </</' stdout >listing
cat >wanted <<'T'
<platform_delay>:
89 f8                          mov %edi, %eax
c4 e1 fa ae f0                 delay %rax
c3                             ret
T
cmp -s listing wanted || { fail "platform_delay:"; cat stdout; }
expect_status 0 "$KNC_VP" disassemble "$KNC_IMAGES/hello.elf" --range entry-fill_pdpt --syntax intel
expect_text stdout '<entry>:'
expect_text stdout 'mov esp, '
[ "$(grep -c '>:$' stdout)" -eq 1 ] || fail "more than one label from entry to fill_pdpt"

# list_refused TEXT ARGUMENTS...
list_refused() {
    text_wanted=$1
    shift
    refused "$text_wanted" "$KNC_VP" disassemble "$@"
    [ ! -s stdout ] || fail "$*: something on standard output"
}
list_refused 'wants one image'
list_refused 'wants one image' a b
list_refused 'No such file' no_such.elf
list_refused 'not an ELF file' "$0"
list_refused "no symbol 'foo' with a size" "$KNC_IMAGES/hello.elf" --range foo
list_refused "no address and no symbol 'foo'" "$KNC_IMAGES/hello.elf" --range 0x1000-foo
list_refused 'att or intel is wanted' "$KNC_IMAGES/hello.elf" --syntax masm
finish
