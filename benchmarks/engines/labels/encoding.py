"""encoding.py: edits garbled on the way: escapes, prefixes, fences, typography, file marks."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from random import Random

from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Verdict

NUMBERED: tuple[str, ...] = (
    "{n} | {line}",
    "{n}|{line}",
    "{n}\t{line}",
    "{n:>6}\t{line}",
    "{n:>5}\u2192{line}",
    "{n}: {line}",
    "{n:>4} | {line}",
    "L{n}: {line}",
)

TYPESET: tuple[tuple[str, str], ...] = (
    (r"\"([^\"]*)\"", "\u201c\\1\u201d"),
    (r"(?<=\w)'(?=\w)", "\u2019"),
    (r"'([^']*)'", "\u2018\\1\u2019"),
    (r" - ", " \u2013 "),
    (r"--", "\u2014"),
    (r"\.\.\.", "\u2026"),
    (r"(?<=\S) (?=\S)", "\u00a0"),
    (r"(?<=\w)(?=\w)", "\u200b"),
)


def escaped_newlines(rng: Random, draft: Draft) -> Draft | None:
    """Line feeds arrive as backslash escapes."""
    if "\n" not in draft.old.rstrip("\n") or "\\" in draft.old + draft.new:
        return None
    return replace(draft, wrap=lambda text: text.replace("\n", "\\n"))


def escaped_quotes(rng: Random, draft: Draft) -> Draft | None:
    """Quotes of one kind arrive with a backslash."""
    kinds = [kind for kind in "\"'" if kind in draft.old]
    if not kinds or "\\" in draft.old + draft.new:
        return None
    kind = rng.choice(kinds)
    return replace(draft, wrap=lambda text: text.replace(kind, "\\" + kind))


def escaped_json(rng: Random, draft: Draft) -> Draft | None:
    """The old and the new text arrive as the inside of a JSON string."""
    escaped = replace(draft, wrap=lambda text: json.dumps(text, ensure_ascii=False)[1:-1])
    return escaped if escaped.old != draft.old else None


def entities(rng: Random, draft: Draft) -> Draft | None:
    """Ampersands and angle brackets, and sometimes quotes, arrive as entities."""
    quote = rng.random() < 0.4
    if html.escape(draft.old, quote) == draft.old or html.unescape(draft.old) != draft.old:
        return None
    return replace(draft, wrap=lambda text: html.escape(text, quote))


def line_numbers(rng: Random, draft: Draft) -> Draft | None:
    """Every line carries the number that a reading tool put before it; at times only the old."""
    return _numbered(draft, rng.choice(NUMBERED), wraps_new=rng.random() < 0.7)


def _numbered(draft: Draft, style: str, *, wraps_new: bool) -> Draft:
    start = len(draft.above) + 1

    def numbered(text: str) -> str:
        lines = text.removesuffix("\n").split("\n") if text else []
        marked = [style.format(n=n, line=line) for n, line in enumerate(lines, start)]
        return "\n".join(marked) + ("\n" if text.endswith("\n") else "")

    return replace(draft, wrap=numbered, wraps_new=wraps_new)


def numbers_on_some(rng: Random, draft: Draft) -> Draft | None:
    """The quoted lines carry their numbers, and the new ones do not; at times one more does not.

    Such an edit may be refused: what the numbers stood for is not clear everywhere.
    """
    style = rng.choice(NUMBERED)
    kept = draft.rows_of(KEPT + GONE)
    bare = rng.choice(kept) if len(kept) > 2 and rng.random() < 0.5 else None
    for number, at in enumerate(kept, len(draft.above) + 1):
        if at != bare:
            said = style.format(n=number, line=draft.rows[at].said or "")
            draft = draft.misquoting(at, said)
    return replace(draft, verdict=Verdict.EITHER) if draft.rows_of(ADDED) else None


def fence(rng: Random, draft: Draft) -> Draft | None:
    """The old and the new text were pasted with the fence around them."""
    language = rng.choice(["", "python", "diff", "ts"])
    return replace(draft, wrap=lambda text: f"```{language}\n{text.removesuffix(chr(10))}\n```\n")


def no_final_newline(rng: Random, draft: Draft) -> Draft | None:
    """The place is at the end of a file whose last line has no end."""
    short = replace(draft, below=(), file_is_terminated=False, edit_is_terminated=True)
    is_text = all(data.rsplit(b"\n", 1)[-1].strip() for data in (short.before, short.ideal))
    return short if is_text else None


def byte_order_mark(rng: Random, draft: Draft) -> Draft | None:
    """The file begins with a byte order mark, at times right where the place begins."""
    first = draft.rows[0]
    if draft.above and rng.random() < 0.5:
        return replace(draft, above=("\ufeff" + draft.above[0], *draft.above[1:]))
    if first.kind != KEPT:
        return None
    marked = replace(draft, above=())
    return marked.with_row(0, replace(first, real="\ufeff" + (first.real or "")))


def typographic_file(rng: Random, draft: Draft) -> Draft | None:
    """The file has typographic characters where the edit has plain ones."""
    return _typeset(rng, draft, "real")


def typographic_edit(rng: Random, draft: Draft) -> Draft | None:
    """The edit has typographic characters where the file has plain ones."""
    return _typeset(rng, draft, "said")


def _typeset(rng: Random, draft: Draft, side: str) -> Draft | None:
    """One stretch of one old row typeset, and of the added rows that still have it."""
    rows = draft.rows_of(KEPT + GONE)
    for at in rng.sample(rows, len(rows)):
        line = draft.rows[at].real or ""
        found = [(m, fancy) for plain, fancy in TYPESET for m in re.finditer(plain, line)]
        if not found:
            continue
        match, fancy = rng.choice(found)
        change = _substitution(line, match, match.expand(fancy))
        spread = [at, *(draft.rows_of(ADDED) if draft.rows[at].kind == GONE else [])]
        for i in spread:
            row = draft.rows[i]
            text = change((row.real if side == "real" else row.said) or "")
            draft = draft.with_row(
                i, replace(row, real=text) if side == "real" else replace(row, said=text)
            )
        return replace(draft, fold="typography")
    return None


def _substitution(line: str, match: re.Match[str], fancy: str) -> Callable[[str], str]:
    """Typeset the match, and the same characters in lines that have them between the same words."""
    left = re.findall(r"\w*\W?$", line[: match.start()])[0]
    right = re.findall(r"^\W?\w*", line[match.end() :])[0]
    return lambda text: text.replace(left + match.group() + right, left + fancy + right, 1)


def decomposed(rng: Random, draft: Draft) -> Draft | None:
    """File and edit write an accented letter differently: composed and decomposed."""
    kept = [i for i in draft.rows_of(KEPT) if re.search("e", draft.rows[i].real or "")]
    if not kept:
        return None
    at = rng.choice(kept)
    composed = (draft.rows[at].real or "").replace("e", "\u00e9", 1)
    real, said = composed, unicodedata.normalize("NFD", composed)
    if rng.random() < 0.5:
        real, said = said, real
    return draft.with_row(at, replace(draft.rows[at], real=real, said=said))
