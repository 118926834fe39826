# The kernel's view of the card: topology, caches, clocks, timers, no watchdog on the counters.
. "$(dirname "$0")/lib.sh"

PARAMETERS=
boot out 'cpu-facts; cat /proc/cpuinfo; ls /proc/sys/kernel/nmi_watchdog; uname -a'
for text in \
    'tsc: Detected 1100.000 MHz processor' \
    'smp: Brought up 1 node, 8 CPUs' \
    'smpboot: Max logical packages: 1' \
    'Performance Events: knc PMU driver' \
    '... bit width:              40' \
    '... generic registers:      2' \
    'clocksource: Switched to clocksource tsc' \
    'core             package 0, core 0: CPUs 0-3' \
    'core             package 0, core 1: CPUs 4-7' \
    'leaf 4           L1 data: 32 KB, 8 ways, 64 sets, lines of 64 bytes, 4 threads' \
    'leaf 4           L2 unified: 512 KB, 8 ways, 1024 sets, lines of 64 bytes, 4 threads' \
    "kernel's caches  2 Unified 512K 8 64 0-3" \
    'clock source     tsc' \
    'timer of CPU 0   lapic' \
    'siblings' \
    'reboot: Power down'; do
    expect_text out/console "$text"
done
# The calibration's error is that of its granularity: 16 clocks in 1 ms.
khz=$(sed -n 's/.*local APIC timer: \([0-9]*\) kHz/\1/p' out/console)
[ "$khz" -ge 1099982 ] && [ "$khz" -le 1100018 ] || fail "local APIC timer: $khz kHz"
awk '/^siblings/ { if ($3 != 8) exit 1 } /^cpu cores/ { if ($4 != 2) exit 1 } /^physical id/ { if ($4 != 0) exit 1 }' \
    out/console || fail "not one package of two cores"
grep -q 'unchecked MSR access\|BUG\|WARNING' out/console && fail "the kernel complains"
expect_text out/console 'nmi_watchdog: No such file'

# The NUMBER of cores and threads of a card with the boot processor in the highest core.
expect_status 0 "$KNC_VP" run "$KNC_LINUX/vmlinux" --initrd "$KNC_LINUX/initramfs.cpio.gz" --out high --quiet \
    --preset mini --set boot.bsp=1 --cmdline 'console=hvc0 cpu_init_udelay=10 rc="cat /proc/cpuinfo; poweroff"'
tr -d '\r' <high/console.log >console
# CPU 0 of Linux is the boot processor, APIC ID 4.
[ "$(awk '/^initial apicid/ { print $4; exit }' console)" -eq 4 ] || fail "CPU 0 is not the boot processor"
expect_text console 'smp: Brought up 1 node, 8 CPUs'
finish
