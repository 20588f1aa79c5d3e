# dumps.sh <folder of dumps> <work folder> <each.py> <plugin> <python>...: loads
# each dump in LLDB and asks what it knows.
from=$1 work=$2 each=$3 plugin=$4
shift 4
for n in 01 03 04 05 07 09 11; do
  cp "$from/$n.htm" "$work" || exit 1
  "$@" "$each" "$plugin" "rewind load $work/$n.htm" "register read pc" \
    "register read r31" "disassemble -c 1" "rewind goto end" rsi \
    "rewind info" "rewind list start -c 2" || exit 1
done
