# The library and its tests without the program: that configures, and nothing asks for the program.
. "$(dirname "$0")/lib.sh"

rm -rf build
expect_status 0 cmake -S "$KNC_SOURCE" -B build -G Ninja -DKNC_BUILD_PLATFORM=OFF -DKNC_BUILD_TESTS=ON
expect_status 0 ninja -C build -t targets all
for target in unit_card fuzz_core kernels; do
    expect_text stdout "bin/$target: "
done
! grep -q 'knc-vp\|knc_platform' stdout || fail "the program is a target"
finish
