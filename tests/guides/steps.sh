# Read by the script that blocks.awk makes of a page: what is done before and after each command.

# The line of the page, without leading zeros.
line_of() { basename "$1" | sed -e 's/\..*//' -e 's/^0*//'; }

# begin NAME: false if the command is an exception; else $input is what it reads.
begin() {
    step=$1
    input=/dev/null
    [ ! -e "$step.input" ] || input=$step.input
    started=$(date +%s)
    first=$(head -n 1 "$step.command")
    # What a reader has before him is replaced by the shims, but not in the tests.
    PATH=${PATH#"$guides/shims:"}
    case $first in
        ./run* | ctest*) ;;
        *) PATH=$guides/shims:$PATH ;;
    esac
    # What builds and tests runs once, although several pages show it.
    once=
    case $first in
        ./run*)
            once=$once_done/$(printf %s "$first" | sed -e 's/ *#.*//' -e 's/[^a-z]/_/g')
            if [ -e "$once.status" ]; then
                cp "$once.output" "$step.output"
                end "$(cat "$once.status")"
                return 1
            fi
            ;;
    esac
    while read -r when action pattern reason; do
        case $when in
            always) ;;
            quick) [ "$quick" = yes ] || continue ;;
            *) continue ;;
        esac
        printf '%s\n' "$first" | grep -qE -- "$pattern" || continue
        case $action in
            skip)
                echo "$reason" >"$step.skipped"
                return 1
                ;;
            run) return 0 ;;
            instead)
                (eval "$reason") <"$input" >"$step.output" 2>&1
                end $?
                return 1
                ;;
            keys=*)
                # On a terminal, a while after the start.
                (sleep "${KNC_TYPE_AFTER:-120}"; printf "${action#keys=}") |
                    script -qec "sh '$step.command'" /dev/null >"$step.output" 2>&1
                end $?
                return 1
                ;;
        esac
    done <"$guides/exceptions"
}

# end STATUS
end() {
    echo "$1" >"$step.status"
    echo "$(($(date +%s) - started))" >"$step.seconds"
    [ -z "$once" ] || { echo "$1" >"$once.status"; cp "$step.output" "$once.output"; }
}
