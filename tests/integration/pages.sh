# README.md and the pages of docs/: links, headings, blocks, navigation; and that these checks notice faults.
. "$(dirname "$0")/lib.sh"
pages() {
    (cd "$1" && awk -v nav="$KNC_SOURCE/docs/site/mkdocs.yml" -f "$KNC_SOURCE/tests/guides/pages.awk" README.md docs/*.md)
}
expect_status 0 pages "$KNC_SOURCE"
[ ! -s stdout ] || cat stdout

rm -rf wrong
mkdir wrong
cp -r "$KNC_SOURCE"/README.md "$KNC_SOURCE"/LICENSE "$KNC_SOURCE"/docs wrong/
cat >wrong/docs/new.md <<'END'
# New
A list
- without an empty line

[nowhere](nothing.md) [no heading](usage.md#nothing) [no picture](nothing.png)

    by indentation

```
what is it?
```
END
expect_status 1 pages wrong
for text in 'docs/new.md:3: a list' 'docs/new.md:5: there is no page docs/nothing.md' 'docs/new.md:5: docs/usage.md has no heading #nothing' \
    'docs/new.md:5: there is no docs/nothing.png' 'docs/new.md:7: a block by indentation' 'docs/new.md:9: a block of what' 'docs/new.md: no page links' \
    'docs/new.md: not in the navigation'; do
    expect_text stdout "$text"
done
[ "$(wc -l <stdout)" -eq 8 ] || fail "not 8 faults"

# The comparison of transcripts: compare WANTED OUTPUT STATUS.
compare() {
    printf "$1" >wanted
    printf "$2" >output
    expect_status "$3" awk -f "$KNC_SOURCE/tests/guides/compare.awk" wanted output
}
compare 'a\nb\n' 'a\nb\n' 0
compare 'a\nb\n' 'a\nc\n' 1
compare 'a\nb\n' 'a\nb\nc\n' 1
compare 'a\nb\n' 'a\n' 1
compare '...\nb\n' 'a\na\nb\n' 0
compare '...\nb\n' 'a\nb\na\n' 1
compare 'a\n...\n' 'a\nb\n' 0
compare 'a\n...\nd\n' 'a\nb\nc\nd\n' 0
compare '...\nb\nc\n...\ne\n' 'b\nd\nb\nc\nd\ne\n' 0
compare '...\nb\nc\n...\ne\n' 'b\nd\nc\nd\ne\n' 1
compare '...\nb\n...\na\n...\n' 'a\nb\n' 1
compare 'a b ...\n' 'a b c d\n' 0
compare 'a b ...\n' 'a c d\n' 1
compare '1.5 s on the host, 2 MIPS\n' '0.25 s on the host, 19.5 MIPS\n' 0
compare '1.5 s simulated\n' '0.25 s simulated\n' 1
compare 'a\nb\n' 'a\nwarning: Source file is more recent than executable.\nb\n' 0
compare '' '' 0
compare '' 'anything\n' 1
finish
