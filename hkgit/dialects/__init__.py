"""Dialects: parse an agent's text into a `Spec`. One module a dialect, all listed here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib import import_module

from hkgit.dialects.dialect import APPEARANCES, Dialect, Exists
from hkgit.dialects.file_names import make_relative
from hkgit.edits import NOTATIONS, Edit, Spec, decode_text, encode_text
from hkgit.errors import HkgitError, InvalidInput
from hkgit.text.hashes import digest
from hkgit.text.strict_json import collect_keys, has_opening, name_line
from hkgit.values import replace

DIALECTS = (*NOTATIONS,)  # The name of every dialect

_CALLS = ("harnesskit", "hashline", "text-editor")  # Names of calls in JSON, which one module reads

_SKETCH = "a sketch that leaves code out, for a model to merge"
_INNER = "a text within a call: send it alone, below a line with the path of its file"
_UNREADABLE = {
    "code_edit": ("text-editor", _SKETCH),
    "code": ("text-editor", _SKETCH),
    "new_source": ("text-editor", "an edit of a notebook's cell, not of the text of its file"),
    "use_regex": ("text-editor", "a search by a pattern instead of the text of the file"),
    "diff": ("search-replace", _INNER),
    "search_replace_blocks": ("search-replace", _INNER),
}
"""What calls of some edit tools are that no dialect says, by a key that only they have.

And the dialect in which to write that.
"""

_SURROGATE = "[\ud800-\udfff]"
# Those from DC80 to DCFF represent bytes that are not UTF-8.
_STRAY_SURROGATE = "[\ud800-\udc7f\udd00-\udfff]"


@cache
def find_dialect(name: str) -> Dialect:
    """Load the dialect of a name. Raises InvalidInput where there is none."""
    if name not in NOTATIONS:
        known = f"Known dialects: {', '.join(DIALECTS)}."
        raise InvalidInput("--format", f'unknown dialect "{name}"', known)
    own = name.replace("-", "_")
    module = import_module(f"{__name__}.{'calls' if name in _CALLS else own}")
    found: Dialect = getattr(module, own.upper()) if name in _CALLS else module
    return found


def parse(
    text: bytes | str,
    format: str = "auto",
    *,
    root: str | None = None,
    exists: Exists = None,
) -> Spec:
    """Read a spec in the dialect that is named, or that the text shows.

    JSON of the protocol is read under every name: corrections come in it.
    `root` is the absolute path of the work tree: paths below it become relative to it (those of
    `protocol` are relative already). `exists` says whether a word is the name of a file, where
    nothing else shows it. Raises InvalidInput, also for a text that ends too early.
    """
    characters = decode_text(text) if isinstance(text, bytes) else text
    _refuse_any(_STRAY_SURROGATE, characters, "a lone surrogate", "Write complete characters.")
    characters = _unindent(characters.removeprefix("\ufeff"), format)
    name = _find_name(characters, format)
    dialect = find_dialect(name)
    if dialect.JSON:
        _refuse_any(_SURROGATE, characters, "text that is not UTF-8", "Save it as UTF-8.")
    spec = dialect.parse(characters, exists)
    if not spec.edits:
        what = "empty spec: it contains no edits"
        raise InvalidInput("the spec", what, "Give at least one edit.")
    data = encode_text(text) if isinstance(text, str) else text
    edits = tuple(make_relative(edit, root) for edit in spec.edits)
    return replace(spec, edits=edits, digest=digest(data))


def _find_name(text: str, format: str) -> str:
    """Find the dialect: the named one, or else the protocol, in which answers are given."""
    if format == "auto":
        return detect(text)
    is_answer = '"operations"' in text and not find_dialect(format).detects(text)
    return "protocol" if is_answer and find_dialect("protocol").detects(text) else format


def append_at_end(spec: Spec) -> Spec:
    """Make every edit of no old text and no place append to the end of its file."""
    edits = (
        replace(edit, at_end=True)
        if isinstance(edit, Edit) and not (edit.old_text or edit.anchors or edit.line_hint)
        else edit
        for edit in spec.edits
    )
    return replace(spec, edits=tuple(edits))


def detect(text: str) -> str:
    """Name the one dialect that a text can be read in; raise InvalidInput otherwise."""
    found = [*_list_detecting(text)]
    if len(found) > 1:
        found = [name for name in found if _holds_others(name, text)] or found
    if not found:
        raise _refuse_unknown(text)
    if len(found) > 1:
        what = f"the text could be {' or '.join(found)}"
        raise InvalidInput("the spec", what, f"Name one: --format {found[0]}.")
    return found[0]


def _holds_others(name: str, text: str) -> bool:
    """Whether all that looks like other dialects is content of this one's blocks."""
    outside = re.sub(find_dialect(name).BLOCK, "", text)
    return not any(other != name for other in _list_detecting(outside))


def _list_detecting(text: str, names: Collection[str] = DIALECTS) -> Iterator[str]:
    """List the dialects that a text looks like; what has no sign of one does not load it."""
    has_json = has_opening(text)
    for name in names:
        known = APPEARANCES[name]
        has_sign = (has_json and known.in_json) or any(each in text for each in known.signs)
        if has_sign and find_dialect(name).detects(text):
            yield name


def _refuse_unknown(text: str) -> InvalidInput:
    """Build the error for a text in no known dialect, with what the nearest one has against it."""
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    seen = f"it begins with {first[:60]!r}" if first else "it is empty"
    keys = collect_keys(text)
    unreadable = next((_UNREADABLE[key] for key in _UNREADABLE if key in keys), None)
    if unreadable is not None:
        name, what = unreadable[0], f"this is {unreadable[1]}"
    else:
        if keys:
            seen = f"JSON with the keys {', '.join(sorted(keys)[:8])}"
        is_json = bool(keys) or first.startswith(("{", "["))
        near = (
            name
            for name, each in APPEARANCES.items()
            if (keys & each.keys if is_json else any(hint in text for hint in each.hints))
        )
        name = next(near, "harnesskit" if is_json else "")
        nearest = f"; nearest is {name}, {_ask_dialect(name, text)}" if name else ""
        what = f"unknown dialect: {seen}{nearest}"
    shape = f"Write {APPEARANCES[name].shape}. " if name else ""
    known = f"Known dialects: {', '.join(DIALECTS)}. `hkgit prompt DIALECT` shows each."
    return InvalidInput("the spec", what, shape + known)


def _ask_dialect(name: str, text: str) -> str:
    """Say what a dialect's parser has against a text."""
    try:
        find_dialect(name).parse(text, None)
    except HkgitError as error:
        return f"where {error.where}: {error.what}"
    return "which finds no edit in it"


def _unindent(text: str, format: str) -> str:
    """Remove the margin of a text's only indented stretch, where it can be read so only.

    Models indent what they write below an item of a list.
    """
    lines = text.split("\n")
    indented = [i for i, line in enumerate(lines) if line[:1] in " \t" and line.strip()]
    if not indented:
        return text
    names = DIALECTS if format == "auto" else (find_dialect(format).NAME,)
    if any(_list_detecting(text, names)):
        return text
    first, after = indented[0], indented[-1] + 1
    from textwrap import dedent

    lines[first:after] = dedent("\n".join(lines[first:after])).split("\n")
    return "\n".join(lines)


def _refuse_any(unwanted: str, text: str, what: str, fix: str) -> None:
    found = None if text.isascii() else re.search(unwanted, text)
    if found is not None:
        raise InvalidInput(name_line(text, found.start()), what, fix)
