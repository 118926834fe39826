#!/bin/sh
# stage.sh SOURCE PROGRAM DIRECTORY SETTINGS: the pages of the site, as mkdocs reads them: README.md as the start
# page, the pages of docs/, and reference pages made from the program's own tables. From the file SETTINGS it makes
# mkdocs.yml beside DIRECTORY, without the entries of the navigation that have no page in this tree.
set -eu
source=$1 program=$2 directory=$3 settings=$4
here=$source/docs/site
rm -rf "$directory"
mkdir -p "$directory/pictures" "$directory/reference"

# README.md speaks of the folder docs/, the pages of themselves. Diagrams become pictures.
for page in "$source/README.md" "$source"/docs/*.md; do
    name=$(basename "$page" .md)
    [ "$name" != README ] || name=index
    sed -e 's,](docs/,](,g' -e 's,](LICENSE),](LICENSE.txt),g' -e 's,](\.\./README\.md,](index.md,g' "$page" |
        awk -v name="$name" -v pictures="$directory/pictures" -f "$here/page.awk" >"$directory/$name.md"
done
for diagram in "$directory"/pictures/*.mermaid; do
    awk -f "$here/diagram.awk" "$diagram" | dot -Tsvg -o "${diagram%.mermaid}.svg"
    rm "$diagram"
done
# Doxygen's pages come later, so mkdocs must not look for them.
sed -i 's,^reference pages of them by Doxygen,<a href="interfaces/index.html">reference pages</a> of them by Doxygen,' "$directory/interfaces.md"
cp "$source"/docs/*.png "$source"/docs/*.svg "$here/site.css" "$directory/"
cp "$source/LICENSE" "$directory/LICENSE.txt"

reference() {
    name=$1 title=$2 intro=$3
    "$program" list "$name" | awk -v kind="$name" -v title="$title" -v intro="$intro" -f "$here/reference.awk" >"$directory/reference/$name.md"
}

reference presets 'Presets' 'The predefined cards: `knc-vp list presets`. `--preset NAME` chooses one ([how](../usage.md#command-line)).'
reference keys 'Configuration keys' 'All parameters of a card, with the values of preset `mini`: `knc-vp list keys`. `--set KEY=VALUE` or a scenario sets one ([how](../usage.md#scenarios)).'
reference events 'Performance events' 'What the counters can count: `knc-vp list events`. [The rules of counting](../pmu.md), [each event measured](../events.md).'
reference metrics 'Metrics' 'What reports and monitor make of events: `knc-vp list metrics`. [How they are used](../monitor.md#metrics).'
reference registers 'Registers' 'MSRs, and registers of local APIC, DBOX and SBOX: `knc-vp list registers`. [PMU](../pmu.md), [local APIC](../apic.md), [MSRs](../system.md#msrs), [SBOX](../sbox.md).'
reference signals 'Signals' 'What a waveform of preset `mini` can show: `knc-vp list signals`. [How to choose and read them](../waveforms.md).'
reference scenarios 'Scenarios' 'The scenarios that come with the program: `knc-vp list scenarios`. [What each of them shows](../scenarios.md).'

awk -v pages="$directory" '{
    if (match($0, /: [a-z_0-9\/]*\.md$/)) {
        page = pages "/" substr($0, RSTART + 2)
        if ((getline line <page) <= 0) next
        close(page)
    }
    print
}' "$settings" >"$(dirname "$directory")/mkdocs.yml"
