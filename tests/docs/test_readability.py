"""The documentation is two books of a bounded length, in short sentences."""

from pathlib import Path

import pytest

from tests.docs.readability import DOCS, Figures, count_words, list_books, list_pages, measure

MOST_IN_ALL = 27_000
MOST_IN_A_BOOK = {"Guide": 10_000, "Specification": 15_000}
OUTSIDE = {"index.md", "glossary.md", "architecture.md", "transaction.md"}
"""Pages that belong to neither book."""


def test_readme_and_docs_are_no_longer_than_a_reader_has_time_for() -> None:
    assert count_words(list_pages()) <= MOST_IN_ALL


@pytest.mark.parametrize("name", MOST_IN_A_BOOK)
def test_a_book_has_its_bounds(name: str) -> None:
    found = measure(list_books()[name])
    assert found.words <= MOST_IN_A_BOOK[name]
    assert found.words_a_sentence <= 20
    assert found.long_sentences <= found.sentences // 50


def test_every_page_is_in_one_book() -> None:
    paged = [page for pages in list_books().values() for page in pages]
    assert sorted([*paged, *(DOCS / name for name in OUTSIDE)]) == list_pages()[1:]


def test_figures_are_counted(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n\nOne two. Three four five six.\n\n| a | b |\n\n```\ncode\n```\n", "utf-8"
    )
    assert measure([page]) == Figures(16, 2, 3, 0, 6)
