"""Cache the judge's answer on a person's commits in this clone, for its hooks.

A local cache, never used as evidence: no server, no CI and no `verify` reads it. A commit without
entries whose author and committer are no agents passes whatever it changes; so what the judge said
of one is said of the next, as long as the policy, the branch and the names are the same.
"""

from __future__ import annotations

import os

from hkgit import __version__
from hkgit.git.facts import Facts, facts_of_commit, find_agent_shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.gate.ruling import Report


_FILE = "hkgit/judged"
"""In the git directory: a line for each thing that was said."""
_MOST = 32
_LONGEST = 2**16
_TELLING = (b"-by", b"this reverts commit", b"hkgit-")
"""What in a message the judge looks at, of a commit without entries: credits, a revert, and
trailers, as of a commit that is amended."""
_HARMLESS = b"signed-off-by"


def is_known_to_pass(message_file: str) -> bool:
    """Whether the judge has let such a commit pass, with nothing more to say."""
    if _is_telling(message_file):
        return False
    try:
        facts = facts_of_commit()
        is_persons = facts is not None and facts.keeps_ledger and find_agent_shell() is None
        return facts is not None and is_persons and _line(facts) in _lines(facts)
    except OSError:
        return False


def remember(facts: Facts | None) -> None:
    """Keep that a commit with these facts passed for its names alone."""
    if facts is None or not facts.keeps_ledger or find_agent_shell() is not None:
        return
    try:
        kept = [line for line in _lines(facts) if line != _line(facts)]
        lines = [_line(facts), *kept][:_MOST]
        _replace_file(f"{facts.git_dir}/{_FILE}", b"".join(line + b"\n" for line in lines))
    except OSError:  # then it is judged again
        return


def _is_telling(message_file: str) -> bool:
    """Whether a message could change the judgement; comments in it count, to be sure."""
    try:
        with open(message_file, "rb") as file:
            text = file.read(_LONGEST + 1)
    except OSError:
        return True
    lowered = text.lower().replace(_HARMLESS, b"")
    return len(text) > _LONGEST or any(words in lowered for words in _TELLING)


def is_about_names_alone(report: Report) -> bool:
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
    fields = (__version__, facts.ref, facts.author, facts.committer, *facts.policy)
    return os.fsencode("\0".join(fields))


def _lines(facts: Facts) -> list[bytes]:
    try:
        with open(f"{facts.git_dir}/{_FILE}", "rb") as file:
            return file.read(_MOST * _LONGEST).split(b"\n")[:-1]
    except FileNotFoundError:
        return []


def _replace_file(path: str, data: bytes) -> None:
    """Write a file in one step: two commits of one clone may end at the same time."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.{os.getpid()}", "wb") as file:
        file.write(data)
    os.replace(f"{path}.{os.getpid()}", path)
