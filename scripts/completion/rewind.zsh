#compdef rewind
# Completion of rewind's command line for zsh. The program itself knows what a
# word may be: see commands/cli/Complete.h.

_rewind() {
  local -a lines texts shown
  local line note
  lines=("${(@f)$("${(@Q)words[1]/#\~/$HOME}" __complete words "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    [[ -n $line ]] || continue
    note=${line#*$'\t'}
    texts+=("${line%%$'\t'*}")
    shown+=("${line%%$'\t'*}${note:+  -- $note}")
  done
  local found=1
  # -l, as each has a note.
  (( $#texts )) && compadd -l -d shown -a texts && found=0
  if [[ $lines[1] == files ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    _files && found=0
  fi
  return found
}

# The file may be sourced, or be found in $fpath.
if [[ $funcstack[1] == _rewind ]]; then
  _rewind "$@"
else
  compdef _rewind rewind
fi
