# by_cmake.sh CONSUMER PREFIX DIRECTORY COMPILER KERNEL IMAGE: builds and runs the consumer through find_package(knc).
set -eu
rm -rf "$3"
cmake -S "$1" -B "$3" -G Ninja -DCMAKE_PREFIX_PATH="$2" -DCMAKE_CXX_COMPILER="$4"
cmake --build "$3"
"$3/pmu_alone"
"$3/apic_alone"
"$3/own_msr"
"$3/card_in_system"
printf 'the initrd\n' >"$3/initrd"
printf 'a line of the kernel\nthe initrd\n' >"$3/expected"
"$3/card_boots_image" "$5" 'a line of the kernel' "$3/initrd" "$3/expected"
"$3/own_l2"
"$3/own_network"
"$3/pcm_inside"
"$3/pcm_l3"
if [ -x "$2/bin/knc-vp" ]; then
    "$2/bin/knc-vp" run "$6" --monitor "$3/monitor,wait" --out "$3/run" --quiet >"$3/console" &
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -S "$3/monitor" ] || sleep 0.3
    done
    watched=$("$3/pcm_client" "$3/monitor")
    wait $!
    # The guest's counters, which it does not use itself, say what the platform says.
    for card in 'mini integer 50e-6' 'p55c protected32 2e-6'; do
        for source in ledger msr; do
            rm -f "$3/monitor"
            preset=${card%% *} image=${card#* }
            "$2/bin/knc-vp" run "$(dirname "$6")/${image% *}.elf" --preset "$preset" --monitor "$3/monitor,wait" --quiet >"$3/console" &
            for _ in 1 2 3 4 5 6 7 8 9 10; do
                [ -S "$3/monitor" ] || sleep 0.3
            done
            "$3/pcm_counters" "$3/monitor" $source "${card##* }" >"$3/by_$source"
            wait $!
        done
        [ "$(wc -l <"$3/by_msr")" -gt 10 ]
        cmp "$3/by_ledger" "$3/by_msr"
    done
    # The report says how many instructions there were.
    grep -q " ${watched%% *} instructions," "$3/run/report.txt"
fi

# The package says which C++ standard its SystemC wants.
if cmake -S "$1" -B "$3/cxx20" -G Ninja -DCMAKE_PREFIX_PATH="$2" -DCMAKE_CXX_STANDARD=20 >"$3/log" 2>&1; then
    echo "C++20 was accepted"
    exit 1
fi
tr -s ' \n' ' ' <"$3/log" | grep -q 'another C++ standard than C++20'
# It is not taken for another release.
if cmake -S "$1" -B "$3/version" -G Ninja -DCMAKE_PREFIX_PATH="$2" -DKNC_WANTED=99 >"$3/log" 2>&1; then
    echo "version 99 was found"
    exit 1
fi
