"""remembering.py: cache the judge's answer on a person's commits in this clone, for its hooks.

A local cache, never used as evidence: no server, no CI and no `verify` reads it. A commit without
entries whose author and committer are no agents passes whatever it changes; so what the judge said
of one is said of the next, as long as the policy, the branch and the names are the same. Of a
commit with entries pre-commit has judged all but the message; commit-msg says the same of the very
same tree on the same parent, if the message says nothing but plain words and the true trailers.
"""

from __future__ import annotations

import os

from hkgit import __version__
from hkgit.git.facts import Facts, facts_of_commit, find_agent_shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.gate import Report
    from hkgit.gate.policy.model import Policy

_FILE = "hkgit/judged"
"""In the git directory: a line for each thing that was said."""
_DERIVED = ("strict", "spliced")
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
        if facts is None:
            return False
        if facts.keeps_ledger:
            return _is_remembered(facts, is_staged=message_file is None)
        return message_file is not None and _sign_recorded(facts, message_file)
    except OSError:
        return False


def _is_remembered(facts: Facts, *, is_staged: bool) -> bool:
    if find_agent_shell() is not None or _line(facts) not in _lines(facts):
        return False
    if is_staged:
        from hkgit.cli.question import keep_question

        keep_question(facts)
    return True


def is_signed(message_file: str) -> bool:
    """Name the entries of the commit in its message, if pre-commit left them here."""
    try:
        facts = facts_of_commit()
        return facts is not None and not facts.keeps_ledger and _sign_recorded(facts, message_file)
    except OSError:
        return False


def _sign_recorded(facts: Facts, message_file: str) -> bool:
    """Put the trailers of a recorded commit into its message; whether nothing else is in doubt."""
    lines = _trailers(facts)
    if not lines:
        return False
    from hkgit.evidence.ledger.footers import read_trailers, sign_words, split_template

    with open(message_file, "rb") as file:
        message = file.read(_LONGEST + 1)
    comment = os.fsencode(facts.comment)
    words, template = split_template(message, comment)
    is_signed = bool(read_trailers(words).entries)
    signed = message if is_signed else sign_words(words, template, lines)
    text, _ = split_template(signed, comment)
    found = read_trailers(text)
    block = os.fsencode("\n".join(lines))
    if found.lines != lines or found.faults or not _is_plain(text.replace(block, b"", 1), comment):
        return False
    if not is_signed:
        with open(message_file, "wb") as file:
            file.write(signed)
    return True


def _is_plain(words: bytes, comment: bytes) -> bool:
    """Whether words, without their trailers, are nothing that any rule looks at."""
    is_shown = all(32 <= byte < 127 or byte in b"\n\t" for byte in words)
    commented = any(line.startswith(comment) for line in words.split(b"\n"))
    return bool(words.strip()) and is_shown and not commented and b"hkgit-" not in words.lower()


def _trailers(facts: Facts) -> tuple[str, ...]:
    """The trailers of the commit with these facts, which passed; none where that is not known."""
    from hkgit.cli.question import RECORDED

    try:
        with open(f"{facts.git_dir}/{RECORDED}", "rb") as file:
            lines = os.fsdecode(file.read()).split("\n")[:-1]
    except FileNotFoundError:
        return ()
    known = _tell_apart(facts)
    return tuple(lines[len(known) :]) if lines[: len(known)] == known else ()


def _tell_apart(facts: Facts) -> list[str]:
    """What tells a commit with entries from all others; `question` compares the same."""
    names = (facts.author, facts.committer)
    return [__version__, facts.ref, *names, facts.head, facts.tree, facts.comment]


def remember(facts: Facts | None, report: Report) -> None:
    """Keep what the judge said of a commit with these facts, if it will say the same again."""
    if facts is None:
        return
    if not facts.keeps_ledger:
        _remember_recorded(facts, report)
        return
    if not _is_about_names_alone(report) or find_agent_shell() is not None:
        return
    try:
        kept = [line for line in _lines(facts) if line != _line(facts)]
        from hkgit.cli.question import keep_question, replace_file

        lines = [_line(facts), *kept][:_MOST]
        replace_file(f"{facts.git_dir}/{_FILE}", b"".join(line + b"\n" for line in lines))
        keep_question(facts)
    except OSError:  # then it is judged again
        return


def _remember_recorded(facts: Facts, report: Report) -> None:
    """Keep the trailers of a commit with entries that passed, all but its message."""
    policy, [ruling] = report.policy, report.rulings
    is_settled = ruling.passes and not ruling.findings and ruling.judged.verdict in _DERIVED
    is_whole = _is_whole(policy) and not policy.entries_signed
    if not is_settled or not is_whole or os.path.lexists(f"{facts.git_dir}/hkgit/conflicts"):
        return
    from hkgit.sessions.commit.messages import name_entries

    lines = [*_tell_apart(facts), *name_entries(ruling.judged.entries)]
    from hkgit.cli.question import RECORDED, keep_script, replace_file

    try:
        text = "".join(f"{line}\n" for line in lines)
        replace_file(f"{facts.git_dir}/{RECORDED}", os.fsencode(text))
        keep_script(facts.git_dir)
    except OSError:
        return


def _is_whole(policy: Policy) -> bool:
    """Whether one tree says all of a policy."""
    return policy.extends is None and not policy.below and policy.allowed_signers is None


def _is_telling(message_file: str) -> bool:
    """Whether a message could change the judgement; comments in it count, to be sure."""
    try:
        with open(message_file, "rb") as file:
            text = file.read(_LONGEST + 1)
    except OSError:
        return True
    lowered = text.lower().replace(_HARMLESS, b"")
    return len(text) > _LONGEST or any(words in lowered for words in _TELLING)


def _is_about_names_alone(report: Report) -> bool:
    """Whether the commit passed for its names, under a policy that one tree says completely."""
    policy, [ruling] = report.policy, report.rulings
    return (
        _is_whole(policy)
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
