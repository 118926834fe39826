# Debian's kernel, as Debian has built it, on preset perfmon: its resctrl finds cache monitoring, and reads what two groups
# have of the L3, and their traffic with memory.
#
# KNC_DEBIAN is the folder with Debian's kernel; sw/linux/debian fetches it there.
. "$KNC_SOURCE/tests/integration/lib.sh"
if ! ls "$KNC_DEBIAN"/vmlinuz-* >/dev/null 2>&1; then
    (cd /tmp && apt-get download --print-uris linux-image-amd64) >/dev/null 2>&1 || { echo "no kernel in $KNC_DEBIAN"; exit 77; }
fi
command -v cpio >/dev/null || { echo "no cpio"; exit 77; }


groups=/sys/fs/resctrl/mon_groups
rm -rf report
expect_status 0 sh "$KNC_SOURCE/sw/linux/debian" --work "$KNC_DEBIAN" --preset perfmon --set cmt.bandwidth=true --out report \
    "mount resctrl /sys/fs/resctrl" "cat /sys/fs/resctrl/info/L3_MON/mon_features" "cat /sys/fs/resctrl/info/L3_MON/num_rmids" \
    "cat /sys/devices/system/cpu/cpu0/cache/index3/size" \
    "mkdir $groups/one" "mkdir $groups/two" "cat $groups/one/mon_data/mon_L3_00/llc_occupancy" \
    "write 1 $groups/one/tasks" "use 256" "write 1 $groups/two/tasks" "use 128" "write 1 /sys/fs/resctrl/tasks" \
    "cat $groups/one/mon_data/mon_L3_00/llc_occupancy" "cat $groups/two/mon_data/mon_L3_00/llc_occupancy" \
    "cat $groups/one/mon_data/mon_L3_00/mbm_total_bytes" "cat $groups/one/mon_data/mon_L3_00/mbm_local_bytes" poweroff
tr -d '\r' <report/console.log >console

# after COMMAND: the line that the last such command printed.
after() {
    grep -A1 -F "# $1" console | tail -1
}
# within WHAT VALUE FROM TO
within() {
    [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1: $2, from $3 to $4 expected"
}
expect_text console llc_occupancy
expect_text console mbm_total_bytes
# One tile of four threads: a slice of 1 MB, twice as many monitoring IDs as threads.
[ "$(after 'cat /sys/devices/system/cpu/cpu0/cache/index3/size')" = 1024K ] || fail "the L3 has another size"
[ "$(after 'cat /sys/fs/resctrl/info/L3_MON/num_rmids')" = 8 ] || fail "another number of monitoring IDs"
[ "$(grep -A1 -F "# cat $groups/one/mon_data/mon_L3_00/llc_occupancy" console | sed -n 2p)" = 0 ] || fail "a new group has something"
# Each line of the arrays is there, and what the kernel needs to provide their pages comes on top. The second array is a part
# of the first, whose lines are no longer in the L1, but in the L3: they stay with the first group.
one=$(after "cat $groups/one/mon_data/mon_L3_00/llc_occupancy") two=$(after "cat $groups/two/mon_data/mon_L3_00/llc_occupancy")
within 'occupancy of the first group' "$one" $((256 * 1024)) $((256 * 1024 + 98304))
within 'occupancy of the second group' "$two" 0 32768
# Nothing is written back, as there is room: what was read is what is there.
total=$(after "cat $groups/one/mon_data/mon_L3_00/mbm_total_bytes")
within 'bytes read for the first group' "$total" "$one" $((one + 32768))
within 'of local memory' "$(after "cat $groups/one/mon_data/mon_L3_00/mbm_local_bytes")" "$total" $((total + 4096))
finish
