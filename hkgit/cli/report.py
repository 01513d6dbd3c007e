"""`hkgit report`: a range for reviewers and auditors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from hkgit.audit.audit import Audit, audit_json, body, head
from hkgit.cli.answer import echo_json, json_option
from hkgit.cli.common import open_history
from hkgit.cli.output import echo, print_info, show_progress
from hkgit.cli.ruling_output import find_range
from hkgit.errors import InvalidInput
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.gate.commit_range import judge_range, list_commits_of
from hkgit.git.repository import Repository


@click.command()
@click.argument("commits", metavar="[A..B]", required=False)
@click.option("--policy", metavar="FILE|REV:PATH", help="The policy to use instead of A's.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "comment", "badge"]),
    default="markdown",
    show_default=True,
    help="The full report, a comment for a pull request, or an SVG badge.",
)
@click.option("--tables", metavar="DIR", help="Report on the tables of many repositories.")
@click.option("--html", metavar="FILE", help="Write the page as one file that loads nothing else.")
@click.option("--html-dir", metavar="DIR", help="Write the page with a separate style sheet.")
@json_option
def command(
    commits: str | None,
    policy: str | None,
    form: str,
    tables: str | None,
    html: str | None,
    html_dir: str | None,
    as_json: bool,
) -> None:
    """Report on A..B: what is derived, what is only claimed, what was allowed.

    As Markdown, or as a page for a browser with --html or --html-dir. Its exit code is no
    verdict: use `hkgit gate` for that. With --tables the page covers all repositories in the
    tables of `hkgit export`, and links to a page for each.
    """
    if tables is not None:
        if commits is not None or policy is not None or form != "markdown" or as_json:
            raise click.UsageError("--tables needs --html or --html-dir.")
        _write_overview(Path(tables), html, html_dir)
        return
    if commits is None:
        raise click.UsageError("Name a range: hkgit report A..B, or give --tables DIR.")
    repository = open_history()
    asked, trusted = find_range(repository, commits, policy, is_range=True)
    ends = asked.old or "", asked.new
    listed = list_commits_of(repository, asked, trusted)
    is_page = html is not None or html_dir is not None
    is_markdown = form == "markdown" and not as_json and not is_page
    if is_markdown:  # what is known by now
        echo(head(commits, ends, len(listed), trusted), nl=False)
    watch = show_progress("judging commit")
    report = judge_range(repository, asked, trusted, commits=listed, watch=watch).collect()
    audit = Audit.of(commits, ends, report)
    if is_page:
        _write_pages(repository, audit, html, html_dir)
    if as_json:
        echo_json(audit_json(audit))
    elif is_markdown:
        echo(body(audit), nl=False)
    elif not is_page:
        echo(_render(audit, form), nl=False)


def _render(audit: Audit, form: str) -> str:
    # Most reports are whole.
    from hkgit.audit.page.summary_texts import render_badge, render_comment

    if form == "badge":
        return render_badge(audit.commits)
    return render_comment(audit.name, audit.commits, audit.agents)


def _write_pages(
    repository: Repository, audit: Audit, html: str | None, html_dir: str | None
) -> None:
    # Most reports are no pages.
    from hkgit.audit.page.page_facts import gather_facts
    from hkgit.audit.page.render import render_directory, render_page

    place = repository.work_tree or repository.git_dir
    refusals = RefusalLog.of(repository.common_dir).read()
    ends = audit.old, audit.new
    facts = gather_facts(repository, place.name, audit.name, ends, audit.report, refusals)
    if html is not None:
        _write(Path(html), render_page(facts))
        print_info(f"the page: {html}")
    if html_dir is not None:
        _write_directory(Path(html_dir), render_directory(facts))
        print_info(f"the page: {Path(html_dir) / 'index.html'}")


def _write_overview(tables: Path, html: str | None, html_dir: str | None) -> None:
    """The pages over tables: in one file and a folder beside it, or in a directory."""
    # Few reports are over tables.
    from hkgit.audit.tables.database import open_directory
    from hkgit.audit.tables.sums import render_tables

    if html is None and html_dir is None:
        raise click.UsageError("Name the output: --html FILE or --html-dir DIR.")
    with open_directory(tables) as database:
        if html is not None:
            path = Path(html)
            pages = render_tables(database, path.name, f"{path.stem}-repositories", inline=True)
            _write_directory(path.parent, dict(pages))
            print_info(f"the page: {html}")
        if html_dir is not None:
            pages = render_tables(database, "index.html", "repositories", inline=False)
            _write_directory(Path(html_dir), dict(pages))
            print_info(f"the page: {Path(html_dir) / 'index.html'}")


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
