"""Link each of hkgit's own terms to the glossary where a page of the docs uses it first.

`python -m docs.link_terms` puts the links in; a test says where one is missing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parent
TERMS = re.findall(r"^## (.+)$", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE)
_MASKED = re.compile(r"`[^`]*`|!?\[[^]]*\]\([^)]*\)|<[^>]*>|\([^)]*\.md[^)]*\)")
_NO_PROSE = ("#", "|", "<", "    ")
_MARKS = re.compile(r"^\s*(`*)")
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def list_pages() -> Iterator[Path]:
    """List the pages that people write; generated ones have their terms from the code."""
    for page in sorted(DOCS.rglob("*.md")):
        if page.stem != "glossary" and "<!-- Written by" not in page.read_text("utf-8"):
            yield page


def link_terms(text: str, page: Path) -> str:
    """Link the first use of each term in the prose of a page; a link that is there counts."""
    lines = text.split("\n")
    glossary = os.path.relpath(DOCS / "glossary.md", page.parent)
    for term in sorted(TERMS, key=len, reverse=True):
        if page.stem in (term, _inflect(term)):
            continue
        word = re.compile(rf"(?<![\w./-])(?:{_pattern(term)})(?![\w-])")
        _link_first(lines, word, f"{glossary}#{term.replace(' ', '-').lower()}")
    return "\n".join(lines)


def _link_first(lines: list[str], word: re.Pattern[str], target: str) -> None:
    for at in _list_prose(lines):
        line = lines[at]
        if any(word.search(link[1]) for link in _LINK.finditer(line)):
            return
        found = word.search(_MASKED.sub(lambda masked: "\0" * len(masked[0]), line))
        if found is not None:
            lines[at] = f"{line[: found.start()]}[{found[0]}]({target}){line[found.end() :]}"
            return


def _list_prose(lines: list[str]) -> Iterator[int]:
    fence = ""
    for at, line in enumerate(lines):
        marks = _MARKS.findall(line)[0]
        if fence:
            fence = "" if marks.startswith(fence) and line.strip() == marks else fence
        elif marks.startswith("`" * 3):
            fence = marks
        elif not line.startswith(_NO_PROSE):
            yield at


def _pattern(term: str) -> str:
    """Match a term or its plural, also where a sentence begins with it."""
    first = term[0] if term[0].isupper() else f"[{term[0]}{term[0].upper()}]"
    return "|".join(first + re.escape(form[1:]) for form in (_inflect(term), term))


def _inflect(term: str) -> str:
    return f"{term[:-1]}ies" if term.endswith("y") else f"{term}s"


if __name__ == "__main__":
    for page in list_pages():
        page.write_text(link_terms(page.read_text("utf-8"), page), "utf-8")
