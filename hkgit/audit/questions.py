"""What the edit harness protocol asks of QA, answered from the repository alone.

The first three are its own list (section 7), the others its invariants (sections 2 and 3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from hkgit.applying.evidence import LATE, RECOVERED
from hkgit.audit.commits import name_evidence
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import Entry, RecordedEdit
from hkgit.evidence.refusal_log import ASKED_AFTER, find_claimed_conflicts
from hkgit.evidence.verdict import BLIND, Verdict
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.floors import entry_findings, find_blind_edits
from hkgit.gate.ruling import Report, Ruling
from hkgit.text.escape import count_noun, to_json_text
from hkgit.text.paths import check_path
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

YES, NO, UNKNOWN = "yes", "no", "unknown"

_SAYS = {
    "late": (NO, "recorded after the change: nothing shows that it was read before"),
    "quote": (NO, "with a quote alone: nothing shows that the file was read"),
    "none": (NO, "without evidence"),
    RECOVERED: (UNKNOWN, "told by a transcript: whoever has the file can write it"),
}
"""What edits say whose evidence is of a kind that does not show by itself what was read."""


@dataclass(frozen=True)
class Fact:
    """One piece of evidence: what it says of the answer, in which commit, where, what."""

    says: str
    commit: str
    where: str
    what: str


@dataclass(frozen=True)
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


def select_governed(report: Report) -> Report:
    """Leave those of a report that the questions are asked of: who is governed the policy says."""
    rulings = (each for each in report.rulings if _is_governed(each, report.policy))
    return Report(report.policy, tuple(rulings))


def _is_governed(ruling: Ruling, policy: Policy) -> bool:
    candidate = ruling.judged.candidate
    named = policy.governing_name((candidate.author, candidate.committer), candidate.message)
    return bool(ruling.judged.entries) or named is not None or policy.govern == "all"


def answer_questions(asked: Report) -> tuple[Question, ...]:
    """Answer every question of the governed commits of a range, replayed without floors."""
    return tuple(
        Question(name, question, basis, tuple(_ask(asked, find)))
        for name, (question, basis, find) in QUESTIONS.items()
    )


Said = tuple[str, str, str]
"""What a fact says, where, and what it is."""

Find = Callable[[Policy, Ruling], Iterator[Said]]


def _ask(asked: Report, find: Find) -> Iterator[Fact]:
    for ruling in asked.rulings:
        commit = ruling.judged.candidate.id or ""
        for says, where, what in find(asked.policy, ruling):
            yield Fact(says, commit, to_json_text(where), to_json_text(what))


_MISSING = (UNKNOWN, "commit", "what is needed to judge it is missing")


def _procedure(policy: Policy, ruling: Ruling) -> Iterator[Said]:
    judged = ruling.judged
    if judged.verdict is Verdict.UNVERIFIABLE:
        yield _MISSING
    elif judged.entries:
        kinds = [kind for _, entry in judged.entries for _, kind in _kinds(ruling, entry)]
        yield from _tell_edits(kinds, (LATE, RECOVERED), "recorded by hkgit")
    elif judged.verdict is Verdict.FAIL:
        yield NO, "commit", "no ledger entry: nothing shows how it was made"
    elif judged.verdict is Verdict.VOUCHED:
        yield NO, "commit", f"no ledger entry: {ruling.rule}"
    else:
        yield YES, "commit", f"{judged.verdict}: {ruling.rule}"


def _blind(policy: Policy, ruling: Ruling) -> Iterator[Said]:
    for _, entry in ruling.judged.entries:
        found = (each for each in entry_findings(policy, entry) if each.rule == BLIND)
        yield from ((NO, each.where, each.what) for each in found)
        told = {edit.id for edit, _ in find_blind_edits(policy, entry)}
        kinds = [kind for edit, kind in _kinds(ruling, entry) if edit.id not in told]
        yield from _tell_edits(kinds, _SAYS, "tied to what was read")
    if not ruling.judged.entries:
        blind = (each for each in ruling.findings if each.rule == BLIND)
        yield from ((NO, each.where, each.what) for each in blind)
        if ruling.judged.verdict is Verdict.VOUCHED:
            yield NO, "commit", ruling.rule


def _kinds(ruling: Ruling, entry: Entry) -> Iterator[tuple[RecordedEdit, str]]:
    return ((edit, name_evidence(ruling, entry, edit)) for edit in entry.edits)


def _tell_edits(kinds: Sequence[str], apart: Collection[str], what: str) -> Iterator[Said]:
    """Describe edits by the kinds of their evidence: those that are apart, and the rest."""
    counts = Counter(kind if kind in apart else "" for kind in kinds)
    for kind, count in counts.items():
        says, words = _SAYS.get(kind, (YES, what))
        yield says, "ledger", f"{count_noun(count, 'edit')} {words}"


def _conflicts(policy: Policy, ruling: Ruling) -> Iterator[Said]:
    for _, entry in ruling.judged.entries:
        yield from (_resolution(policy, met) for met in find_claimed_conflicts(entry.claims))


def _resolution(policy: Policy, met: JsonObject) -> Said:
    where, tries, decided = met["path"], count_noun(met["tries"], "time"), met["decided"]
    if decided is None:
        says = YES if met["tries"] < ASKED_AFTER else NO
        what = f"refused {tries} before, then read again and applied"
        return says, where, what + ("" if says == YES else "; no person decided")
    if policy.is_agent(decided["by"]):
        return NO, where, f"{decided['by']} decided, and is an agent"
    return YES, where, f"refused {tries} before; {decided['by']} decided: {decided['decision']}"


def _paths(policy: Policy, ruling: Ruling) -> Iterator[Said]:
    names = {edit.path for edit in ruling.judged.edits}
    for path in sorted(names):
        try:
            check_path(path)
        except InvalidInput as error:
            yield NO, path, error.what
    if names:
        yield YES, "ledger", f"{count_noun(len(names), 'path')}, from the root"


def _hashes(policy: Policy, ruling: Ruling) -> Iterator[Said]:
    judged = ruling.judged
    if judged.entries and judged.verdict is Verdict.UNVERIFIABLE:
        yield _MISSING
    if judged.entries:
        yield from ((NO, finding.where, finding.what) for finding in judged.findings)
    if judged.entries and not judged.findings:
        held = sum(edit.expected_hash is not None for edit in judged.edits)
        hashes = count_noun(held, "expected hash", "expected hashes")
        yield YES, "ledger", f"{hashes} checked on the parent's files"


def _reproducible(policy: Policy, ruling: Ruling) -> Iterator[Said]:
    judged = ruling.judged
    if not judged.entries:
        return
    if judged.verdict is Verdict.STRICT:
        yield YES, "ledger", "the spec, located again, gives the same commit"
    elif judged.verdict in (Verdict.FAIL, Verdict.UNVERIFIABLE):
        says = NO if judged.verdict is Verdict.FAIL else UNKNOWN
        yield says, "commit", f"verdict {judged.verdict}: {ruling.rule}"
    else:
        yield YES, "ledger", f"{judged.verdict}: its recorded hunks replay"


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
    "hashes": ("Does every recorded hash match where it was used?", "replayed", _hashes),
    "reproducible": ("Do the edits give the same commits again?", "recomputed", _reproducible),
}
