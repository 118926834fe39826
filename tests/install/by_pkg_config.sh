# by_pkg_config.sh CONSUMER PREFIX DIRECTORY COMPILER: builds and runs the consumer by pkg-config alone.
set -eu
rm -rf "$3"
mkdir -p "$3"
pc=$(find "$2" -name knc.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
for program in pmu_alone apic_alone own_msr card_in_system own_l2 own_network pcm_inside pcm_l3; do
    "$4" -std=c++17 "$1/$program.cpp" $(pkg-config --cflags --libs knc) -o "$3/$program"
    "$3/$program"
done
