"""questions.py: what the edit harness protocol asks of QA, answered from the repository alone.

The first three are its own list (section 7), the others its invariants (sections 2 and 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hkgit.audit.numbers import blind_findings, find_claimed_conflicts
from hkgit.errors import InvalidInput
from hkgit.evidence.replay.findings import BLIND, Verdict
from hkgit.gate import Ruling
from hkgit.gate.conflicts import consulting
from hkgit.gate.policy import Policy
from hkgit.git.repository import Repository
from hkgit.text.counting import count_noun
from hkgit.text.escaping import to_json_text
from hkgit.text.paths import check_path
from hkgit.values import dataclass

YES, NO, UNKNOWN = "yes", "no", "unknown"


@dataclass(frozen=True, slots=True)
class Fact:
    """One piece of evidence: what it says of the answer, in which commit, where, what."""

    says: str
    commit: str
    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its answer, on what that rests, and the facts.

    `basis` is `replayed` (bytes, ranges, hashes), `recomputed` (the spec located again), or
    `claimed` (somebody's word, that nothing here can check).
    """

    name: str
    question: str
    basis: str
    facts: tuple[Fact, ...]

    @property
    def answer(self) -> str:
        """No where one fact says so, unknown where one leaves it open, else yes."""
        answers = {fact.says for fact in self.facts}
        return NO if NO in answers else UNKNOWN if UNKNOWN in answers else YES


@dataclass(frozen=True)
class JudgedRange:
    """The governed commits of a range, replayed without floors, and the CONSULTs at its end."""

    rulings: tuple[Ruling, ...]
    policy: Policy
    consults: tuple[consulting.Consult, ...]
    broken_consults: tuple[str, ...]
    allowed_tries: int
    uncommitted: tuple[consulting.Consult, ...] = ()


def collect_range(
    repository: Repository, rulings: Sequence[Ruling], policy: Policy, end: str
) -> JudgedRange:
    """Collect what the questions are asked of: who is governed comes from the policy."""
    governed = tuple(ruling for ruling in rulings if _is_governed(ruling, policy))
    consults: tuple[consulting.Consult, ...] = ()
    broken: tuple[str, ...] = ()
    try:
        consults = tuple(consulting.read_consults_of(repository, end))
    except InvalidInput as error:
        broken = (f"{error.where}: {error.what}",)
    allowed = consulting.read_allowed_tries(repository.snapshot(end))
    return JudgedRange(
        rulings=governed,
        policy=policy,
        consults=consults,
        broken_consults=broken,
        allowed_tries=allowed,
        uncommitted=_find_uncommitted(repository, end),
    )


def _find_uncommitted(repository: Repository, end: str) -> tuple[consulting.Consult, ...]:
    """Find the questions in the checkout of a range's end that no commit has."""
    if repository.work_tree is None or repository.head().commit != end:
        return ()
    try:
        committed = {each.id for each in consulting.read_consults_of(repository, end)}
        here = consulting.read_consults_below(repository.work_tree)
        return tuple(each for each in here if each.id not in committed)
    except InvalidInput:  # what is committed is told by itself
        return ()


def _is_governed(ruling: Ruling, policy: Policy) -> bool:
    candidate = ruling.judged.candidate
    named = policy.governing_name((candidate.author, candidate.committer), candidate.message)
    return bool(ruling.judged.entries) or named is not None or policy.govern == "all"


def answer_questions(asked: JudgedRange) -> tuple[Question, ...]:
    """Answer every question."""
    return tuple(
        Question(name, question, basis, tuple(find(asked)))
        for name, (question, basis, find) in QUESTIONS.items()
    )


def _fact(says: str, ruling: Ruling, where: str, what: str) -> Fact:
    commit = ruling.judged.candidate.id or ""
    return Fact(says, commit, to_json_text(where) or "", to_json_text(what) or "")


def _procedure(asked: JudgedRange) -> Iterator[Fact]:
    for ruling in asked.rulings:
        judged = ruling.judged
        if judged.verdict is Verdict.UNVERIFIABLE:
            yield _fact(UNKNOWN, ruling, "commit", "what it needs to be judged is not here")
        elif judged.entries:
            edits = sum(len(entry.edits) for _, entry in judged.entries)
            yield _fact(
                YES, ruling, "ledger", f"{count_noun(edits, 'edit')} recorded by hkgit apply"
            )
        elif judged.verdict is Verdict.FAIL:
            yield _fact(NO, ruling, "commit", "no ledger entry: nothing shows how it was made")
        else:
            yield _fact(YES, ruling, "commit", f"{judged.verdict}: {ruling.rule}")


def _blind(asked: JudgedRange) -> Iterator[Fact]:
    for ruling in asked.rulings:
        for _, entry in ruling.judged.entries:
            found = blind_findings(asked.policy, entry)
            yield from (_fact(NO, ruling, each.where, each.what) for each in found)
            sound = len(entry.edits) - len(found)
            if sound:
                what = f"{count_noun(sound, 'edit')} tied to what was read"
                yield _fact(YES, ruling, "ledger", what)
        if not ruling.judged.entries:
            blind = [each for each in ruling.findings if each.rule == BLIND]
            yield from (_fact(NO, ruling, each.where, each.what) for each in blind)


def _conflicts(asked: JudgedRange) -> Iterator[Fact]:
    answered = {each.id for each in asked.consults if each.answer is not None}
    for ruling in asked.rulings:
        for _, entry in ruling.judged.entries:
            for met in find_claimed_conflicts(entry):
                yield _resolution(asked, ruling, met, answered)
    for consult in asked.consults:
        yield _decision(asked, consult)
    for consult in asked.uncommitted:
        what = f"CONSULT {consult.id} waits for a person's answer, and is not committed"
        yield Fact(NO, "", consult.path, what)
    for what in asked.broken_consults:
        yield Fact(NO, "", what.partition(": ")[0], what)


def _decision(asked: JudgedRange, consult: consulting.Consult) -> Fact:
    answer = consult.answer
    if answer is None:
        return Fact(NO, "", consult.path, f"CONSULT {consult.id} waits for a person's answer")
    if asked.policy.is_agent(answer.by):
        return Fact(NO, "", consult.path, f"{answer.by} answered, and is an agent")
    return Fact(YES, "", consult.path, f"{answer.by} decided: {answer.decision}")


def _resolution(
    asked: JudgedRange, ruling: Ruling, met: dict[str, object], answered: set[str]
) -> Fact:
    name, tries, how = (str(met.get(key, "?")) for key in ("id", "tries", "resolution"))
    where = str(met.get("path", "ledger"))
    what = f"conflict {name}: {how}, refused before: {tries}"
    if how == "reapplied" and _count(met) < asked.allowed_tries:
        return _fact(YES, ruling, where, what)
    if name in answered:
        return _fact(YES, ruling, where, f"{what}, with the answer of a person")
    return _fact(NO, ruling, where, f"{what}, and no CONSULT was answered")


def _count(met: dict[str, object]) -> int:
    tries = met.get("tries")
    return tries if isinstance(tries, int) else 0


def _paths(asked: JudgedRange) -> Iterator[Fact]:
    for ruling in asked.rulings:
        names = {edit.path for _, entry in ruling.judged.entries for edit in entry.edits}
        for path in sorted(names):
            try:
                check_path(path)
            except InvalidInput as error:
                yield _fact(NO, ruling, path, error.what)
        if names:
            yield _fact(YES, ruling, "ledger", f"{count_noun(len(names), 'path')}, from the root")


def _hashes(asked: JudgedRange) -> Iterator[Fact]:
    for ruling in (each for each in asked.rulings if each.judged.entries):
        judged = ruling.judged
        if judged.verdict is Verdict.UNVERIFIABLE:
            yield _fact(UNKNOWN, ruling, "commit", "what it needs to be judged is not here")
        for finding in judged.findings:
            yield _fact(NO, ruling, finding.where, finding.what)
        if not judged.findings:
            held = sum(
                edit.expected_hash is not None
                for _, entry in judged.entries
                for edit in entry.edits
            )
            hashes = count_noun(held, "expected hash", "expected hashes")
            yield _fact(YES, ruling, "ledger", f"{hashes} checked on the parent's files")


def _reproducible(asked: JudgedRange) -> Iterator[Fact]:
    for ruling in (each for each in asked.rulings if each.judged.entries):
        judged = ruling.judged
        if judged.verdict is Verdict.STRICT:
            yield _fact(YES, ruling, "ledger", "the spec, located again, gives the same commit")
        elif judged.verdict in (Verdict.FAIL, Verdict.UNVERIFIABLE):
            says = NO if judged.verdict is Verdict.FAIL else UNKNOWN
            yield _fact(says, ruling, "commit", f"verdict {judged.verdict}: {ruling.rule}")
        else:
            yield _fact(YES, ruling, "ledger", f"{judged.verdict}: its recorded hunks replay")


Find = Callable[[JudgedRange], Iterator[Fact]]

QUESTIONS: dict[str, tuple[str, str, Find]] = {
    "procedure": (
        "Does evidence show that every governed change was read and applied by the protocol?",
        "replayed",
        _procedure,
    ),
    "blind": ("Is every edit tied to content that was read, none blind?", "replayed", _blind),
    "conflicts": (
        "Was every stale edit that is recorded read again and applied, or decided by a person?",
        "claimed",
        _conflicts,
    ),
    "paths": ("Is every path relative to the root of the repository?", "replayed", _paths),
    "hashes": ("Does every recorded hash hold where it was used?", "replayed", _hashes),
    "reproducible": ("Do the edits give the same commits again?", "recomputed", _reproducible),
}
