"""Dialects: from the text an agent wrote to a `Spec`. One module a dialect, all listed here."""

from __future__ import annotations

from dataclasses import replace

from hkgit.dialects import harnesskit, protocol, search_replace
from hkgit.dialects.names import parse_expect, relative_path, resolve_path
from hkgit.dialects.reading import Dialect
from hkgit.edits import AnyEdit, RenameFile, Spec, decoded
from hkgit.errors import InvalidInput

__all__ = ["DIALECTS", "detect", "parse", "parse_expect", "relative_path", "resolve_path"]

_MODULES: tuple[Dialect, ...] = (protocol, harnesskit, search_replace)
DIALECTS: dict[str, Dialect] = {module.NAME: module for module in _MODULES}


def parse(text: bytes | str, format: str = "auto", *, root: str | None = None) -> Spec:
    """Read a spec in the dialect that is named, or that the text shows.

    `root` is the absolute path of the work tree: paths below it become relative to it. The
    blocks of the answer are the edits said again by the dialect, so each stands by itself.
    Raises InvalidInput.
    """
    characters = _characters(text)
    name = detect(characters) if format == "auto" else format
    dialect = DIALECTS.get(name)
    if dialect is None:
        raise InvalidInput("--format", f'unknown dialect "{name}"', _known())
    if dialect.JSON:
        _require_utf8(text)
    reading = dialect.parse(characters)
    if not reading.edits:
        raise InvalidInput("the spec", "empty spec: it holds no edit", "Give at least one edit.")
    edits = reading.edits if dialect is protocol else _relative(reading.edits, root)
    return Spec(
        dialect=name,
        edits=edits,
        blocks=tuple(dialect.render([edit]) for edit in edits),
        sequential=dialect.SEQUENTIAL,
        base=reading.base,
        agent=reading.agent,
        summary=reading.summary,
    )


def detect(text: str) -> str:
    """The name of the one dialect that a text can be read in; raises InvalidInput otherwise."""
    found = [module.NAME for module in _MODULES if module.detects(text)]
    if len(found) == 1:
        return found[0]
    if found:
        what = f"the text could be {' or '.join(found)}"
        raise InvalidInput("the spec", what, f"Name one: --format {found[0]}.")
    first = next((line for line in text.split("\n") if line.strip()), "")
    seen = f"it begins with {first.strip()[:60]!r}" if first else "it is blank"
    raise InvalidInput("the spec", f"no known dialect: {seen}", _known())


def _characters(text: bytes | str) -> str:
    characters = decoded(text) if isinstance(text, bytes) else text
    try:
        characters.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        what = f"a lone surrogate, U+{ord(characters[error.start]):04X}, is not text"
        line = characters.count("\n", 0, error.start) + 1
        raise InvalidInput(f"line {line}", what, "Write whole characters.") from error
    return characters.removeprefix("\ufeff")


def _require_utf8(text: bytes | str) -> None:
    try:
        if isinstance(text, bytes):
            text.decode()
        else:
            text.encode()
    except UnicodeError as error:
        raise InvalidInput("the spec", "JSON that is not UTF-8", "Save it as UTF-8.") from error


def _relative(edits: tuple[AnyEdit, ...], root: str | None) -> tuple[AnyEdit, ...]:
    moved = (replace(edit, path=relative_path(edit.path, root)) for edit in edits)
    return tuple(
        replace(edit, new_path=relative_path(edit.new_path, root))
        if isinstance(edit, RenameFile)
        else edit
        for edit in moved
    )


def _known() -> str:
    return f"Known dialects: {', '.join(DIALECTS)}."
