"""The error for a text in an unknown dialect: that of the nearest one."""

from __future__ import annotations

from collections.abc import Mapping

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

_SIGNS = (
    ("search-replace", ("SEARCH", "REPLACE", "ORIGINAL", "UPDATED", "<<<<<", ">>>>>")),
    ("apply-patch", ("*** ",)),
    ("unified-diff", ("@@", "+++", "```diff", "\n--- ")),
    ("harnesskit", ("<edit", "<old>", "<new>")),
)
_KEYS = (
    ("protocol", {"version", "op"}),
    ("hashline", {"hash_start", "hash_stop", "offset"}),
    ("text-editor", {"file_path", "command", "old_string", "new_string", "old_str", "content"}),
)
_SHAPES = {
    "protocol": '{"version": "1", "operations": [{"op", "path", ...}]}',
    "harnesskit": '{"file", "old_text", "new_text"}, one, a list of them, or {"edits": [...]}',
    "search-replace": "a line with the path, <<<<<<< SEARCH, =======, >>>>>>> REPLACE",
    "unified-diff": "--- a/PATH, +++ b/PATH, @@ -1,2 +1,2 @@",
    "apply-patch": "*** Begin Patch, *** Update File: PATH, @@, *** End Patch",
    "hashline": '{"path", "hash_start", "hash_stop", "content"}',
    "text-editor": '{"file_path", "old_string", "new_string"} or {"command", "path", ...}',
}


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
        signs = ((name, any(map(text.__contains__, each))) for name, each in _SIGNS)
        is_json = bool(keys) or first.startswith(("{", "["))
        near = ((name, keys & each) for name, each in _KEYS) if is_json else signs
        name = next((name for name, has in near if has), "harnesskit" if is_json else "")
        nearest = f"; nearest is {name}{_error(dialects[name], text)}" if name else ""
        what = f"unknown dialect: {seen}{nearest}"
    shape = f"Write {_SHAPES[name]}. " if name else ""
    known = f"Known dialects: {', '.join(dialects)}. `hkgit prompt DIALECT` shows each."
    return InvalidInput("the spec", what, shape + known)


def _error(dialect: Dialect, text: str) -> str:
    """What a dialect's parser has to say against a text."""
    try:
        dialect.parse(text)
    except HkgitError as error:
        return f", where {error.where}: {error.what}"
    return ", which finds no edit in it"
