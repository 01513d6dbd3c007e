"""blame.py: `hkgit blame`, the edit and agent that wrote each line, and its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from hkgit.audit.commits import read_author_time
from hkgit.audit.origins import LineOrigin, LineOrigins, blame
from hkgit.audit.trail import format_rfc3339
from hkgit.cli.common import echo_json, json_option, make_root_relative, open_repository
from hkgit.cli.history.columns import (
    EVIDENCE_COLOURS,
    UNBOUNDED,
    color_option,
    fit,
    measure,
    measure_terminal,
    pad,
)
from hkgit.cli.history.paging import echo_paged
from hkgit.cli.output import show_progress
from hkgit.gate import Gate, load_policy
from hkgit.matching.places import format_decimal
from hkgit.text.escaping import visible
from hkgit.text.json_nodes import JsonObject

_WEAK = ("quote", "none", "no evidence")


@click.command()
@click.argument("path")
@click.option("--rev", help="Blame a file of a revision instead of the working tree's.")
@click.option("-L", "lines", metavar="START,END", help="Only these lines, as git blame takes them.")
@click.option("--weak", is_flag=True, help="Only lines that rest on a quote or on nothing.")
@click.option("--below", type=click.FloatRange(0, 1), metavar="SURE", help="Only less sure ones.")
@color_option
@json_option
def command(
    path: str, rev: str | None, lines: str | None, weak: bool, below: float | None, as_json: bool
) -> None:
    """Show for each line of a file its commit, what replay says, the evidence and the agent.

    With --weak and --below, the lines that fit one of them.
    """
    repository = open_repository()
    if rev is None and repository.work_tree is None:
        rev = "HEAD"
    blamed = list(blame(repository, make_root_relative(repository, path), rev, lines))
    head = repository.head().commit
    policy = load_policy(repository, None, head)
    tip = head if rev is None else repository.resolve(rev)
    origins = LineOrigins(repository, Gate(repository, policy, tip=tip))
    watch = show_progress("judging line")
    found = [origins.of(blamed[at]) for at in watch(range(len(blamed)))]
    if weak or below is not None:
        least = None if below is None else round(below * 1000)
        found = [each for each in found if (weak and _is_weak(each)) or _is_below(each, least)]
    if as_json:
        echo_json([_row_json(origin) for origin in found])
    elif found:
        echo_paged(_lines(found))


def _is_weak(origin: LineOrigin) -> bool:
    return origin.evidence in _WEAK


def _is_below(origin: LineOrigin, least: int | None) -> bool:
    return least is not None and origin.edit is not None and origin.edit.confidence < least


def _lines(found: Sequence[LineOrigin]) -> Iterator[str]:
    rows = [_columns(origin) for origin in found]
    widths = [max(map(measure, column)) for column in zip(*rows, strict=True)]
    last = len(str(found[-1].line.number))
    room = measure_terminal()
    room = room if room == UNBOUNDED else max(room - sum(widths) - 2 * len(widths) - last - 2, 8)
    for row, origin in zip(rows, found, strict=True):
        cells = [pad(cell, width) for cell, width in zip(row, widths, strict=True)]
        cells[2] = click.style(cells[2], fg=EVIDENCE_COLOURS.get(origin.evidence))
        number = str(origin.line.number).rjust(last)
        text = visible(origin.line.text.decode("utf-8", "replace").expandtabs())
        yield f"{'  '.join(cells)}  {number}) {fit(text, room)}".rstrip()


def _columns(origin: LineOrigin) -> list[str]:
    """Commit, what replay says, evidence, edit, tier and confidence, who."""
    commit = "-" if origin.line.commit is None else origin.line.commit[:9]
    edit, sure = "-", "-"
    if origin.edit is not None and origin.entry_id is not None:
        edit = f"{origin.entry_id[:8]}#{origin.edit.id}"
        sure = f"{origin.edit.tier} {format_decimal(origin.edit.confidence)}"
    return [commit, origin.kind, origin.evidence, edit, sure, fit(visible(_who(origin)), 20)]


def _who(origin: LineOrigin) -> str:
    """The agent of the entry, by its own word; without one, the commit's author."""
    if origin.entry is not None:
        return origin.entry.agent
    if origin.ruling is None:
        return "-"
    return origin.ruling.judged.candidate.author.partition(" <")[0]


def _row_json(origin: LineOrigin) -> JsonObject:
    line, edit, ruling = origin.line, origin.edit, origin.ruling
    candidate = None if ruling is None else ruling.judged.candidate
    return {
        "line": line.number,
        "text": line.text.decode("utf-8", "replace"),
        "commit": line.commit,
        "commit_path": visible(line.commit_path),
        "commit_line": line.commit_line,
        "time": None if candidate is None else format_rfc3339(read_author_time(candidate)),
        "kind": origin.kind,
        "replay": None if ruling is None else ruling.replay,
        "passes": None if ruling is None else ruling.passes,
        "verdict": None if ruling is None else str(ruling.judged.verdict),
        "author": None if candidate is None else visible(candidate.author),
        "entry": origin.entry_id,
        "edit": None if edit is None else edit.id,
        "agent": None if origin.entry is None else origin.entry.agent,
        "tier": None if edit is None else edit.tier,
        "evidence": origin.evidence,
        "weak": _is_weak(origin),
        "confidence": None if edit is None else edit.confidence / 1000,
    }
