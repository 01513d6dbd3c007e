"""answering.py: let the gate's hooks know, in the worktree of a landing, what was judged just now.

The judge has seen the commit with its message before git makes it. So its hooks need not start
Python to hear the same again: they ask a script beside the worktree's index whether tree, parent,
names and message are still those. It goes with the worktree; no server and no CI ever sees it.
"""

from __future__ import annotations

from hkgit.gate import Ruling
from hkgit.git.transactions.worktree import Worktree
from hkgit.values import dataclass

_SCRIPT = b"""\
# Whether the commit being made is the one that `hkgit apply` has judged in this worktree.
# Arguments: none, or `message FILE`.
place=${GIT_DIR:-.git}
[ ! -e "$place/MERGE_HEAD" ] && [ -f "$place/hkgit/asked" ] || exit 1
[ "$1" != message ] || cmp -s "$2" "$place/hkgit/message" || exit 1
{
    IFS= read -r tree && IFS= read -r parent && IFS= read -r author && IFS= read -r committer
} <"$place/hkgit/asked" || exit 1
export LC_ALL=C GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_OPTIONAL_LOCKS=0
ask() { git -c core.fsmonitor=false "$@" 2>/dev/null; }
IFS= read -r head <"$place/HEAD"
[ "$head" = "$parent" ] || [ "$(ask rev-parse --verify HEAD)" = "$parent" ] || exit 1
[ "$(ask write-tree)" = "$tree" ] || exit 1
# All hooks of one commit get the same names from git.
[ "$1" != message ] || [ ! -f "$place/hkgit/named" ] || exit 0
found=$(ask var GIT_AUTHOR_IDENT) && [ "${found% * *}" = "$author" ] || exit 1
found=$(ask var GIT_COMMITTER_IDENT) && [ "${found% * *}" = "$committer" ] || exit 1
: >"$place/hkgit/named"
"""


@dataclass(frozen=True, slots=True)
class JudgedMessage:
    """A commit on one parent that passed with nothing to say of it, and its message."""

    author: str
    committer: str
    message: bytes


def find_settled(ruling: Ruling) -> JudgedMessage | None:
    """Find what hooks need not judge again; None if the ruling has findings to report.

    They hold it to the same policy, or to a milder one: they do not know on which branch it lands.
    """
    candidate = ruling.judged.candidate
    is_clean = ruling.passes and not ruling.findings and len(candidate.parents) == 1
    if not is_clean or candidate.message is None:
        return None
    return JudgedMessage(candidate.author, candidate.committer, candidate.message)


def leave_answer(worktree: Worktree, judged: JudgedMessage | None) -> None:
    """Write down for the hooks what was judged. That it cannot be written stops no commit."""
    place = worktree.git_dir / "hkgit"
    try:
        for name in ("asked", "named"):
            (place / name).unlink(missing_ok=True)
        if judged is None:
            return
        place.mkdir(exist_ok=True)
        (place / "ask").write_bytes(_SCRIPT)
        (place / "message").write_bytes(judged.message)
        lines = (worktree.tree, worktree.parent, judged.author, judged.committer)
        text = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        (place / "asked").write_bytes(text)
    except OSError:
        return
