# Completion of rewind's command line for bash. The program itself knows what a
# word may be: see commands/cli/Complete.h.

_rewind() {
  local program=${COMP_WORDS[0]/#\~/$HOME} files
  local -a found
  {
    IFS= read -r files
    mapfile -t found
  } < <("$program" __complete line "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
  COMPREPLY=("${found[@]}")
  if [ "$files" = files ]; then
    compopt -o filenames
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2")
  fi
}
complete -F _rewind rewind
