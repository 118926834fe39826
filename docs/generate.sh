#!/bin/sh
# generate.sh PROGRAM DIRECTORY: reference pages from the program's own tables.
set -eu
mkdir -p "$2"

page() {
    name=$1 title=$2
    {
        echo "# $title"
        echo
        echo '```'
        "$program" list "$name"
        echo '```'
    } >"$directory/$name.md"
}

program=$1 directory=$2
page presets 'Presets'
page keys 'Configuration keys'
page events 'Performance events'
page metrics 'Metrics'
page registers 'PMU and local APIC registers'
page signals 'Waveform signals of preset mini'
