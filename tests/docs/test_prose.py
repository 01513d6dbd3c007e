"""Pages are read by strangers: short sentences, rules with numbers, links that lead somewhere."""

import ast
import re
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from docs.link_terms import TERMS, link_terms, list_pages
from docs.number_rules import LETTERS, NUMBER, list_rules, number
from tests.docs.console import ROOT
from tests.docs.messages import collect_messages
from tests.docs.prose import (
    MOST_IN_A_PARAGRAPH,
    MOST_WORDS,
    find_odd_words,
    long_paragraphs,
    long_sentences,
    sentences,
)
from tests.support.modules import parse, walk
from tests.support.running import script

PAGES = sorted([ROOT / "README.md", *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PROSE = [page for page in PAGES if page.name != "CHANGELOG.md"]
MOST_TERMS = 15
_FENCE = re.compile(r"^(`{3,}).*?^\1\s*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _find(check: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """Find what a check objects to, by the name of the page."""
    return {_name(page): found for page in PROSE if (found := check(page.read_text("utf-8")))}


def test_no_sentence_is_longer_than_a_reader_keeps() -> None:
    assert _find(long_sentences) == {}


def test_the_linter_finds_a_long_sentence() -> None:
    words = "word " * (MOST_WORDS + 1)
    assert len(long_sentences(f"Short. {words}.\n\n| {words}| b |\n\n- {words}\n")) == 3
    assert long_sentences(f"```\n{words}\n```\n`{words}` [{'a ' * 20}](b).") == []
    assert len([*sentences("One. Two! Three?")]) == 3


def test_no_paragraph_is_longer_than_ninety_words() -> None:
    assert _find(long_paragraphs) == {}


def test_the_linter_finds_a_long_paragraph() -> None:
    words = "Five words make a sentence. " * (MOST_IN_A_PARAGRAPH // 5)
    assert long_paragraphs(f"{words}\n\n- {words}\n\n{words}More.\n") == [f"{words}More."]


def test_no_word_is_one_that_a_stranger_stumbles_over() -> None:
    """`tests/docs/prose.py` lists them, each with what to write instead."""
    assert _find(find_odd_words) == {}


def test_the_linter_finds_odd_words_in_prose_alone() -> None:
    text = "It heeds blanks, and images are passed by.\n\n| Mend it: | `mend:` stand-in |\n"
    assert find_odd_words(text) == ["heeds", "blanks", "passed by", "Mend"]
    assert find_odd_words("```\nMend it\n```\nIt passes by default.\n") == []


def test_the_terms_are_few() -> None:
    assert 0 < len(TERMS) <= MOST_TERMS


def test_every_link_and_anchor_leads_somewhere() -> None:
    texts = {page: _FENCE.sub("", page.read_text("utf-8")) for page in PAGES}
    links = [(page, link) for page, text in texts.items() for link in _LINK.findall(text)]
    assert len(links) > 100
    assert [(_name(page), link) for page, link in links if not _leads(page, link)] == []


def test_every_page_is_linked_from_another() -> None:
    texts = {page: page.read_text("utf-8") for page in PROSE}
    lost = [
        _name(page)
        for page in (ROOT / "docs").rglob("*.md")
        if not any(page.name in text for other, text in texts.items() if other != page)
    ]
    assert lost == []


def test_the_spelling_is_checked() -> None:
    if not script("codespell").exists():
        pytest.skip("codespell is not installed here")
    looked = [*PAGES, ROOT / "hkgit"]
    command = [str(each) for each in (script("codespell"), "--skip", "*.pyc,*.json", *looked)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == ""


def _leads(page: Path, link: str) -> bool:
    if "://" in link or link.startswith("mailto:"):
        return True
    path, _, anchor = link.partition("#")
    target = page if not path else page.parent / path
    return target.exists() and (not anchor or anchor in _anchors(target))


@cache
def _anchors(page: Path) -> set[str]:
    """The anchors of headings, as GitHub and mkdocs make them."""
    text = _FENCE.sub("", page.read_text("utf-8"))
    titles = re.findall(r"^#+\s+(.*?)\s*$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", title.lower()) for title in titles)
    return {re.sub(r"\s", "-", title.strip()) for title in plain}


def test_the_first_use_of_a_term_leads_to_the_glossary() -> None:
    texts = {page: page.read_text("utf-8") for page in list_pages()}
    unlinked = [_name(page) for page, text in texts.items() if link_terms(text, page) != text]
    assert unlinked == [], "python -m docs.link_terms"


def test_a_term_is_linked_once_and_only_in_prose() -> None:
    page = ROOT / "docs/guide/page.md"
    text = "# A receipt\n\n| receipt |\n\n`receipt` and [x](receipt.md). Receipts, a receipt.\n"
    link = "[Receipts](../glossary.md#receipt), a receipt."
    assert link_terms(text, page) == text.replace("Receipts, a receipt.", link)
    linked = "The [receipt](sessions.md) of a receipt.\n"
    assert link_terms(linked, page) == linked


@pytest.mark.parametrize(("name", "letter"), LETTERS.items())
def test_every_rule_has_a_number_of_its_own(name: str, letter: str) -> None:
    page = (ROOT / name).read_text("utf-8")
    lines = page.split("\n")
    unnumbered = [lines[at] for at in list_rules(lines) if NUMBER.match(lines[at]) is None]
    numbers = re.findall(rf"^(?:- )?\*\*{letter}(\d+)\*\* ", page, re.MULTILINE)
    assert unnumbered == [], "python -m docs.number_rules"
    assert sorted(map(int, numbers)) == sorted({int(each) for each in numbers})
    assert number(page, letter) == page


def test_a_number_is_not_given_again_when_its_rule_is_gone() -> None:
    page = number("# Page\n\nNo rule.\n\n## Section\n\nOne.\n\n- Two.\n\n| no | rule |\n", "C")
    assert page.split("\n\n")[1:5] == ["No rule.", "## Section", "**C1** One.", "- **C2** Two."]
    changed = page.replace("- **C2** Two.", "Three.")
    assert "\n**C3** Three.\n" in number(changed, "C")


def test_no_message_has_odd_words() -> None:
    odd = {each: found for each in collect_messages() if (found := find_odd_words(each.text))}
    assert odd == {}


_COMMENT = re.compile(r"(?:^ *|  )(#.*)$", re.MULTILINE)


def test_no_docstring_or_comment_of_the_package_has_odd_words() -> None:
    odd = {}
    for path in (ROOT / "hkgit").rglob("*.py"):
        texts = [*_list_docstrings(path), *_COMMENT.findall(path.read_text("utf-8"))]
        if found := find_odd_words("\n\n".join(texts)):
            odd[path] = found
    assert odd == {}


def _list_docstrings(path: Path) -> list[str]:
    """The texts that stand alone, those below constants among them."""
    alone = [node.value for node in walk(parse(path)) if isinstance(node, ast.Expr)]
    return [str(each.value) for each in alone if isinstance(each, ast.Constant)]
