"""mending_steps.py: the parts of commands that mend a commit."""

from __future__ import annotations

from hkgit.gate.rulings import Ruling

_KEPT = "git status  # the change is kept"
WORDS = "sed '/^[Hh]kgit-/d'"
HERE = 'hkgit -C "./$(git rev-parse --show-cdup)"'
"""From any directory of the checkout, with paths from its root."""

APPLY = f"{HERE} apply"


def render_for_person(ruling: Ruling) -> str:
    """Render what leads on where no evidence helps: a person, or first a grant."""
    if ruling.before.is_granted:
        return f"{_KEPT}: a person whom a [[gate.manual]] grants these paths commits it"
    what = "the policy grants nobody these paths, so a person commits a [[gate.manual]] first"
    return f"{_KEPT}: {what}"


def render_for_late(ruling: Ruling) -> str:
    """Render what leads on where no evidence from afterwards counts."""
    if ruling.before.is_granted:
        return f"{_KEPT}: a person whom a [[gate.manual]] grants these paths vouches for it"
    what = "make it again in a session that reads first, or let a person vouch for it"
    return f"{_KEPT}, and what is read after it does not count: {what}, or accept `late`"


def render_redo(ruling: Ruling) -> str:
    """Render the command that commits with evidence what git was about to commit."""
    return f"hkgit redo --tree {ruling.judged.candidate.tree[:12]}"


def render_remake(ruling: Ruling, short: str) -> str:
    """Render the command that makes a commit again with evidence."""
    message = f" -m {render_message(ruling, short)}" if is_in_words(ruling) else ""
    return f"hkgit redo {short}{message}"


def render_move_onto(short: str) -> str:
    """Render what leads a branch from a commit to the one made again."""
    return f"git rebase -q -r --onto again-{short} {short} && git branch -q -D again-{short}"


def is_in_words(ruling: Ruling) -> bool:
    """Whether it is the message or a name of a person that breaks the rule."""
    where = ruling.findings[0].where.partition(":")[0]
    return ruling.rule == "text" and where in ("message", "header", "author", "committer")


def render_message(ruling: Ruling, short: str) -> str:
    """Render what gives a commit's message again, without trailers of hkgit."""
    plain = " | LC_ALL=C tr -cd '\\11\\12\\40-\\176'" if is_in_words(ruling) else ""
    return f'"$(git log -1 --format=%B {short} | {WORDS}{plain})"'
