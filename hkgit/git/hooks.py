"""hooks.py: the plain git hooks that hold a repository to its gate, as bytes to be installed."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

MARK = "# hkgit gate"
"""The line by which a hook is known as hkgit's own."""

_SCRIPT = """\
#!/bin/sh
{mark}
# {purpose}
# `hkgit init` writes this hook and `hkgit init --remove` takes it away.

python={python}

gate() {{
    if command -v hkgit >/dev/null 2>&1; then
        hkgit gate "$@"
    elif [ -x "$python" ]; then
        # -P: a package named hkgit in the repository being judged is not the judge.
        "$python" -P -m hkgit gate "$@"
    else
        echo "hkgit is not on PATH, so nothing can be judged: install it, then try again." >&2
        exit 1
    fi
}}

{body}"""

_PRE_PUSH = """\
remote=$1

# Where a ref that the remote does not have yet leaves what the remote has.
base() {
    tips=$(git for-each-ref --format='%(objectname)' "refs/remotes/$remote/HEAD")
    [ -n "$tips" ] || tips=$(git for-each-ref --format='%(objectname)' "refs/remotes/$remote/")
    [ -n "$tips" ] && git merge-base "$1" $tips
}

status=0
while read -r _ new ref old; do
    case $ref in refs/heads/* | refs/tags/*) ;; *) continue ;; esac
    # Nothing to judge: the ref is deleted, or a tag of no commit.
    new=$(git rev-parse --quiet --verify "$new^{commit}") || continue
    if ! old=$(git rev-parse --quiet --verify "$old^{commit}" || base "$new"); then
        echo "hkgit: $ref is not judged: nothing of $remote is known here to hold it against" >&2
        continue
    fi
    git merge-base --is-ancestor "$new" "$old" ||
        gate --quiet --range "$old..$new" </dev/null || status=$?
done
exit $status
"""

_HOOKS = {
    "pre-commit": (
        "Judges the index that git is about to commit, under the policy of HEAD.",
        "gate --quiet --staged\n",
    ),
    "pre-merge-commit": (
        "Judges the merge that git is about to commit, under the policy of HEAD.",
        "gate --quiet --staged\n",
    ),
    "commit-msg": (
        "Judges the commit together with its message, under the policy of HEAD.",
        'gate --quiet --message-file "$1"\n',
    ),
    "pre-push": (
        "Judges what each pushed branch or tag adds, under the policy that the remote has.",
        _PRE_PUSH,
    ),
}

HOOKS = tuple(_HOOKS)
"""Every hook that the gate needs, by git's name for it."""

_RECORDED = re.compile(rb"^python=.*$", re.MULTILINE)
_CALLS = re.compile(rb"^[^#\n]*\bhkgit gate\b", re.MULTILINE)


def script(name: str, python: Path | None = None) -> bytes:
    """A hook that finds hkgit on PATH, or else runs it with the `python` recorded in it."""
    purpose, body = _HOOKS[name]
    recorded = shlex.quote(python.as_posix() if python is not None else "")
    return _SCRIPT.format(mark=MARK, purpose=purpose, python=recorded, body=body).encode(
        "utf-8", "surrogateescape"
    )


def is_active(hook: Path) -> bool:
    """Whether git would run a hook."""
    return hook.is_file() and os.access(hook, os.X_OK)


def is_own(name: str, content: bytes) -> bool:
    """Whether a hook is as hkgit wrote it, whichever interpreter is recorded in it."""
    return _RECORDED.sub(b"python=''", content, count=1) == script(name)


def calls_gate(content: bytes) -> bool:
    """Whether somebody's hook runs `hkgit gate` in some line that is not a comment."""
    return _CALLS.search(content) is not None
