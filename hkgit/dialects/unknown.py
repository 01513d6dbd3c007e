"""The error for a text in an unknown dialect: that of the nearest one."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.dialects.appearance import APPEARANCES
from hkgit.dialects.dialect import Dialect
from hkgit.errors import HkgitError, InvalidInput
from hkgit.text import strict_json

_UNREADABLE = {
    "code_edit": "a sketch that leaves code out, for a model to merge",
    "code": "a sketch that leaves code out, for a model to merge",
    "new_source": "an edit of a notebook's cell, not of the text of its file",
    "use_regex": "a search by a pattern instead of the text of the file",
}
"""What calls of some edit tools are that no dialect says, by a key that only they have."""


def refuse_unknown(text: str, dialects: Mapping[str, Dialect]) -> InvalidInput:
    """Build the error for a text in no known dialect, with what the nearest one has against it."""
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    seen = f"it begins with {first[:60]!r}" if first else "it is empty"
    keys = strict_json.collect_keys(text)
    unreadable = next((_UNREADABLE[key] for key in _UNREADABLE if key in keys), None)
    if unreadable is not None:
        name, what = "text-editor", f"this is {unreadable}"
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
        nearest = f"; nearest is {name}{_error(dialects[name], text)}" if name else ""
        what = f"unknown dialect: {seen}{nearest}"
    shape = f"Write {APPEARANCES[name].shape}. " if name else ""
    known = f"Known dialects: {', '.join(dialects)}. `hkgit prompt DIALECT` shows each."
    return InvalidInput("the spec", what, shape + known)


def _error(dialect: Dialect, text: str) -> str:
    """What a dialect's parser has to say against a text."""
    try:
        dialect.parse(text)
    except HkgitError as error:
        return f", where {error.where}: {error.what}"
    return ", which finds no edit in it"
