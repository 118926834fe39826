# What tests of Linux on the card share. KNC_LINUX: the folder that sw/linux/build made; without a kernel
# in it the test is skipped.
. "$KNC_SOURCE/tests/integration/lib.sh"
[ -e "$KNC_LINUX/vmlinux" ] && [ -e "$KNC_LINUX/initramfs.cpio.gz" ] || { echo "no kernel in $KNC_LINUX"; exit 77; }

# boot OUT COMMANDS [ARGUMENTS OF knc-vp...]: Linux executes COMMANDS and powers off, on 8 threads.
# The console is in OUT/console. KERNEL and PARAMETERS: another kernel, more kernel parameters.
boot() {
    out=$1 commands=$2
    shift 2
    rm -rf "$out"
    expect_status 0 "$KNC_VP" run "$KNC_LINUX/${KERNEL:-vmlinux}" --initrd "$KNC_LINUX/initramfs.cpio.gz" \
        --out "$out" --quiet --cmdline "console=hvc0 cpu_init_udelay=10 ${PARAMETERS-quiet} rc=\"$commands; poweroff\"" "$@"
    tr -d '\r' <"$out/console.log" >"$out/console"
}
