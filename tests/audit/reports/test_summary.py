"""The job summary, read by a Markdown parser: text from commits stays text."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from hkgit.audit.reports.fix import mend
from hkgit.text.escape import escape_markdown, render_code, visible
from tests.audit.reports.conftest import HOSTILE, ODD, History, judged
from tests.support.reports import ReportSheet, render_summary


class _Page(HTMLParser):
    """The tags of a page, and its tables as rows of the text in their cells."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.tables: list[list[list[str]]] = []
        self.feed(MarkdownIt("commonmark").enable("table").render(source))
        self.tables = [[[cell.strip() for cell in row] for row in table] for table in self.tables]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_data(self, data: str) -> None:
        if self.tables and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += data


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HOSTILE, id="a subject"),
        pytest.param(ODD, id="a path"),
        pytest.param("a | b ~~c~~ **d** [e](http://f) ![g](h) \\| $i$", id="markup"),
        pytest.param("www.example.org http://example.org a@example.org", id="links"),
    ],
)
@pytest.mark.parametrize("escape", [escape_markdown, render_code])
def test_text_stands_in_a_table_for_itself(text: str, escape: Callable[[str], str]) -> None:
    page = _Page(f"| a |\n| - |\n| {escape(text)} |\n")
    assert page.tables == [[["a"], [visible(text)]]]
    assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


def test_rejections_come_first_with_what_mends_them(history: History) -> None:
    rejected, _ = _Page(render_summary(history.sheet)).tables
    rulings = [each for each in history.sheet.report.rulings if not each.passes]
    assert [row[2].partition("\n")[0] for row in rejected] == ["next command", *map(mend, rulings)]


def test_every_commit_is_listed_with_its_verdict(history: History) -> None:
    _, every = _Page(render_summary(history.sheet)).tables
    *refused, by_hand = ((row[0], row[2]) for row in every[1:])
    assert {mark for mark, _ in refused} == {"❌"}
    assert [replay for _, replay in refused] == [
        each.replay for each in history.sheet.report.rulings if not each.passes
    ]
    assert by_hand == ("✅", "by hand")
    assert every[4][1].endswith(visible(HOSTILE))


def test_nothing_in_a_commit_is_markup(history: History) -> None:
    page = _Page(render_summary(history.sheet))
    assert page.tags == {
        "h2",
        "p",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "code",
        "b",
        "details",
        "summary",
    }


def test_commits_are_links_where_their_address_is_known(history: History) -> None:
    linked = ReportSheet(history.sheet.report, history.sheet.items, "https://example.org/x/commit/")
    address = f"https://example.org/x/commit/{history.commits['removed']}"
    assert f'<a href="{address}">' in render_summary(linked)


def test_where_all_pass_there_is_nothing_to_do(history: History) -> None:
    passing = judged(history.repo, "HEAD^")
    assert len(_Page(render_summary(passing)).tables) == 1
    assert render_summary(passing).startswith("## ✅ hkgit: 1 commit, all pass")


def test_a_long_range_does_not_outgrow_the_page(history: History) -> None:
    report = history.sheet.report
    many = ReportSheet(type(report)(report.policy, report.rulings * 500))
    text = render_summary(many)
    assert "and 2000 more" in text
    assert len(text.encode()) < 2**20
