#!/bin/sh
# Every hook of hkgit is this file; its name says what it does. `hkgit init` writes it, and
# `hkgit init --remove` takes it away while the hash above is that of all other lines.

python=''
hook=${0##*/} hook=${hook%%.*}
# The framework pre-commit runs it before its own hooks, which see all that differs from the index.
case $0 in *.legacy) PRE_COMMIT=1 && export PRE_COMMIT ;; esac

# Whether edits of a session may wait for their commit (-e), and whether there is more to look for
# behind it (-s): where none does, nothing is started.
waits() {
    place=${GIT_DIR:-.git}
    [ -d "$place" ] || place=$(git rev-parse --git-dir)
    [ "$1" "$place/hkgit/sessions/.waiting" ] || [ "$1" .hkgit/local/sessions/.waiting ] ||
        [ -n "$HKGIT_STATE" ]
}

# Whether commit-msg will judge the commit, message and all, and nothing is to be recorded before.
is_left_to_commit_msg() {
    ! waits -e && [ -z "@SHELLS@" ] &&
        [ -x "${0%/*}/commit-msg" ] && cmp -s "$0" "${0%/*}/commit-msg"
}

# Print the branches that gain commits of all refs that git is about to move.
find_moved() {
    while read -r old new ref; do
        case $ref in refs/heads/*) ;; *) continue ;; esac
        case $new in *[!0]*) ;; *) continue ;; esac
        old=$(git rev-parse --quiet --verify "$ref" || :)
        if [ -n "$old" ]; then
            added=$(git rev-list -n 1 "$new" --not "$old" || echo unknown)
        else
            added=$(git rev-list -n 1 "$new" --not --branches --remotes --tags || echo unknown)
        fi
        [ -z "$added" ] || printf '%s\n' "$old $new $ref"
    done
}

# Who pushes may have had a say in the environment. Of what git, Python and hkgit read in it, only
# what git itself sets for a push is kept; home is that of the account.
clean_environment() {
    names=$(env | sed -nE 's/^(_*(GIT|PYTHON|HKGIT|XDG|LD|DYLD)_?[A-Za-z0-9_]*)=.*/\1/p')
    for name in $names; do
        case $name in
            GIT_DIR|GIT_OBJECT_DIRECTORY|GIT_ALTERNATE_OBJECT_DIRECTORIES|GIT_QUARANTINE_PATH) ;;
            GIT_NAMESPACE|GIT_PROTOCOL|GIT_SHALLOW_FILE|GIT_PUSH_*) ;;
            *) unset "$name" ;;
        esac
    done
    eval "HOME=~$(id -un)" 2>/dev/null || HOME=/nonexistent
    export HOME
}

case $hook in
    pre-commit)
        ! is_left_to_commit_msg || exit 0
        set -- hkgit gate --quiet --record --staged
        ;;
    prepare-commit-msg)
        # With -m nobody sees the message before commit-msg names the evidence in it.
        [ "$2" != message ] && waits -e || exit 0
        set -- hkgit record --message-file "$1"
        ;;
    commit-msg) set -- hkgit gate --quiet --record --message-file "$1" ;;
    post-commit)
        waits -e || exit 0
        # Entries that came through the index of `git commit -- PATH` or `-a`.
        git checkout --quiet HEAD -- .hkgit/ledger .hkgit/.gitattributes 2>/dev/null || :
        # Of a commit without evidence, and of one that was amended, there may be something to say.
        waits -s || case $(git log -g -1 --format=%gs%n%B) in
            "commit (amend)"*) ;;
            *"
Hkgit-Entry: "*) exit 0 ;;
        esac
        set -- hkgit record --committed
        ;;
    pre-push) set -- hkgit gate --quiet --pre-push --remote "$1" ;;
    reference-transaction)
        [ "$1" = prepared ] || exit 0
        moved=$(find_moved)
        [ -n "$moved" ] || exit 0
        exec <<END
$moved
END
        set -- hkgit gate --quiet --reference-transaction "$1"
        ;;
    pre-receive)
        clean_environment
        set -- hkgit gate --quiet --pre-receive
        ;;
    *)
        echo "$0: give this file the name of a hook, such as pre-receive" >&2
        exit 1
        ;;
esac

# The interpreter recorded above is started if the hkgit on PATH is its own, or there is none: that
# spares what the program would load before it begins. -P: a package named hkgit in the repository
# being judged is not the judge.
code=0 found=$(command -v hkgit) || found=
if [ -x "$python" ] && { [ -z "$found" ] || [ "$found" -ef "${python%/*}/hkgit" ]; }; then
    shift
    "$python" -P -c 'try: import hkgit.__main__
except ModuleNotFoundError as error:
    if str(error.name).partition(".")[0] != "hkgit": raise
    raise SystemExit(127)' "$@" || code=$?
elif [ -n "$found" ]; then
    "$@" || code=$?
else
    code=127
fi

# A commit that cannot be recorded is made all the same: whether it needs evidence, the gate knows.
# So is one without hkgit, by whoever has not installed it; a server never takes what nobody judged.
case $hook:$code in
    prepare-commit-msg:* | post-commit:* | pre-commit:12[67]) exit 0 ;;
    *:12[67]) ;;
    *) exit $code ;;
esac
echo "hkgit is not installed, so it judges nothing here. Install it, or remove its hooks:" \
    "rm -f \$(grep -ls '^# hkgit sha256' \$(git rev-parse --git-path hooks)/* .husky/*)" >&2
[ "$hook" != pre-receive ]
