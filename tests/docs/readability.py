"""Measure how the documentation reads: words, sentences, paragraphs, by book.

`python -m tests.docs.readability` prints the figures.
"""

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from tests.docs.console import ROOT
from tests.docs.prose import paragraphs, sentences

DOCS = ROOT / "docs"
MOST_IN_A_SENTENCE = 30
_BOOK = re.compile(r"^  - (Guide|Specification):\n((?:      .*\n)+)", re.MULTILINE)


class Figures(NamedTuple):
    """What was counted in a book. `words` are those of `wc -w`, code and tables included."""

    words: int
    sentences: int
    words_a_sentence: float
    long_sentences: int
    longest_paragraph: int


def list_books() -> dict[str, list[Path]]:
    """List the pages of each book, as the navigation of the site has them."""
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    return {
        name: [DOCS / page for page in re.findall(r"(\S+\.md)$", pages, re.MULTILINE)]
        for name, pages in _BOOK.findall(navigation)
    }


def list_pages() -> list[Path]:
    """List every page of the documentation, the README first."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def count_words(pages: Iterable[Path]) -> int:
    """Count words as `wc -w` does."""
    return sum(len(page.read_text("utf-8").split()) for page in pages)


def measure(pages: Collection[Path]) -> Figures:
    """Measure the prose of some pages; cells of tables and headings count as no sentences."""
    texts = ["\n".join(_drop_tables(page.read_text("utf-8"))) for page in pages]
    lengths = [len(each.split()) for text in texts for each in sentences(text)]
    return Figures(
        words=count_words(pages),
        sentences=len(lengths),
        words_a_sentence=sum(lengths) / len(lengths),
        long_sentences=sum(length > MOST_IN_A_SENTENCE for length in lengths),
        longest_paragraph=max(len(each.split()) for text in texts for each in paragraphs(text)),
    )


def _drop_tables(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(("|", "#"))]


def main() -> None:
    """Print the figures of each book."""
    for name, pages in list_books().items():
        found = measure(pages)
        print(f"{name}: {found.words} words, {found.sentences} sentences")
        print(f"  words a sentence: {found.words_a_sentence:.1f}")
        print(f"  sentences over {MOST_IN_A_SENTENCE} words: {found.long_sentences}")
        print(f"  longest paragraph: {found.longest_paragraph} words")
    print(f"README and docs: {count_words(list_pages())} words")


if __name__ == "__main__":
    main()
