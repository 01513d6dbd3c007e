"""`hkgit log`: the audit trail at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import click

from hkgit.audit.commits import (
    AuditedCommit,
    commit_json,
    fits,
    fits_agent,
    fold_agent,
    is_weak_commit,
)
from hkgit.audit.reports.documents import ruling_json
from hkgit.audit.signers import Signed, Signers, render_signature, signature_json
from hkgit.cli.answer import Answer
from hkgit.cli.common import make_root_relative, open_repository
from hkgit.cli.history import find_history, note_shallow, watch_judging
from hkgit.cli.options import argument, declare, limit_option, option
from hkgit.cli.terminal_rows import (
    EVIDENCE_COLOURS,
    REPLAY_COLOURS,
    Cell,
    measure_terminal,
    render_rows,
)
from hkgit.errors import InvalidInput
from hkgit.evidence.verdict import Verdict
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.ruling import BY_HAND, NO_EVIDENCE
from hkgit.git.repository import Repository
from hkgit.matching.place import format_confidence
from hkgit.text.strict_json import JsonObject

_NARROW = 100
"""Columns below which a row is short of words."""

_MOST = 2**31 - 1
"""git counts no further."""

_POLICY = {True: "passes", False: "fails"}
WORDS = (*dict.fromkeys((*_POLICY.values(), *map(str, Verdict), BY_HAND, NO_EVIDENCE)),)
"""What a commit can be asked to be: what replay says, its verdict, or the policy's."""


@declare
def command(
    *,
    words: tuple[str, ...] = argument("[REV | A..B] [PATH]..."),
    max_count: int = limit_option(20, "commits"),
    agent: str | None = option("Only commits of an agent, without its version.", metavar="GLOB"),
    author: str | None = option("Only commits of an author.", metavar="GLOB"),
    since: str | None = option("Only commits after a date, in git's format.", metavar="DATE"),
    until: str | None = option("Only commits before a date.", metavar="DATE"),
    verdict: str | None = option(
        "Only commits that replay as WORD, have that verdict, or pass or fail.",
        metavar="WORD",
        type=click.Choice(WORDS),
    ),
    is_weak: bool = option("Only with evidence of a quote or less, or none.", "--weak"),
    follow: bool = option("Follow one file through its renames."),
) -> Answer:
    """List commits, newest first: what can be derived, and whether they pass.

    With paths, those that changed one of them. The policy and the trusted keys are those at
    A, or at HEAD without a range.
    """
    repository = open_repository()
    note_shallow(repository)
    revision, named = _split(repository, words)
    located = tuple(make_root_relative(repository, path) for path in named)
    if follow and len(located) != 1:
        raise click.UsageError("--follow takes exactly one path.")
    history = find_history(repository, revision)
    max_count = min(max_count, _MOST)
    most = None if agent or author or verdict or is_weak else max_count
    limits = {"max-count": most, "since": since, "until": until}
    options = [f"--{name}={value}" for name, value in limits.items() if value is not None]
    commits = _commits(repository, history.asked, options, located, is_followed=follow)
    audited = map(AuditedCommit, map(history.rule, watch_judging(commits)))
    wanted = (
        each
        for each in audited
        if (agent is None or fits_agent(each.agents, agent))
        and (author is None or fits(each.author, author))
        and verdict in (None, each.replay, each.ruling.judged.verdict, _POLICY[each.passes])
        and (not is_weak or is_weak_commit(each))
    )
    found = islice(wanted, max_count)
    signers = Signers(repository, history.asked.old or repository.head().commit)
    signed = ((commit, signers.of(commit.ruling)) for commit in found)
    document = (signed_json(*each, history.policy.source) for each in signed)
    return Answer(document, _lines(signed), is_long=True)


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


def _commits(
    repository: Repository,
    ends: CommitRange,
    options: Sequence[str],
    paths: Sequence[str],
    *,
    is_followed: bool,
) -> list[str]:
    """The newest commits of a range, or of all that leads to a revision, in git's order."""
    tips = [ends.new] if ends.old is None else [ends.new, f"^{ends.old}"]
    listing = ["--literal-pathspecs", "rev-list", "--topo-order"]
    if is_followed:
        listing = ["log", "--follow", "--no-show-signature", "--format=%H"]
    return repository.git(*listing, *options, *tips, "--", *paths).text.split()


def _lines(signed: Iterator[tuple[AuditedCommit, Sequence[Signed]]]) -> Iterator[str]:
    is_narrow = measure_terminal() < _NARROW
    widths = (10, 7, 11, 10, 6, 7, 4) if is_narrow else (10, 9, 17, 12, 14, 18, 4)
    rests = "rests" if is_narrow else "evidence"
    titles = ("agent", "replay", "policy", rests, "sure", "subject")
    first = list(islice(signed, 1))  # a long search shows its progress before there is a row
    yield from render_rows(widths, [(("date", "bright_black"), ("commit", "yellow"), *titles)])
    for commit, signatures in chain(first, signed):
        yield from render_rows(widths, [_cells(commit, is_narrow=is_narrow)])
        yield from (f"           {render_signature(each)}" for each in signatures)


def _cells(commit: AuditedCommit, *, is_narrow: bool) -> tuple[Cell, ...]:
    fails = "FAILS" if is_narrow else f"FAILS {commit.ruling.rule}"
    short = ", ".join(dict.fromkeys(map(fold_agent, commit.agents)))
    evidence = EVIDENCE_COLOURS.get(commit.weakest or "no evidence") if commit.agents else None
    return (
        (commit.time.date().isoformat(), "bright_black"),
        (commit.id[: 7 if is_narrow else 9], "yellow"),
        short if is_narrow and commit.agents else commit.who,
        (commit.replay, REPLAY_COLOURS.get(commit.replay)),
        "passes" if commit.passes else (fails, "red"),
        (describe_evidence(commit, is_short=is_narrow), evidence),
        (format_confidence(commit.confidence), evidence),
        commit.subject,
    )


def describe_evidence(commit: AuditedCommit, *, is_short: bool) -> str:
    """Say what the edits of a commit rest on: each kind and its count, or the weakest alone."""
    if commit.weakest is None and commit.ruling.is_bare:
        return "nothing" if is_short else NO_EVIDENCE
    if commit.weakest is None:
        return BY_HAND if commit.replay == BY_HAND else "-"
    if is_short:
        return commit.weakest
    return " ".join(f"{kind}={count}" for kind, count in commit.evidence.items())


def signed_json(commit: AuditedCommit, signatures: Sequence[Signed], source: str) -> JsonObject:
    """Write a commit and its signatures as one JSON object."""
    return {
        **ruling_json(commit.ruling, source=source),
        **commit_json(commit),
        "signatures": [*map(signature_json, signatures)],
    }
