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

# The script that runs Debian's kernel: here the kernel is a stand-in, which prints its command line.
script="sh $KNC_SOURCE/sw/linux/debian"
line='console=ttyS0,115200 quiet tsc_early_khz=1100000 lpj=4400000 tsc=reliable nmi_watchdog=0'
line="$line mitigations=off cryptomgr.notests reboot=acpi panic=-1 nokaslr more"
printf '%s -- "cat /proc/version" "poweroff"\nthe initrd\n' "$line" >expected
expect_status 0 $script --compressed --kernel "$KNC_IMAGES/kernel.bzImage" --initrd initrd --append more --out debian \
    'cat /proc/version' poweroff
cmp -s expected debian/console.log || { fail "the script's kernel printed:"; cat debian/console.log; }
# One line each says why it stops.
refused 'unknown option --foo' $script --foo
refused '--tiles needs a value' $script --tiles
refused 'missing cannot be read' $script --kernel missing
refused 'is no bzImage' $script --kernel "$KNC_IMAGES/hello.elf"
refused 'not compressed by xz' $script --kernel "$KNC_IMAGES/kernel.bzImage"

# run_refused TEXT ARGUMENTS...
run_refused() {
    text_wanted=$1
    shift
    refused "$text_wanted" "$KNC_VP" run "$@"
}
head -c 1024 "$KNC_IMAGES/kernel.bzImage" >cut
run_refused 'truncated' cut
run_refused 'an initrd is for a Linux kernel' "$KNC_IMAGES/hello.elf" --initrd initrd
run_refused 'No such file' "$KNC_IMAGES/kernel.bzImage" --initrd missing
run_refused 'longer than 2047 bytes' "$KNC_IMAGES/kernel.bzImage" --cmdline "$(printf '%2048s' x)"
finish
