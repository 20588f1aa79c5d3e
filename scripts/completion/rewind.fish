# Completion of rewind's command line for fish. The program itself knows what a
# word may be: see commands/cli/Complete.h.

function __rewind_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct | string unescape)
    # An unfinished quote cannot be undone.
    test -n "$word"; or set word (commandline -ct | string trim --left --chars "'\"")
    set -l found ($before[1] __complete words $before[2..-1] "$word" 2>/dev/null)
    if test "$found[1]" = files
        set -l option (string match --regex -- '^--[^=]*=' "$word")
        for path in (__fish_complete_path (string replace -- "$option" '' "$word"))
            echo "$option$path"
        end
    end
    string join \n -- $found[2..-1]
end

complete --command rewind --no-files --arguments '(__rewind_complete)'
