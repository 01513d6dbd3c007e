"""The comment on a range, read by a Markdown parser: text from commits stays text."""

from collections.abc import Callable

import pytest
from markdown_it import MarkdownIt

from hkgit.audit.audit import Audit, render_comment
from hkgit.audit.reports.findings import mend
from hkgit.gate.commit_range import CommitRange
from hkgit.text.escape import escape_markdown, render_code, visible
from hkgit.values import replace
from tests.audit.reports.conftest import HOSTILE, ODD, History, judged
from tests.support.cases import cases
from tests.support.markup import Outline
from tests.support.reports import ReportSheet


def read(source: str) -> Outline:
    return Outline(MarkdownIt("commonmark").enable("table").render(source))


@cases(
    "text",
    {
        "a subject": HOSTILE,
        "a path": ODD,
        "markup": "a | b ~~c~~ **d** [e](http://f) ![g](h) \\| $i$",
        "links": "www.example.org http://example.org a@example.org",
    },
)
@pytest.mark.parametrize("escape", [escape_markdown, render_code])
def test_text_stands_in_a_table_for_itself(text: str, escape: Callable[[str], str]) -> None:
    page = read(f"| a |\n| - |\n| {escape(text)} |\n")
    [[heading, [cell]]] = page.tables
    assert (heading[0].strip(), cell.strip()) == ("a", visible(text))
    assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


def comment(history: History, sheet: ReportSheet | None = None) -> str:
    """The comment on a range."""
    return render_comment(
        Audit.of("a..b", CommitRange("0" * 40, "1" * 40), (sheet or history.sheet).report)
    )


def test_rejections_say_what_mends_them(history: History) -> None:
    text = comment(history)
    rejected = [each for each in history.sheet.report.rulings if not each.passes]
    assert len(rejected) == 5
    for ruling in rejected:
        assert f"fix: {render_code(mend(ruling))}\n" in text


def test_nothing_in_a_commit_is_markup(history: History) -> None:
    page = read(comment(history))
    tags = {"h2", "p", "em", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert page.tags == {*tags, "code"}
    assert visible(HOSTILE) in page.text


def test_where_all_pass_there_is_nothing_to_do(history: History) -> None:
    text = comment(history, judged(history.repo, "HEAD^"))
    assert "## ✅ hkgit: 1 commit, all pass" in text
    assert "Look here first" not in text


def test_a_long_range_does_not_outgrow_the_comment(history: History) -> None:
    report = history.sheet.report
    few = Audit.of("a..b", CommitRange("0" * 40, "1" * 40), report)
    many = replace(few, commits=few.commits * 500)
    assert "and 2492 more" in render_comment(many)
    assert len(render_comment(many)) < 2**14
