# isa_check_test.sh CHECKER IMAGE: the checker finds the instructions of a compat image that the profile lacks.
status=0
found=$("$1" "$2") || status=$?
if [ "$status" -ne 1 ]; then
    echo "isa_check ends with $status, 1 expected"
    exit 1
fi
for wanted in 'platform_put.*in %dx' 'platform_exit.*out %eax' 'platform_delay.*pause'; do
    if ! echo "$found" | grep -q "$wanted"; then
        echo "isa_check does not find '$wanted'"
        exit 1
    fi
done
