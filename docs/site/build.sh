#!/bin/sh
# build.sh SOURCE PROGRAM SITE: makes the site of the pages in the folder SITE. Works in the folder from which it is
# called, where mkdocs.all.yml has the settings. Any warning of mkdocs is an error.
set -eu
source=$1 program=$2 site=$3
sh "$source/docs/site/stage.sh" "$source" "$program" "$PWD/pages" mkdocs.all.yml
mkdocs build --quiet --strict --clean --config-file mkdocs.yml --site-dir "$site"
cp "$source/docs/site/from_files.js" "$site/search/"
{
    printf 'var __search = {index: Promise.resolve('
    cat "$site/search/search_index.json"
    printf ')};\n'
} >"$site/search/search_index.js"
