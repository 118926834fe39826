# firmware_table.sh TABLE: every image that is built is in the table.
set -eu
failed=0
for image in "$KNC_IMAGES"/*.elf; do
    name=$(basename "$image" .elf)
    grep -q "^$name " "$1" || { echo "$name is not in $1"; failed=1; }
done
exit $failed
