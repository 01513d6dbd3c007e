"""hook_scripts.py: the git hooks of a repository that is held to a gate, as bytes to be installed.

Some judge; others record before them what sessions have edited, so that there is evidence.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from hkgit.gate.entrypoints.earlier_scripts import FORMER, RECORDED
from hkgit.git.repository import Repository
from hkgit.text.hashing import sha256

MARK = "# hkgit gate"
"""The line by which a hook is known as hkgit's own."""

_SCRIPT = """\
#!/bin/sh
{mark}
# {purpose}
# `hkgit init` writes this hook and `hkgit init --remove` takes it away.

python={python}

# Whether the interpreter recorded above is to be started: the hkgit on PATH is a program of its
# own, or there is none. That spares what the program would load before it begins.
is_recorded() {{
    [ -x "$python" ] || return 1
    found=$(command -v hkgit) || return 0
    [ "$found" -ef "${{python%/*}}/hkgit" ] 2>/dev/null
}}

gate() {{
    if is_recorded; then
        # -P: a package named hkgit in the repository being judged is not the judge.
        "$python" -P -c 'import hkgit.__main__' gate "$@"
    elif command -v hkgit >/dev/null 2>&1; then
        hkgit gate "$@"
    else
        echo "hkgit is not on PATH, so nothing can be judged: install it, then try again." >&2
        echo "To take its hooks out:" \\
            "rm \\$(grep -ls '^# hkgit gate' \\$(git rev-parse --git-path hooks)/* .husky/*)" >&2
        exit 1
    fi
}}

{body}"""

_RECORD = """\
# What sessions have edited becomes evidence; where no edit waits nothing is started. That nothing
# can be recorded stops no commit: whether it needs evidence, the gate knows.
record() {
    place=${GIT_DIR:-.git}
    [ -d "$place" ] || place=$(git rev-parse --git-dir)
    [ -e "$place/hkgit/sessions/.waiting" ] || [ -e .hkgit/local/sessions/.waiting ] ||
        [ -n "$HKGIT_STATE" ] || return 0
    if is_recorded; then
        "$python" -P -c 'import hkgit.__main__' record "$@" || :
    elif command -v hkgit >/dev/null 2>&1; then
        hkgit record "$@" || :
    fi
}

"""

_KNOWN = """\
# Whether the judge has let such a commit of a person pass before (see the script's first lines).
is_known() {
    ask=${GIT_DIR:-.git}/hkgit/ask
    [ -f "$ask" ] && (. "$ask")
}

"""

_TRANSACTION = """\
[ "$1" = prepared ] || exit 0

# Most refs are none of the gate's business, nor is a branch that adds no commits; this is asked
# of every ref that git moves, so it is asked before Python starts.
added() {
    if [ -n "$1" ]; then
        git rev-list -n 1 "$2" --not "$1" || echo unknown
    else
        git rev-list -n 1 "$2" --not --branches --remotes --tags || echo unknown
    fi
}

moved=
while read -r old new ref; do
    case $ref in refs/heads/*) ;; *) continue ;; esac
    case $new in *[!0]*) ;; *) continue ;; esac
    old=$(git rev-parse --quiet --verify "$ref" || :)
    [ -z "$(added "$old" "$new")" ] || moved="$moved$old $new $ref
"
done
[ -z "$moved" ] || printf %s "$moved" | gate --quiet --reference-transaction "$1"
"""

_PRE_RECEIVE = r"""# Who pushes may have had a say in the environment. Of
# what git, Python and hkgit heed in it, only that is kept which git itself sets for a push; home
# is that of the account.
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
gate --quiet --pre-receive
"""

_HOOKS = {
    "pre-commit": (
        "Records what sessions edited of the index, and judges it under the policy of HEAD.",
        f"{_KNOWN}is_known || gate --quiet --record --staged\n",
    ),
    "pre-merge-commit": (
        "Judges the merge that git is about to commit, under the policy of HEAD.",
        "gate --quiet --staged\n",
    ),
    "prepare-commit-msg": (
        "Names the evidence of the commit in its message.",
        f"""{_RECORD}# With -m nobody sees the message before commit-msg names the evidence in it.
[ "$2" = message ] || record --message-file "$1"
""",
    ),
    "commit-msg": (
        "Judges the commit together with its message, under the policy of HEAD.",
        f'{_KNOWN}is_known message "$1" || gate --quiet --record --message-file "$1"\n',
    ),
    "post-commit": (
        "Lets sessions forget what is committed now.",
        f"{_RECORD}record --committed\n",
    ),
    "pre-push": (
        "Judges what each pushed branch or tag adds, under the policy that the remote has.",
        'gate --quiet --pre-push --remote "$1"\n',
    ),
    "reference-transaction": (
        "Judges what each branch gains, however it came about, under the policy it has.",
        _TRANSACTION,
    ),
    "pre-receive": (
        "Judges what each ref of a push adds, under the policy that this server has.",
        _PRE_RECEIVE,
    ),
}

HOOKS = (
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-push",
)
"""What a clone needs for evidence to be recorded, and judged before it leaves, by git's names."""

CLIENT_HOOKS = (*HOOKS, "reference-transaction")
"""What a clone may have."""

COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
"""The hooks that `git commit` runs."""

SERVER_HOOKS = ("pre-receive",)

ALL_HOOKS = tuple(_HOOKS)


def render_script(name: str, python: Path | None = None) -> bytes:
    """Write a hook that finds hkgit on PATH, or else runs it with the `python` recorded in it."""
    purpose, body = _HOOKS[name]
    recorded = shlex.quote(python.as_posix() if python is not None else "")
    return _SCRIPT.format(mark=MARK, purpose=purpose, python=recorded, body=body).encode(
        "utf-8", "surrogateescape"
    )


def is_active(hook: Path) -> bool:
    """Whether git would run a hook."""
    return hook.is_file() and os.access(hook, os.X_OK) and find_script(hook).is_file()


def find_script(hook: Path) -> Path:
    """Find the file that says what a hook does.

    Of husky's own hooks (`.husky/_`), which are made again by each `npm install`, it is the file of
    that name above them, part of the repository: they run nothing else.
    """
    is_huskys = hook.parent.name == "_" and (hook.parent / "h").is_file() and hook.is_file()
    return hook.parent.parent / hook.name if is_huskys else hook


def is_own(name: str, content: bytes) -> bool:
    """Whether a hook is as hkgit wrote it, now or once, with whichever interpreter in it."""
    plain = RECORDED.sub(b"python=''", content, count=1)
    return plain == render_script(name) or sha256(plain).hexdigest() in FORMER.get(name, ())


def find_foreign_hooks(repository: Repository) -> tuple[str, ...]:
    """List the active hooks of `git commit` that are not hkgit's own: they need a full checkout."""
    directory = repository.hooks_path or repository.common_dir / "hooks"
    return tuple(name for name in COMMIT_HOOKS if _is_foreign(directory / name))


def _is_foreign(hook: Path) -> bool:
    if not is_active(hook):
        return False
    return hook.name not in HOOKS or not is_own(hook.name, find_script(hook).read_bytes())
