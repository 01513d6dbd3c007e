# hkgit at work on a throw-away repository of its own sources, in whose directory this is run.
# Every line shown is printed by a real command; another exit code than the promised one ends it.

target=hkgit/matching/place.py
function='def format_decimal(per_mille: int) -> str:'

hkgit() {
    "$PYTHON" -P -m hkgit "$@"
}

title() {
    printf '\n== %s\n' "$1"
}

# show COMMAND [CODE]: run a command and show it and what it prints.
show() {
    printf '$ %s\n' "$1"
    said=$(eval "$1" 2>&1 </dev/null) && code=0 || code=$?
    [ -z "$said" ] || printf '%s\n' "$said" | sed 's/^/  /'
    [ "$code" = 0 ] || printf '  (exit code %s)\n' "$code"
    [ "$code" = "${2:-0}" ] || exit 1
}

# read_lines LINES: show them, and keep their hash.
read_lines() {
    show "hkgit read $target:$1"
    hash=$(printf '%s\n' "$said" | sed -n '1s/.* //p')
}

# add FILE: write a file of what is on standard input, and show it.
add() {
    cat >"$1"
    printf '%s:\n' "$1"
    sed 's/^/  | /' "$1"
}

# change OLD NEW: change the target without hkgit.
change() {
    sed "s/$1/$2/" "$target" >spec-changed && cat spec-changed >"$target"
}

printf 'spec-*\n' >.gitignore
git init -q -b main && git add -A && git commit -q -m 'The own sources of the package' || exit 1
printf "A repository of hkgit's own sources: %s\n" "$(git rev-parse --short=12 HEAD)"
first=$(grep -nF "$function" "$target" | cut -d: -f1) last=$((first + 2))

title 'Read lines with their hash, and replace exactly those'
read_lines "$first-$last"
add spec-protocol.json <<END
{
 "version": "1",
 "agent": "demo-agent/1",
 "operations": [
  {
   "op": "replace_range",
   "path": "$target",
   "start_line": $first,
   "end_line": $last,
   "expected_hash": "$hash",
   "new_text": "$function\\n    \"\"\"Write per mille as a decimal, rounded down.\"\"\"\\n    return f\"{per_mille // 1000}.{per_mille % 1000 // 10:02d}\""
  }
 ]
}
END
show 'hkgit apply spec-protocol.json'

title 'A search/replace block that no longer matches exactly still lands, with less confidence'
read_lines "$first-$last"
add spec-drifted.txt <<END
$target
<<<<<<< SEARCH
$function
  """Write per mille as a decimal, rounded downwards."""
  return f"{per_mille // 1000}.{per_mille % 1000 // 10:02d}"
=======
$function
  """Write per mille as a decimal, rounded downwards."""
  whole, rest = divmod(per_mille, 1000)
  return f"{whole}.{rest // 10:02d}"
>>>>>>> REPLACE
END
show "hkgit apply spec-drifted.txt --expect $target:$first-$last=$hash"

title 'The first spec again: what it read is gone, so it is stale'
show 'hkgit apply spec-protocol.json' 3

title 'A text that occurs more than once is refused'
add spec-ambiguous.json <<END
{"file": "hkgit/errors.py", "old_text": "    exit_code = 1", "new_text": "#"}
END
show 'hkgit apply spec-ambiguous.json' 2

title 'A blind commit is rejected by the gate'
show 'hkgit init'
show 'git add .hkgit'
show "git commit -q -m 'Guard the repository with hkgit'"
change "^$function" '&  # written without hkgit'
echo 'An agent changes a file without hkgit, and commits:'
(
    GIT_AUTHOR_NAME=Claude GIT_AUTHOR_EMAIL=noreply@anthropic.com
    show "git commit -q -a -m 'Trust me'" 1
) || exit 1
git reset -q --hard

title 'A commit with one smuggled byte is rejected'
read_lines "$first"
add spec-good.json <<END
{
 "file": "$target",
 "old_text": "$function",
 "new_text": "$function  # ok",
 "expected_hash": "$hash"
}
END
show 'hkgit apply spec-good.json'
change '# ok$' '# oK'
echo 'Somebody amends that commit by one byte, bypassing the hooks:'
show 'git commit -q -a --amend --no-edit --no-verify'
show 'hkgit gate --range HEAD~1..HEAD' 6
git reset -q --hard 'HEAD@{1}'

title 'The audit trail'
show "git log -4 '--format=%h %an: %s%n%(trailers:key=Hkgit-Edit)'"
show 'hkgit log'
show 'hkgit show HEAD'
