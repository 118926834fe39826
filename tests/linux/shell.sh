# The shell on the console: commands typed and answered, Ctrl-C interrupts what runs, jobs, and the end of the shell powers
# the machine off.
. "$(dirname "$0")/lib.sh"

cat >shell.toml <<END
image = "$KNC_LINUX/vmlinux"
initrd = "$KNC_LINUX/initramfs.cpio.gz"
cmdline = "console=hvc0 quiet cpu_init_udelay=10"

[[session]] # what is typed is echoed, so it must not have the text that the command prints
wait = "# "
send = "(echo be''gun; exec sleep 1000)\n"
[[session]]
wait = "begun"
send = "\u0003"
[[session]] # 128 + SIGINT
wait = "# "
send = "echo status \$?\n"
[[session]]
wait = "status 130"
send = "(echo loop''ing; while :; do :; done)\n"
[[session]]
wait = "looping"
send = "\u0003"
[[session]] # a job in the background, in its own group; it must have begun before the signal
wait = "# "
send = "sleep 1000 & sleep 1; kill \$!; wait \$!; echo job \$?\n"
[[session]] # 128 + SIGTERM
wait = "job 143"
send = "echo answer \$((6 * 7)) >/tmp/answer; cat /tmp/answer\n"
[[session]]
wait = "answer 42"
send = "exit\n"

[[expect]]
name = "powers off"
exit = "firmware"
equals = 0
END
expect_status 0 "$KNC_VP" run shell.toml --out out --quiet
finish
