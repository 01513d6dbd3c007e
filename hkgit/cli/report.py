"""`hkgit report`: a range for reviewers and auditors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from hkgit.audit.audit import Audit, audit_json
from hkgit.audit.commits import History
from hkgit.audit.markdown import render_badge, render_body, render_comment, render_head
from hkgit.cli.answer import Answer
from hkgit.cli.history import POLICY, open_history
from hkgit.cli.options import format_option
from hkgit.cli.output import CONSOLE, show_progress
from hkgit.errors import InvalidInput
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.gate.ruling import Report
from hkgit.git.repository import Repository
from hkgit.text.strict_json import Json

FORMATS = ("markdown", "comment", "badge")


@click.command()
@click.argument("commits", metavar="[A..B]", required=False)
@POLICY
@format_option(FORMATS, "The full report, a comment for a pull request, or an SVG badge.")
@click.option("--tables", metavar="DIR", help="Report on the tables of many repositories.")
@click.option("--html", metavar="FILE", help="Write the page as one file that loads nothing else.")
def command(
    commits: str | None, policy: str | None, tables: str | None, html: str | None
) -> Answer:
    """Report on A..B: what is derived, what is only claimed, what was allowed.

    As Markdown, or as a page for a browser with --html. Its exit code is no verdict: use
    `hkgit gate` for that. With --tables the page covers all repositories in the tables of
    `hkgit export`.
    """
    form = CONSOLE.form
    if tables is not None:
        if html is None or commits is not None or policy is not None or form != FORMATS[0]:
            raise click.UsageError("--tables needs --html, and nothing else.")
        return _write_overview(Path(tables), html)
    if commits is None:
        raise click.UsageError("Name a range: hkgit report A..B, or give --tables DIR.")
    history = open_history(commits, policy, is_range=True)
    listed = history.list()
    if html is not None:
        audit = _audit(commits, history, listed)
        return _write_page(audit_json(audit), html, _render_page(history.repository, audit))
    return Answer(
        lambda: audit_json(_audit(commits, history, listed)),
        (text.encode() for text in _render(commits, history, listed, form)),
    )


def _audit(name: str, history: History, listed: Sequence[str]) -> Audit:
    refused = RefusalLog.of(history.repository.common_dir).read()
    rulings = history.judge(listed, show_progress("judging commit"))
    report = Report(history.policy, tuple(rulings))
    return Audit.of(name, _find_ends(history), report, refused)


def _find_ends(history: History) -> tuple[str, str]:
    return history.asked.old or "", history.asked.new


def _render(name: str, history: History, listed: Sequence[str], form: str) -> Iterator[str]:
    """Render a report as text; of Markdown first what is known by now."""
    if form == FORMATS[0]:
        yield render_head(name, _find_ends(history), len(listed), history.policy)
        yield render_body(_audit(name, history, listed))
        return
    audit = _audit(name, history, listed)
    yield render_badge(audit) if form == "badge" else render_comment(audit)


def _render_page(repository: Repository, audit: Audit) -> str:
    # Most reports are no pages.
    from hkgit.audit.page.page_facts import gather_facts
    from hkgit.audit.page.render import render_page

    place = repository.work_tree or repository.git_dir
    refusals = RefusalLog.of(repository.common_dir).read()
    return render_page(gather_facts(repository, place.name, audit, refusals))


def _write_overview(tables: Path, html: str) -> Answer:
    """Write the page over tables."""
    # Few reports are over tables.
    from hkgit.audit.tables.database import open_directory
    from hkgit.audit.tables.sums import render_tables

    with open_directory(tables) as database:
        return _write_page(None, html, render_tables(database))


def _write_page(document: Json, html: str, text: str) -> Answer:
    path = Path(html)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise InvalidInput(str(path), what, "Name another place.") from error
    return Answer(document, [f"the page: {html}"], is_info=True)
