"""Who wrote each line: for people, and in the formats of other tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import click

from hkgit.audit.authorship import (
    Attribution,
    attribute_commit,
    render_log,
    render_records,
    write_note,
)
from hkgit.audit.commits import History, read_author_time
from hkgit.audit.origins import LineOrigin, LineOrigins, blame_file
from hkgit.cli.answer import Answer
from hkgit.cli.common import make_root_relative, open_repository
from hkgit.cli.history import REVISION, find_history, note_shallow, open_history
from hkgit.cli.options import argument, choice_option, declare, option
from hkgit.cli.output import print_note, show_progress
from hkgit.cli.terminal_rows import EVIDENCE_COLOURS, Cell, measure_terminal, render_rows
from hkgit.errors import InvalidInput
from hkgit.evidence.trailers import list_missing_lines
from hkgit.gate.ruling import NO_EVIDENCE
from hkgit.git.repository import Repository
from hkgit.matching.place import format_confidence
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import Json, JsonObject

_NARROW = 110
_TITLES = ("commit", "replay", "evidence", "edit", "sure", "who", "line")
_WIDTHS, _NARROW_WIDTHS = (9, 18, 11, 11, 15, 18), (7, 10, 8, 10, 4, 10)


@declare
def blame(
    *,
    path: str = argument(),
    rev: str | None = option("Blame a file of a revision instead of the working tree's."),
    lines: str | None = option("Only these lines, as in git blame -L.", "-L", metavar="START,END"),
    weak: bool = option("Only lines with evidence of a quote or less, or none."),
) -> Answer:
    """Show for each line of a file its commit, what replay says, the evidence and the agent."""
    repository = open_repository()
    note_shallow(repository)
    if rev is None and repository.work_tree is None:
        rev = "HEAD"
    blamed = list(blame_file(repository, make_root_relative(repository, path), rev, lines))
    origins = LineOrigins(find_history(repository, rev or "HEAD", is_range=False))
    judged = map(origins.of, show_progress("judging line")(blamed))
    found = (origin for origin in judged if origin.is_weak or not weak)
    lines_of = _lines(found, last=blamed[-1].number if blamed else 0)
    return Answer(map(_row_json, found), lines_of, is_long=True)


def _lines(found: Iterable[LineOrigin], *, last: int) -> Iterator[str]:
    """Write a heading, and each line as soon as its commit is judged."""
    is_narrow, digits = measure_terminal() < _NARROW, max(len(f"{last})"), len(_TITLES[-1]))
    widths = (*(_NARROW_WIDTHS if is_narrow else _WIDTHS), digits)
    rows = (_cells(origin, digits, is_narrow=is_narrow) for origin in found)
    return render_rows(widths, chain([_TITLES], rows))


def _cells(origin: LineOrigin, digits: int, *, is_narrow: bool) -> tuple[Cell, ...]:
    """Commit, what replay says, evidence, edit, tier and confidence, who, line, text."""
    commit = "-" if origin.line.commit is None else origin.line.commit
    commit = commit[: _NARROW_WIDTHS[0] if is_narrow else _WIDTHS[0]]
    edit, sure = "-", "-"
    if origin.edit is not None and origin.entry_id is not None:
        edit = f"{origin.entry_id[:8]}#{origin.edit.id}"
        sure = format_confidence(origin.edit.confidence)
        sure = sure if is_narrow else f"{origin.edit.tier} {sure}".rstrip()
    kind, evidence = origin.kind, origin.evidence
    if is_narrow and kind == NO_EVIDENCE:
        kind, evidence = "-", "nothing"
    coloured = evidence, EVIDENCE_COLOURS.get(origin.evidence)
    number = f"{origin.line.number})".rjust(digits)
    text = visible(origin.line.text.decode("utf-8", "replace").expandtabs())
    return commit, kind, coloured, edit, sure, visible(_who(origin)), number, text


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
        "time": None if candidate is None else read_author_time(candidate).isoformat(),
        "kind": origin.kind,
        "replay": None if ruling is None else ruling.replay,
        "passes": None if ruling is None else ruling.passes,
        "author": None if candidate is None else visible(candidate.author),
        "entry": origin.entry_id,
        "edit": None if edit is None else edit.id,
        "agent": None if origin.entry is None else origin.entry.agent,
        "tier": None if edit is None else edit.tier,
        "evidence": origin.evidence,
        "weak": origin.is_weak,
        "confidence": None if edit is None else edit.confidence / 1000,
    }


FORMATS = ("agent-trace", "git-ai", "assisted-by")


@declare
def attribution(
    *,
    commits: str = REVISION,
    form: str = choice_option(
        FORMATS, "Records of Agent Trace, logs of git-ai, or trailers.", "--format"
    ),
    notes: bool = option("Store logs of git-ai in refs/notes/ai."),
) -> Answer:
    """Show which lines of a commit, or of the commits of A..B, agents wrote.

    Only lines that follow from an entry are listed; each record has the command that derives it
    again. Agent Trace: one JSON record per line. Existing notes are not changed.
    """
    if notes and form != "git-ai":
        raise click.UsageError("--notes needs --format git-ai.")
    history = open_history(commits)
    found = _attribute(history)
    if notes:
        return _write_notes(history.repository, found)
    lines = (line for each in found for line in _attribution_lines(each, form))
    return Answer(lambda: (_document(each, form) for each in found), lines)


def _attribute(history: History) -> Iterator[Attribution]:
    """The commits of a range or the one, of which agents wrote lines."""
    asked = history.asked
    listed: Sequence[str] = (asked.new,)
    if asked.old is not None:
        listed = history.repository.commits_between(asked.old, asked.new)
    for each in show_progress("attributing commit")(listed):
        attribution = attribute_commit(history, each)
        if attribution.lines:
            yield attribution


def _attribution_lines(attribution: Attribution, form: str) -> Iterator[str | bytes]:
    document = _document(attribution, form)
    if form == "agent-trace":
        yield from map(json.dumps, document)
    elif form == "git-ai":
        yield document["log"].encode()
    else:
        yield from map(visible, document["trailers"])


def _document(attribution: Attribution, form: str) -> Json:
    commit = attribution.commit
    if form == "agent-trace":
        return [*render_records(attribution)]
    if form == "git-ai":
        return {"commit": commit.id, "log": render_log(attribution)}
    entries = [entry for _, entry in commit.ruling.judged.entries]
    return {"commit": commit.id, "trailers": list_missing_lines(entries, b"")}


def _write_notes(repository: Repository, found: Iterator[Attribution]) -> Answer:
    written, kept = list[str](), list[str]()
    for each in found:
        try:
            (written if write_note(repository, each) else kept).append(each.commit.id)
        except InvalidInput as error:  # one path that the format cannot say is no reason to stop
            print_note(f"warning: {each.commit.id[:12]}: {error}")
    line = f"{count_noun(len(written), 'note')} written, {len(kept)} already there"
    document = {"status": "noted", "written": written, "kept": kept}
    return Answer(document, [line], is_info=True)
