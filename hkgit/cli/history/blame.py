"""blame.py: `hkgit blame`, the edit and agent that wrote each line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from hkgit.audit.origins import LineOrigin, LineOrigins, blame
from hkgit.cli.common import echo_json, json_option, open_repository, root_relative
from hkgit.cli.history.paging import echo_paged
from hkgit.cli.review.judging import load_policy
from hkgit.evidence.ledger.trailers import decimal
from hkgit.gate import Gate, without_floors
from hkgit.text.escaping import visible
from hkgit.text.json_nodes import JsonObject

_COLOURS = {"strict": "green", "fail": "red", "unverifiable": "red", "by hand": "yellow"}


@click.command()
@click.argument("path")
@click.option("--rev", help="Blame a file of a revision instead of the working tree's.")
@click.option("-L", "lines", metavar="START,END", help="Only these lines, as git blame takes them.")
@json_option
def command(path: str, rev: str | None, lines: str | None, as_json: bool) -> None:
    """Show for each line of a file the commit, the verdict on it, the edit and its agent."""
    repository = open_repository()
    if rev is None and repository.work_tree is None:
        rev = "HEAD"
    head = repository.head().commit if rev is None else repository.resolve(rev)
    blamed = list(blame(repository, root_relative(repository, path), rev, lines))
    policy = without_floors(load_policy(repository, None, head))
    origins = LineOrigins(repository, Gate(repository, policy))
    found = [origins.of(line) for line in blamed]
    if as_json:
        echo_json([_row_json(origin) for origin in found])
    else:
        echo_paged(_lines(found))


def _lines(found: Sequence[LineOrigin]) -> Iterator[str]:
    rows = [_columns(origin) for origin in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row, origin in zip(rows, found, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        cells[1] = click.style(cells[1], fg=_COLOURS.get(origin.kind))
        number = str(origin.line.number).rjust(len(str(found[-1].line.number)))
        text = origin.line.text.decode("utf-8", "replace").expandtabs()
        yield f"{'  '.join(cells)}  {number}) {visible(text)}".rstrip()


def _columns(origin: LineOrigin) -> list[str]:
    """Commit, verdict, edit, tier and confidence, who."""
    commit = "-" if origin.line.commit is None else origin.line.commit[:9]
    edit, sure = "-", "-"
    if origin.edit is not None and origin.entry_id is not None:
        edit = f"{origin.entry_id[:8]}#{origin.edit.id}"
        sure = f"{origin.edit.tier} {decimal(origin.edit.confidence)}"
    return [commit, origin.kind, edit, sure, visible(_who(origin))[:24]]


def _who(origin: LineOrigin) -> str:
    """The agent of the entry, by its own word; without one, the commit's author."""
    if origin.entry is not None:
        return origin.entry.agent
    if origin.ruling is None:
        return "-"
    return origin.ruling.judged.candidate.author.partition(" <")[0]


def _row_json(origin: LineOrigin) -> JsonObject:
    line, edit = origin.line, origin.edit
    return {
        "line": line.number,
        "text": line.text.decode("utf-8", "replace"),
        "commit": line.commit,
        "commit_path": visible(line.commit_path),
        "commit_line": line.commit_line,
        "kind": origin.kind,
        "verdict": None if origin.ruling is None else str(origin.ruling.judged.verdict),
        "author": None if origin.ruling is None else visible(origin.ruling.judged.candidate.author),
        "entry": origin.entry_id,
        "edit": None if edit is None else edit.id,
        "agent": None if origin.entry is None else origin.entry.agent,
        "tier": None if edit is None else edit.tier,
        "evidence": None if edit is None else edit.evidence,
        "confidence": None if edit is None else edit.confidence / 1000,
    }
