"""`hkgit attribution`: which lines agents wrote, for other tools to read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click

from hkgit.audit.authorship import Attribution, attribute_commit
from hkgit.cli.answer import echo_json, echo_json_list, json_option
from hkgit.cli.common import open_history
from hkgit.cli.output import print_info, print_note, show_progress
from hkgit.cli.ruling_output import find_range
from hkgit.errors import InvalidInput
from hkgit.gate.judge import Gate
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import Json

FORMATS = ("agent-trace", "git-ai", "assisted-by")


@click.command()
@click.argument("commits", default="HEAD", metavar="[REV | A..B]")
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
def command(commits: str, form: str, notes: bool, as_json: bool) -> None:
    """Show which lines of a commit, or of the commits of A..B, agents wrote.

    Only lines that follow from an entry are listed; each record has the command that derives it
    again. Agent Trace: one JSON record per line. Existing notes are not changed.
    """
    if notes and form != "git-ai":
        raise click.UsageError("--notes needs --format git-ai.")
    repository = open_history()
    found = _attribute(repository, commits)
    if notes:
        _write_notes(repository, found, as_json)
    elif as_json:
        echo_json_list(_document(each, form) for each in found)
    else:
        for each in found:
            _print(each, form)


def _attribute(repository: Repository, commits: str) -> Iterator[Attribution]:
    """The commits of a range or the one, of which agents wrote lines."""
    asked, policy = find_range(repository, commits)
    listed: Sequence[str] = (asked.new,)
    if asked.old is not None:
        listed = repository.commits_between(asked.old, asked.new)
    gate = Gate(repository, policy, tip=asked.new)
    for each in show_progress("attributing commit")(listed):
        attribution = attribute_commit(repository, gate, each)
        if attribution.lines:
            yield attribution


def _print(attribution: Attribution, form: str) -> None:
    if form == "agent-trace":
        for record in _document(attribution, form):
            click.echo(json.dumps(record))
    elif form == "git-ai":
        click.echo(_document(attribution, form)["log"], nl=False)
    else:
        for line in _document(attribution, form)["trailers"]:
            click.echo(visible(line))


def _document(attribution: Attribution, form: str) -> Json:
    commit = attribution.commit
    if form == "agent-trace":
        from hkgit.audit.authorship import render_records

        return [*render_records(attribution)]
    if form == "git-ai":
        from hkgit.audit.authorship import render_log

        return {"commit": commit.id, "log": render_log(attribution)}
    from hkgit.evidence.trailers import list_missing_lines

    entries = [entry for _, entry in commit.ruling.judged.entries]
    return {"commit": commit.id, "trailers": list_missing_lines(entries, b"")}


def _write_notes(repository: Repository, found: Iterator[Attribution], as_json: bool) -> None:
    from hkgit.audit.authorship import write_note

    written, kept = list[str](), list[str]()
    for each in found:
        try:
            (written if write_note(repository, each) else kept).append(each.commit.id)
        except InvalidInput as error:  # one path that the format cannot say is no reason to stop
            print_note(f"warning: {each.commit.id[:12]}: {error}")
    if as_json:
        echo_json({"status": "noted", "written": written, "kept": kept})
    else:
        print_info(f"{count_noun(len(written), 'note')} written, {len(kept)} already there")
