# Linux kernels: the loader keeps the promises of the boot protocol, and says what it cannot load. The
# two images are no kernels; they check what they find at their entries.
. "$(dirname "$0")/lib.sh"

printf 'the initrd\n' >initrd
printf 'a line of the kernel\nthe initrd\n' >expected
for image in kernel.bzImage kernel.vmlinux; do
    for preset in mini 3120a; do
        rm -rf out
        expect_status 0 "$KNC_VP" run "$KNC_IMAGES/$image" --preset $preset --initrd initrd \
            --cmdline 'a line of the kernel' --out out --quiet
        cmp -s expected out/console.log || { fail "$image on $preset printed:"; cat out/console.log; }
    done
done

cat >plan.toml <<END
image = "$KNC_IMAGES/kernel.bzImage"
cmdline = "a line of the kernel"
initrd = "initrd"
END
expect_status 0 "$KNC_VP" run plan.toml --out plan --quiet
cmp -s expected plan/console.log || { fail "the scenario printed:"; cat plan/console.log; }

# refused TEXT ARGUMENTS...: one line that contains TEXT, exit status 2.
refused() {
    text=$1
    shift
    expect_status 2 "$KNC_VP" run "$@"
    expect_text stderr "$text"
    [ "$(wc -l <stderr)" -eq 1 ] || { fail "more than one line:"; cat stderr; }
}
head -c 1024 "$KNC_IMAGES/kernel.bzImage" >cut
refused 'truncated' cut
refused 'an initrd is for a Linux kernel' "$KNC_IMAGES/hello.elf" --initrd initrd
refused 'No such file' "$KNC_IMAGES/kernel.bzImage" --initrd missing
refused 'longer than 2047 bytes' "$KNC_IMAGES/kernel.bzImage" --cmdline "$(printf '%2048s' x)"
finish
