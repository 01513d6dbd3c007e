"""remembering.py: cache the judge's answer on a person's commits in this clone, for its hooks.

A local cache, never used as evidence: no server, no CI and no `verify` reads it. A commit without
entries whose author and committer are no agents passes whatever it changes; so what the judge said
of one is said of the next, as long as the policy, the branch and the names are the same.
"""

from __future__ import annotations

import os

from hkgit import __version__
from hkgit.git.facts import Facts, facts_of_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.gate import Report

_FILE = "hkgit/judged"
"""In the git directory, a line for each thing that was said."""
_MOST = 32
_LONGEST = 2**16
_TELLING = (b"-by", b"this reverts commit")
"""What in a message the judge looks at, of a commit without entries: credits, and a revert."""
_HARMLESS = b"signed-off-by"


def is_known_to_pass(message_file: str | None) -> bool:
    """Whether the judge has let such a commit pass, with nothing more to say."""
    if message_file is not None and _is_telling(message_file):
        return False
    try:
        facts = facts_of_commit()
        return facts is not None and _line(facts) in _lines(facts)
    except OSError:
        return False


def remember(facts: Facts | None, report: Report) -> None:
    """Keep what the judge said of a commit with these facts, if it will say the same again."""
    if facts is None or not _is_about_names_alone(report):
        return
    try:
        kept = [line for line in _lines(facts) if line != _line(facts)]
        _write(facts, [_line(facts), *kept][:_MOST])
    except OSError:  # then it is judged again
        return


def _is_telling(message_file: str) -> bool:
    """Whether a message could change the judgement; comments in it count, to be sure."""
    try:
        with open(message_file, "rb") as file:
            text = file.read(_LONGEST + 1)
    except OSError:
        return True
    said = text.lower().replace(_HARMLESS, b"")
    return len(text) > _LONGEST or any(words in said for words in _TELLING)


def _is_about_names_alone(report: Report) -> bool:
    """Whether the commit passed for its names, under a policy that one tree says completely."""
    policy, [ruling] = report.policy, report.rulings
    is_whole = policy.extends is None and not policy.below and policy.allowed_signers is None
    return (
        is_whole
        and ruling.passes
        and not ruling.findings
        and ruling.judged.verdict == "ungoverned"
        and not ruling.judged.entries
    )


def _line(facts: Facts) -> bytes:
    said = (__version__, facts.ref, facts.author, facts.committer, *facts.policy)
    return os.fsencode("\0".join(said))


def _lines(facts: Facts) -> list[bytes]:
    try:
        with open(f"{facts.git_dir}/{_FILE}", "rb") as file:
            return file.read(_MOST * _LONGEST).split(b"\n")[:-1]
    except FileNotFoundError:
        return []


def _write(facts: Facts, lines: list[bytes]) -> None:
    """Replace the file in one step: two commits of one clone may end at the same time."""
    path = f"{facts.git_dir}/{_FILE}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.{os.getpid()}", "wb") as file:
        file.write(b"".join(line + b"\n" for line in lines))
    os.replace(f"{path}.{os.getpid()}", path)
