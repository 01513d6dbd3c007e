"""Dialects: parse an agent's text into a `Spec`. One module a dialect, all listed here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module

from hkgit.dialects.appearance import APPEARANCES
from hkgit.dialects.dialect import Dialect
from hkgit.dialects.file_names import parse_expect, relative_path
from hkgit.edits import NOTATIONS, AnyEdit, Edit, RenameFile, Spec, decode_text
from hkgit.errors import InvalidInput
from hkgit.text.strict_json import has_opening
from hkgit.values import replace

__all__ = [
    "DIALECTS",
    "appending",
    "detect",
    "find_dialect",
    "parse",
    "parse_expect",
    "relative_path",
]


_CALLS = ("harnesskit", "hashline", "text-editor")
"""Names of calls in JSON, which one module reads."""


class _Registry(Mapping[str, Dialect]):
    """Every dialect by name; its module is loaded when it is asked for."""

    def __getitem__(self, name: str) -> Dialect:
        if name not in NOTATIONS:
            raise KeyError(name)
        return _load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(NOTATIONS)

    def __len__(self) -> int:
        return len(NOTATIONS)


@cache
def _load(name: str) -> Dialect:
    own = name.replace("-", "_")
    if name in _CALLS:
        calls = import_module(f"{__name__}.calls")
        found: Dialect = getattr(calls, own.upper())
        return found
    module: Dialect = import_module(f"{__name__}.{own}")
    return module


DIALECTS = _Registry()

_WITHOUT_JSON = [name for name, each in APPEARANCES.items() if not each.in_json]
_IN_CALLS = ('"diff', '"search_replace_blocks')

_SURROGATE = "[\ud800-\udfff]"
# Those from DC80 to DCFF represent bytes that are not UTF-8.
_STRAY_SURROGATE = "[\ud800-\udc7f\udd00-\udfff]"


def parse(
    text: bytes | str,
    format: str = "auto",
    *,
    root: str | None = None,
    exists: Callable[[str], bool] | None = None,
) -> Spec:
    """Read a spec in the dialect that is named, or that the text shows.

    JSON of the protocol is read under every name: corrections come in it.
    `root` is the absolute path of the work tree: paths below it become relative to it (those of
    `protocol` are relative already). `exists` says whether a word is the name of a file, where
    nothing else shows it. Raises InvalidInput, also for a text that ends too early.
    """
    characters = _unindent(_unwrap(_characters(text), format), format)
    name = _find_name(characters, format)
    dialect = find_dialect(name)
    if dialect.JSON:
        _refuse_any(_SURROGATE, characters, "text that is not UTF-8", "Save it as UTF-8.")
    if exists is not None and name == "search-replace":
        from hkgit.dialects.search_replace import quote_names

        characters = quote_names(characters, exists)
    reading = dialect.parse(characters)
    if not reading.edits:
        raise InvalidInput(
            "the spec", "empty spec: it contains no edits", "Give at least one edit."
        )
    edits = tuple(_relative(edit, root) for edit in reading.edits)
    return Spec(
        dialect=name,
        edits=edits,
        sequential=NOTATIONS[name].sequential,
        base=reading.base,
        agent=reading.agent,
        summary=reading.summary,
        miscounted=reading.miscounted,
    )


def _find_name(text: str, format: str) -> str:
    """The dialect that is named, unless the text is the protocol's, in which answers are given."""
    if format == "auto":
        return detect(text)
    is_answer = '"operations"' in text and not find_dialect(format).detects(text)
    return "protocol" if is_answer and DIALECTS["protocol"].detects(text) else format


def append_at_end(spec: Spec) -> Spec:
    """Make every edit with an empty SEARCH append to the end of its file.

    Specs in other dialects are returned as they are.
    """
    if spec.dialect != "search-replace":
        return spec
    edits = tuple(
        replace(edit, at_end=True) if isinstance(edit, Edit) and edit.old_text == "" else edit
        for edit in spec.edits
    )
    return replace(spec, edits=edits)


def find_dialect(name: str) -> Dialect:
    """Find the dialect of a name. Raises InvalidInput where there is none."""
    dialect = DIALECTS.get(name)
    if dialect is None:
        known = f"Known dialects: {', '.join(DIALECTS)}."
        raise InvalidInput("--format", f'unknown dialect "{name}"', known)
    return dialect


def detect(text: str) -> str:
    """Name the one dialect that a text can be read in; raise InvalidInput otherwise."""
    found = list(_list_detecting(text))
    if len(found) > 1:
        found = [module for module in found if _holds_others(module, text)] or found
    if len(found) == 1:
        return found[0].NAME
    if found:
        what = f"the text could be {' or '.join(module.NAME for module in found)}"
        raise InvalidInput("the spec", what, f"Name one: --format {found[0].NAME}.")
    # It needs every dialect, and few texts need it.
    from hkgit.dialects import unknown

    raise unknown.refuse_unknown(text, DIALECTS)


def _list_detecting(text: str) -> Iterator[Dialect]:
    """List the dialects that a text looks like; what has no sign of one does not load it."""
    has_json = has_opening(text)
    for name in DIALECTS:
        known = APPEARANCES[name]
        if (has_json and known.in_json) or any(each in text for each in known.signs):
            dialect = DIALECTS[name]
            if dialect.detects(text):
                yield dialect


def _unwrap(text: str, format: str) -> str:
    """A text without the calls whose arguments hold it beside the path of its file."""
    if format not in ("auto", *_WITHOUT_JSON) or not any(sign in text for sign in _IN_CALLS):
        return text
    if f"\n{text}".find("\n*** ") >= 0 or any(
        DIALECTS[name].detects(text) for name in _WITHOUT_JSON
    ):
        return text  # What looks like a call is content.
    from hkgit.dialects.calls import unwrap

    return unwrap(text)


def _unindent(text: str, format: str) -> str:
    """A text without the margin of its only indented stretch, where it can be read so only.

    Models indent what they write below an item of a list.
    """
    lines = text.split("\n")
    indented = [i for i, line in enumerate(lines) if line[:1] in " \t" and line.strip()]
    if not indented:
        return text
    is_seen = any(_list_detecting(text)) if format == "auto" else find_dialect(format).detects(text)
    if is_seen:
        return text
    first, after = indented[0], indented[-1] + 1
    from textwrap import dedent

    lines[first:after] = dedent("\n".join(lines[first:after])).split("\n")
    return "\n".join(lines)


def _holds_others(dialect: Dialect, text: str) -> bool:
    """Whether all that looks like other dialects is content of this one's blocks."""
    outside = re.sub(dialect.BLOCK, "", text)
    return not any(other.detects(outside) for other in DIALECTS.values() if other is not dialect)


def _characters(text: bytes | str) -> str:
    characters = decode_text(text) if isinstance(text, bytes) else text
    _refuse_any(_STRAY_SURROGATE, characters, "a lone surrogate", "Write complete characters.")
    return characters.removeprefix("\ufeff")


def _refuse_any(unwanted: str, text: str, what: str, fix: str) -> None:
    found = None if text.isascii() else re.search(unwanted, text)
    if found is not None:
        raise InvalidInput(f"line {text.count(chr(10), 0, found.start()) + 1}", what, fix)


def _relative(edit: AnyEdit, root: str | None) -> AnyEdit:
    path = relative_path(edit.path, root)
    moved = edit if path == edit.path else replace(edit, path=path)
    if not isinstance(moved, RenameFile):
        return moved
    return replace(moved, new_path=relative_path(moved.new_path, root))
