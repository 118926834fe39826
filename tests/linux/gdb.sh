# Debian's gdb on a kernel that boots: breakpoints, steps, frames and variables by vmlinux, on all processors. Report and console
# are those of the boot without it.
. "$(dirname "$0")/lib.sh"
socket=$PWD/socket
cat >commands <<END
set pagination off
set width 0
target remote $socket
break start_kernel
continue
backtrace
x/s &linux_banner
stepi
info symbol \$pc
print *(int *)&nr_cpu_ids
print \$cr3 == *(long *)&phys_base + (long)&early_top_pgt - 0xffffffff80000000
delete
hbreak start_secondary
ignore 2 100
watch *(int *)&system_state
commands
silent
printf "system_state %d\\n", *(int *)&system_state
continue
end
break machine_power_off
continue
info threads
backtrace 1
info breakpoints
delete
continue
END

boot alone 'cat /proc/uptime'
(
    appears "$socket" 60
    exec timeout 800 gdb -nx -batch -x commands "$KNC_LINUX/vmlinux"
) >gdb.log 2>&1 &
boot debugged 'cat /proc/uptime' --gdb "$socket,wait"
wait

# Frames of the kernel's own, which keeps frame pointers.
expect_text gdb.log 'Breakpoint 1, 0x'
expect_text gdb.log 'in x86_64_start_kernel ()'
expect_text gdb.log '<linux_banner>:	"Linux version '
expect_text gdb.log 'start_kernel + 1 in section'
# The page tables are those that the variables of the kernel say.
expect_text gdb.log '$2 = 1'
# All processors but the first begin there.
expect_text gdb.log 'breakpoint already hit 7 times'
# SYSTEM_BOOTING is 0: SYSTEM_SCHEDULING 1, SYSTEM_FREEING_INITMEM 2, SYSTEM_RUNNING 3, SYSTEM_POWER_OFF 5.
[ "$(sed -n 's/^system_state //p' gdb.log | tr '\n' ' ')" = '1 2 3 5 ' ] || fail "system_state: $(cat gdb.log)"
expect_text gdb.log 'in machine_power_off ()'
expect_text gdb.log 'exited normally]'

for out in alone debugged; do grep -vE '"(host_seconds|mips)"' $out/report.json >$out.json; done
cmp alone.json debugged.json || fail 'gdb changes the report'
cmp alone/console.log debugged/console.log || fail 'gdb changes the console'
finish
