# What send-file prints, receive cuts out of a console's log, byte for byte; damage is noticed.
. "$KNC_SOURCE/tests/integration/lib.sh"
receive=$KNC_SOURCE/sw/linux/receive

# All lengths modulo 3 and a line's 57 bytes, all byte values, compressed and not.
for size in 0 1 2 3 56 57 58 114 5000; do
    head -c "$size" "$SEND_FILE" >file$size
    for option in "" -n; do
        rm -rf received
        expect_status 0 "$SEND_FILE" $option file$size
        # A console ends lines by CR LF, and other output surrounds the file.
        { echo "[ 0.1] boot"; sed 's/$/\r/' stdout; echo "# poweroff"; } >log
        expect_status 0 sh "$receive" log received
        cmp -s file$size received/file$size || fail "$size bytes$option came back otherwise"
    done
done

# Two files in a log, with a message of the kernel between two lines.
expect_status 0 "$SEND_FILE" -n file114 file5000
awk '{ print } NR == 2 { print "[    1.5] a message" }' stdout >log
expect_status 0 sh "$receive" log two
cmp -s file114 two/file114 && cmp -s file5000 two/file5000 || fail "two files came back otherwise"

# damaged TEXT: log is refused.
damaged() {
    rm -rf received
    expect_status 1 sh "$receive" log received
    expect_text stderr "$1"
    [ -z "$(ls received)" ] || fail "a damaged file was kept"
}
expect_status 0 "$SEND_FILE" -n file5000
cp stdout whole
sed 5d whole >log
damaged 'file5000 is damaged'
sed '5s/./#/10' whole >log
damaged 'file5000 is damaged'
grep -v '^end-file' whole >log
damaged 'file5000 has no end'
echo nothing >log
damaged 'no file in log'

# A name cannot lead out of the directory.
sed 's/file5000/..\/outside/' whole >log
expect_status 0 sh "$receive" log received
[ ! -e outside ] && cmp -s file5000 received/file1 || fail "a path in a name was followed"
finish
