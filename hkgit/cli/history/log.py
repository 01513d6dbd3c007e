"""log.py: `hkgit log`, the audit trail at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from hkgit.audit.reports.plain import ruling_json
from hkgit.audit.signers import Signed, Signers, render_signature, signature_json
from hkgit.cli.common import echo_json, json_option, open_repository, root_relative
from hkgit.cli.history.paging import echo_paged
from hkgit.cli.review.judging import load_policy, resolve_range
from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.entry import Entry
from hkgit.evidence.ledger.trailers import decimal
from hkgit.gate import Gate, Ruling, candidate_of, without_floors
from hkgit.git.repository import Repository
from hkgit.text.escaping import visible
from hkgit.text.json_nodes import JsonObject

_PROVED = ("strict", "reanchored", "merge", "revert", "prune", "attested")
_COLORS = {
    "fail": "red",
    "unverifiable": "red",
    "mixed": "yellow",
    "spliced": "yellow",
    **dict.fromkeys(_PROVED, "green"),
}


@click.command()
@click.argument("words", nargs=-1, metavar="[REV | A..B] [PATH]...")
@click.option("-n", "--max-count", type=click.IntRange(1), default=20, show_default=True)
@json_option
def command(words: tuple[str, ...], max_count: int, as_json: bool) -> None:
    """List commits, newest first, with what their evidence proves and who signed it.

    With paths, those that changed one of them. Which keys are trusted says the policy at A, or at
    HEAD where no range is named.
    """
    repository = open_repository()
    revision, paths = _split(repository, words)
    located = [root_relative(repository, path) for path in paths]
    commits = _commits(repository, revision, located, max_count)
    tip = commits[0] if commits else repository.head().commit
    gate = Gate(repository, without_floors(load_policy(repository, None, tip)))
    rulings = (gate.judge(candidate_of(repository, commit)) for commit in commits)
    signers = Signers(repository, _find_trusted(repository, revision))
    told = ((ruling, signers.of(ruling)) for ruling in rulings)
    if as_json:
        echo_json([_row_json(*each) for each in told])
    else:
        echo_paged(line for each in told for line in _rows(*each))


def _split(repository: Repository, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """A revision or range, HEAD if none is named, and paths; a word that is both is a revision."""
    if not words:
        return "HEAD", ()
    first, *others = words
    try:
        if ".." not in first.strip("./"):
            repository.resolve(first)
    except InvalidInput:
        if Path(first).exists():
            return "HEAD", words
        raise
    return first, others


def _commits(repository: Repository, revision: str, paths: Sequence[str], count: int) -> list[str]:
    """The newest commits of a range, or of all that leads to a revision, in git's order."""
    if ".." in revision:
        old, new = resolve_range(repository, revision)
        ends = [new, f"^{old}"]
    else:
        ends = [repository.resolve(revision)]
    args = ("--literal-pathspecs", "rev-list", "--topo-order", f"--max-count={count}")
    return repository.git(*args, *ends, "--", *paths).text.split()


def _find_trusted(repository: Repository, revision: str) -> str | None:
    """The commit whose policy says which keys are trusted."""
    is_range = ".." in revision
    return resolve_range(repository, revision)[0] if is_range else repository.head().commit


def subject_of(ruling: Ruling) -> str:
    """The first line of a commit's message, safe to print."""
    message = ruling.judged.candidate.message or b""
    return visible(message.decode("utf-8", "replace").split("\n", 1)[0])


def _rows(ruling: Ruling, signatures: Sequence[Signed]) -> Iterator[str]:
    """A line for the commit, and below it, where no subject can stand, one for each signature."""
    judged = ruling.judged
    verdict = click.style(f"{judged.verdict:<12}", fg=_COLORS.get(judged.verdict))
    commit = (judged.candidate.id or "")[:9]
    yield f"{commit}  {verdict}  {_evidence(judged.entries):<34}  {subject_of(ruling)}"
    yield from (f"           {render_signature(each)}" for each in signatures)


def _evidence(entries: Sequence[tuple[str, Entry]]) -> str:
    """How many edits, tied to what, and the least sure of them."""
    edits = [edit for _, entry in entries for edit in entry.edits]
    if not edits:
        return "-"
    kinds = " ".join(_count_evidence([edit.evidence for edit in edits]))
    return f"{kinds}  {decimal(min(edit.confidence for edit in edits))} lowest"


def _count_evidence(kinds: Sequence[str]) -> Iterator[str]:
    for kind in dict.fromkeys(kinds):
        yield f"{kind}={kinds.count(kind)}"


def _row_json(ruling: Ruling, signatures: Sequence[Signed]) -> JsonObject:
    agents = [entry.agent for _, entry in ruling.judged.entries]
    return {
        **ruling_json(ruling),
        "subject": subject_of(ruling),
        "author": visible(ruling.judged.candidate.author),
        "agents": agents,
        "evidence": _evidence(ruling.judged.entries),
        "signatures": [*map(signature_json, signatures)],
    }
