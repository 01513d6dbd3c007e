#!/bin/sh
# Written by `hkgit init --agent cline`; `--remove` deletes it.
# Tells hkgit of the calls of tools that $do files. Whatever becomes of it, the call goes on.
call=$(cat)
case $call in
  $tools) printf '%s\n' "$call" | $run ;;
  *) echo '{}' ;;
esac
