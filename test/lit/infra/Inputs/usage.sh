# usage.sh <source tree>: every script tells what it is for, and does none of it.
cd "$1"
for script in scripts/* scripts/ide/*; do
  [ -f "$script" ] && head -n 1 "$script" | grep -q '^#!/bin/sh' || continue
  told=$(timeout 10 "$script" --help 2>&1) && echo "$told" | grep -q '^[A-Za-z].*[a-z]' ||
    echo "$script: $told"
done
