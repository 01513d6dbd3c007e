"""`hkgit log`: the audit trail at a glance."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from hkgit.audit.commits import (
    VERDICT_WORDS,
    AuditedCommit,
    CommitFilter,
    Trail,
    commit_json,
    fold_agent,
)
from hkgit.audit.reports.plain import ruling_json
from hkgit.audit.signers import Signed, Signers, render_signature, signature_json
from hkgit.cli.common import echo_json_list, json_option, make_root_relative, open_history
from hkgit.cli.output import show_progress
from hkgit.cli.pager import echo_paged
from hkgit.cli.ruling_output import resolve_range
from hkgit.cli.terminal_rows import (
    EVIDENCE_COLOURS,
    STANDING_COLOURS,
    color_option,
    limit_option,
    measure_terminal,
    render_row,
)
from hkgit.errors import InvalidInput
from hkgit.gate.judge import Gate
from hkgit.gate.ruling import NO_EVIDENCE
from hkgit.gate.trusted_policy import load_policy
from hkgit.git.repository import Repository
from hkgit.matching.place import format_confidence
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

_NARROW = 100
"""Columns below which a row is short of words."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which commits of a history git shall list."""

    revision: str
    paths: tuple[str, ...]
    since: str | None
    until: str | None
    is_followed: bool


_VERDICT_HELP = "Only commits that replay as WORD, have that verdict, or pass or fail."


def _check_verdict(context: click.Context, parameter: click.Parameter, word: str | None) -> Any:
    """Refuse a word that no commit can have: it would leave an empty list unexplained."""
    if word is None or word in VERDICT_WORDS:
        return word
    words = ", ".join(dict.fromkeys(VERDICT_WORDS))
    raise click.BadParameter(f"{word!r} is not one of: {words}.", context, parameter)


@click.command()
@click.argument("words", nargs=-1, metavar="[REV | A..B] [PATH]...")
@limit_option(20, "commits")
@click.option("--agent", metavar="GLOB", help="Only commits of an agent, without its version.")
@click.option("--author", metavar="GLOB", help="Only commits of an author.")
@click.option("--since", metavar="DATE", help="Only commits after a date, in git's format.")
@click.option("--until", metavar="DATE", help="Only commits before a date.")
@click.option(
    "--path", "paths", multiple=True, metavar="PATH", help="Only commits that change this path."
)
@click.option("--verdict", metavar="WORD", callback=_check_verdict, help=_VERDICT_HELP)
@click.option(
    "--blind", "is_blind", is_flag=True, help="Only edits with evidence of a quote or less."
)
@click.option(
    "--below", type=click.FloatRange(0, 1), metavar="SURE", help="Only those with less confidence."
)
@click.option("--follow", is_flag=True, help="Follow one file through its renames.")
@color_option
@json_option
def command(
    words: tuple[str, ...],
    max_count: int,
    agent: str | None,
    author: str | None,
    since: str | None,
    until: str | None,
    paths: tuple[str, ...],
    verdict: str | None,
    is_blind: bool,
    below: float | None,
    follow: bool,
    as_json: bool,
) -> None:
    """List commits, newest first: what can be derived, and whether they pass.

    With paths, those that changed one of them. The policy and the trusted keys are those at
    A, or at HEAD without a range.
    """
    repository = open_history()
    revision, named = _split(repository, words)
    located = tuple(make_root_relative(repository, path) for path in (*named, *paths))
    asked = _Wanted(revision=revision, paths=located, since=since, until=until, is_followed=follow)
    if follow and len(located) != 1:
        raise click.UsageError("--follow takes exactly one path.")
    least = None if below is None else round(below * 1000)
    wanted = CommitFilter(agent, author, verdict, is_blind=is_blind, below=least)
    trail = _trail(repository, revision)
    commits = _commits(repository, asked, None if wanted.asks else max_count)
    # Each is told as soon as it is judged; on a terminal they show by themselves how far it is.
    search = _watch
    if sys.stdout.isatty():  # before rows go to a pager, which a line of progress would disturb
        search = _search if wanted.asks else _find_all
    found = islice(search(trail, commits, wanted), max_count)
    signers = Signers(repository, _find_trusted(repository, revision))
    signed = ((commit, signers.of(commit.ruling)) for commit in found)
    if as_json:
        echo_json_list(_row_json(*each, trail.gate.policy.source) for each in signed)
    else:
        echo_paged(_lines(signed))


def _trail(repository: Repository, revision: str) -> Trail:
    """The judge, as the gate has it for the same range."""
    trusted = _find_trusted(repository, revision)
    policy = load_policy(repository, None, trusted)
    if ".." not in revision:
        tip = repository.resolve(revision)
        return Trail(repository, Gate(repository, policy, tip=tip))
    old, new = resolve_range(repository, revision)
    return Trail(repository, Gate(repository, policy, tip=new, trusted=old, landing=old))


def _watch(trail: Trail, commits: Sequence[str], wanted: CommitFilter) -> Iterator[AuditedCommit]:
    """Find the commits that fit, as they are judged, with a line of progress to the end."""
    with closing(show_progress("judging commit")(commits)) as watched:
        yield from trail.find(watched, wanted)


def _find_all(
    trail: Trail, commits: Sequence[str], wanted: CommitFilter
) -> Iterator[AuditedCommit]:
    """Find the commits that fit, as they are judged, and say nothing beside them."""
    return trail.find(commits, wanted)


def _search(trail: Trail, commits: Sequence[str], wanted: CommitFilter) -> Iterator[AuditedCommit]:
    """Those that fit, as they are judged; with a line of progress until there is one."""
    with closing(show_progress("judging commit")(commits)) as watched:
        for number, commit in enumerate(watched, 1):
            first = next(trail.find([commit], wanted), None)
            if first is not None:
                return chain([first], trail.find(commits[number:], wanted))
    return iter(())


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


def _commits(repository: Repository, asked: _Wanted, count: int | None) -> list[str]:
    """The newest commits of a range, or of all that leads to a revision, in git's order."""
    if ".." in asked.revision:
        old, new = resolve_range(repository, asked.revision)
        ends = [new, f"^{old}"]
    else:
        ends = [repository.resolve(asked.revision)]
    options = [] if count is None else [f"--max-count={count}"]
    options += [] if asked.since is None else [f"--since={asked.since}"]
    options += [] if asked.until is None else [f"--until={asked.until}"]
    if asked.is_followed:
        follow = ("log", "--follow", "--no-show-signature", "--format=%H")
        return repository.git(*follow, *options, *ends, "--", *asked.paths).text.split()
    listing = ("--literal-pathspecs", "rev-list", "--topo-order")
    return repository.git(*listing, *options, *ends, "--", *asked.paths).text.split()


def _find_trusted(repository: Repository, revision: str) -> str | None:
    """Find the commit whose policy judges, and says which keys are trusted."""
    is_range = ".." in revision
    return resolve_range(repository, revision)[0] if is_range else repository.head().commit


def _lines(signed: Iterator[tuple[AuditedCommit, Sequence[Signed]]]) -> Iterator[str]:
    width = measure_terminal()
    rests = "rests" if width < _NARROW else "evidence"
    titles = ("date", "commit", "agent", "replay", "policy", rests, "sure", "subject")
    widths = (10, 7, 11, 10, 6, 7, 4) if width < _NARROW else (10, 9, 17, 12, 14, 18, 4)
    yield render_row(titles, widths, ("bright_black", "yellow", *[None] * 6), width)
    for commit, signatures in signed:
        evidence = EVIDENCE_COLOURS.get(commit.weakest or "no evidence") if commit.agents else None
        passes = None if commit.passes else "red"
        verdict = (STANDING_COLOURS[commit.standing], passes, evidence, evidence)
        colours = ("bright_black", "yellow", None, *verdict, None)
        yield render_row(_words(commit, width), widths, colours, width)
        yield from (f"           {render_signature(each)}" for each in signatures)


def _words(commit: AuditedCommit, width: int) -> tuple[str, ...]:
    is_narrow = width < _NARROW
    fails = "FAILS" if is_narrow else f"FAILS {commit.ruling.rule}"
    short = ", ".join(dict.fromkeys(map(fold_agent, commit.agents)))
    return (
        commit.time.date().isoformat(),
        commit.id[: 7 if is_narrow else 9],
        short if is_narrow and commit.agents else commit.who,
        commit.replay,
        "passes" if commit.passes else fails,
        describe_evidence(commit, is_short=is_narrow),
        format_confidence(commit.confidence),
        commit.subject,
    )


def describe_evidence(commit: AuditedCommit, *, is_short: bool) -> str:
    """Say what the edits of a commit rest on: each kind and its count, or the weakest alone."""
    if commit.weakest is None and commit.made_by == NO_EVIDENCE:
        return "nothing" if is_short else "no evidence"
    if commit.weakest is None:
        return commit.made_by
    if is_short:
        return commit.weakest
    return " ".join(f"{kind}={count}" for kind, count in commit.evidence.items())


def _row_json(commit: AuditedCommit, signatures: Sequence[Signed], source: str) -> JsonObject:
    return {
        **ruling_json(commit.ruling, source=source),
        **commit_json(commit),
        "signatures": [*map(signature_json, signatures)],
    }
