# Configuring for a C++ standard the SystemC library was not built for stops with the way out.
. "$(dirname "$0")/lib.sh"

rm -rf build
expect_status 1 cmake -S "$KNC_SOURCE" -B build -G Ninja -DCMAKE_CXX_STANDARD=20 -DKNC_BUILD_TESTS=OFF
expect_text stderr 'another C++ standard than C++20'
tr -s ' \n' ' ' <stderr >oneline
expect_text oneline 'configure with -DCMAKE_CXX_STANDARD=17'
finish
