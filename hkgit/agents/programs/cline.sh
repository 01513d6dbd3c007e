#!/bin/sh
# Written by `hkgit init --agent cline`; `--remove` deletes it.
# Tells hkgit about the tool calls that $do files. Whatever happens to it, the call goes on.
call=$(cat)
case $call in
  $tools) printf '%s\n' "$call" | $run ;;
  *) echo '{}' ;;
esac
