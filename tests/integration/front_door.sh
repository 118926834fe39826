# ./run and its helpers: shell syntax, usage, and refusing what they do not know.
. "$(dirname "$0")/lib.sh"

for script in run .ci/run .ci/install-dependencies; do
    [ -x "$KNC_SOURCE/$script" ] || fail "$script is not executable"
    expect_status 0 sh -n "$KNC_SOURCE/$script"
done
expect_status 0 "$KNC_SOURCE/run"
for command in demo test linux build bench fidelity random fuzz mutation docs clean; do
    expect_text stdout "  $command"
done
expect_status 2 "$KNC_SOURCE/run" fly
expect_text stderr 'no such command: fly'
expect_status 2 "$KNC_SOURCE/run" build fast
expect_text stderr 'no such preset: fast'
expect_status 2 "$KNC_SOURCE/run" fuzz
expect_text stderr 'fuzz wants one of: '
expect_status 2 "$KNC_SOURCE/.ci/install-dependencies" everything
expect_text stderr 'no such group: everything'

# Without apt: one line that names the packages.
rm -rf bin
mkdir bin
ln -sf "$(command -v sh)" "$(command -v id)" bin/
expect_status 1 env PATH="$PWD/bin" "$KNC_SOURCE/.ci/install-dependencies"
expect_text stderr 'libsystemc-dev'
[ "$(wc -l <stderr)" -eq 1 ] || fail "not one line"

# With everything installed it has nothing to do and needs no rights.
cat >bin/dpkg-query <<'END'
#!/bin/sh
echo 'ii '
END
cat >bin/apt-get <<'END'
#!/bin/sh
echo called >>apt.log
END
chmod +x bin/dpkg-query bin/apt-get
rm -f apt.log
expect_status 0 env PATH="$PWD/bin:$PATH" "$KNC_SOURCE/.ci/install-dependencies"
[ ! -e apt.log ] || fail "apt-get was called though nothing is missing"
finish
