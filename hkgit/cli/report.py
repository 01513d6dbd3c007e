"""`hkgit report`: a range for reviewers and auditors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from hkgit.audit.audit import Audit, audit_json, body, head
from hkgit.cli.answer import Answer, find_form
from hkgit.cli.history import POLICY, History, open_history
from hkgit.cli.options import format_option
from hkgit.errors import InvalidInput
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.git.repository import Repository

FORMATS = ("markdown", "comment", "badge")


@click.command()
@click.argument("commits", metavar="[A..B]", required=False)
@POLICY
@format_option(FORMATS, "The full report, a comment for a pull request, or an SVG badge.")
@click.option("--tables", metavar="DIR", help="Report on the tables of many repositories.")
@click.option("--html", metavar="FILE", help="Write the page as one file that loads nothing else.")
@click.option("--html-dir", metavar="DIR", help="Write the page with a separate style sheet.")
def command(
    commits: str | None,
    policy: str | None,
    tables: str | None,
    html: str | None,
    html_dir: str | None,
) -> Answer:
    """Report on A..B: what is derived, what is only claimed, what was allowed.

    As Markdown, or as a page for a browser with --html or --html-dir. Its exit code is no
    verdict: use `hkgit gate` for that. With --tables the page covers all repositories in the
    tables of `hkgit export`, and links to a page for each.
    """
    form = find_form()
    if tables is not None:
        if commits is not None or policy is not None or form != FORMATS[0]:
            raise click.UsageError("--tables needs --html or --html-dir.")
        return _write_overview(Path(tables), html, html_dir)
    if commits is None:
        raise click.UsageError("Name a range: hkgit report A..B, or give --tables DIR.")
    history = open_history(commits, policy, is_range=True)
    listed = history.list()
    if html is not None or html_dir is not None:
        audit = _audit(commits, history, listed)
        lines = _write_pages(history.repository, audit, html, html_dir)
        return Answer(audit_json(audit), lines, is_info=True)
    return Answer(
        lambda: audit_json(_audit(commits, history, listed)),
        (text.encode() for text in _render(commits, history, listed, form)),
    )


def _audit(name: str, history: History, listed: Sequence[str]) -> Audit:
    refused = RefusalLog.of(history.repository.common_dir).read()
    return Audit.of(name, history.ends, history.judge(listed).collect(), refused)


def _render(name: str, history: History, listed: Sequence[str], form: str) -> Iterator[str]:
    """Render a report as text; of Markdown first what is known by now."""
    if form == FORMATS[0]:
        yield head(name, history.ends, len(listed), history.policy)
        yield body(_audit(name, history, listed))
        return
    # Most reports are whole.
    from hkgit.audit.page.summary_texts import render_badge, render_comment

    audit = _audit(name, history, listed)
    yield render_badge(audit) if form == "badge" else render_comment(audit)


def _write_pages(
    repository: Repository, audit: Audit, html: str | None, html_dir: str | None
) -> list[str]:
    # Most reports are no pages.
    from hkgit.audit.page.page_facts import gather_facts
    from hkgit.audit.page.render import render_directory, render_page

    place = repository.work_tree or repository.git_dir
    refusals = RefusalLog.of(repository.common_dir).read()
    facts = gather_facts(repository, place.name, audit, refusals)
    return _write_each(
        html,
        html_dir,
        lambda path: {path.name: render_page(facts)},
        lambda: render_directory(facts),
    )


def _write_overview(tables: Path, html: str | None, html_dir: str | None) -> Answer:
    """The pages over tables: in one file and a folder beside it, or in a directory."""
    # Few reports are over tables.
    from hkgit.audit.tables.database import open_directory
    from hkgit.audit.tables.sums import render_tables

    if html is None and html_dir is None:
        raise click.UsageError("Name the output: --html FILE or --html-dir DIR.")
    with open_directory(tables) as database:
        lines = _write_each(
            html,
            html_dir,
            lambda path: dict(
                render_tables(database, path.name, f"{path.stem}-repositories", inline=True)
            ),
            lambda: dict(render_tables(database, "index.html", "repositories", inline=False)),
        )
    return Answer(None, lines, is_info=True)


def _write_each(
    html: str | None,
    html_dir: str | None,
    render_file: Callable[[Path], Mapping[str, str]],
    render_directory: Callable[[], Mapping[str, str]],
) -> list[str]:
    """Write pages where they were asked for, as one file, as a directory, or both; say where."""
    written = []
    if html is not None:
        _write_directory(Path(html).parent, render_file(Path(html)))
        written.append(html)
    if html_dir is not None:
        _write_directory(Path(html_dir), render_directory())
        written.append(str(Path(html_dir) / "index.html"))
    return [f"the page: {each}" for each in written]


def _write_directory(directory: Path, pages: Mapping[str, str]) -> None:
    for name, text in pages.items():
        with _refuse_failure((directory / name).parent) as folder:
            folder.mkdir(parents=True, exist_ok=True)
        _write(directory / name, text)


def _write(path: Path, text: str) -> None:
    with _refuse_failure(path):
        path.write_text(text, "utf-8")


@contextmanager
def _refuse_failure(path: Path) -> Iterator[Path]:
    try:
        yield path
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise InvalidInput(str(path), what, "Name another place.") from error
