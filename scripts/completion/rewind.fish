# Completion of rewind's command line for fish. The program itself knows what a
# word may be: see commands/cli/Complete.h.

function __rewind_ask
    set -l before (commandline -opc)
    set -l word (commandline -ct | string unescape)
    # An unfinished quote cannot be undone.
    test -n "$word"; or set word (commandline -ct | string trim --left --chars "'\"")
    $before[1] __complete words $before[2..-1] "$word" 2>/dev/null
end

function __rewind_complete
    set -l found (__rewind_ask)
    string join \n -- $found[2..-1]
end

# Paths are fish's own to complete: one may have several lines.
function __rewind_wants_file
    set -l found (__rewind_ask)
    test "$found[1]" = files
end

complete --command rewind --no-files --arguments '(__rewind_complete)'
complete --command rewind --force-files --condition __rewind_wants_file
