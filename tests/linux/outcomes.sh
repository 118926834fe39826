# How a run of Linux ends: power off with status 0, panic and oops with status 1, a kernel that hangs
# by the limit.
. "$(dirname "$0")/lib.sh"

linux() {
    expected=$1
    shift
    expect_status "$expected" "$KNC_VP" run "$KNC_LINUX/vmlinux" --out out --quiet "$@"
}
linux 1 --cmdline 'console=hvc0 cpu_init_udelay=10 quiet'
expect_text out/console.log 'Kernel panic - not syncing: No working init found'
expect_text out/report.json '"code": 1'

linux 1 --initrd "$KNC_LINUX/initramfs.cpio.gz" --cmdline 'console=hvc0 cpu_init_udelay=10 quiet rc="echo c >/proc/sysrq-trigger"'
expect_text out/console.log 'Kernel panic - not syncing: sysrq triggered crash'

# A restart is reported as such.
linux 1 --initrd "$KNC_LINUX/initramfs.cpio.gz" --cmdline 'console=hvc0 cpu_init_udelay=10 quiet rc="reboot"'
expect_text out/report.json '"code": 2'

# Nothing ends this one.
linux 3 --initrd "$KNC_LINUX/initramfs.cpio.gz" --set limits.max_cycles=250000000 \
    --cmdline 'console=hvc0 cpu_init_udelay=10 quiet rc="while :; do :; done"'
expect_text out/report.json '"reason": "limit"'
finish
