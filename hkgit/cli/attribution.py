"""`hkgit attribution`: which lines agents wrote, for other tools to read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click

from hkgit.audit.authorship import (
    Attribution,
    attribute_commit,
    render_log,
    render_records,
    write_note,
)
from hkgit.audit.commits import History
from hkgit.cli.answer import Answer, json_option
from hkgit.cli.history import REVISION, open_history
from hkgit.cli.output import print_note, show_progress
from hkgit.errors import InvalidInput
from hkgit.evidence.trailers import list_missing_lines
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import Json

FORMATS = ("agent-trace", "git-ai", "assisted-by")


@click.command()
@REVISION
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    show_default=True,
    help="Records of Agent Trace, logs of git-ai, or trailers.",
)
@click.option("--notes", is_flag=True, help="Store logs of git-ai in refs/notes/ai.")
@json_option
def command(commits: str, form: str, notes: bool) -> Answer:
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
    lines = (line for each in found for line in _lines(each, form))
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


def _lines(attribution: Attribution, form: str) -> Iterator[str | bytes]:
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
