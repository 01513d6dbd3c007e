"""The error for a text in no known dialect: that of the nearest one."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.dialects.dialect import Dialect
from hkgit.errors import HkgitError, InvalidInput
from hkgit.text import strict_json

ACCEPTED = {
    "harnesskit": '{"file", "old_text", "new_text"}, one, a list of them, or {"edits": [...]}',
    "text-editor": '{"file_path", "old_string", "new_string"} or {"command", "path", ...}',
    "hashline": '{"path", "hash_start", "hash_stop", "content"}',
    "protocol": '{"version": "1", "operations": [{"op", "path", ...}]}',
}
"""The keys of each dialect in JSON."""

_KEYS = {
    "harnesskit": {
        "file",
        "path",
        "old_text",
        "new_text",
        "old",
        "new",
        "search",
        "replace",
        "original",
        "updated",
        "before",
        "after",
        "edits",
    },
    "text-editor": {
        "file_path",
        "path",
        "command",
        "old_string",
        "new_string",
        "old_str",
        "new_str",
        "file_text",
        "content",
        "insert_line",
    },
    "hashline": {"hash_start", "hash_stop", "content", "offset"},
    "protocol": {
        "version",
        "operations",
        "op",
        "start_line",
        "end_line",
        "new_lines",
        "expected_hash",
        "after_line",
        "new_text",
        "path",
    },
}

_UNREADABLE = {
    "code_edit": "a sketch that leaves code out, for a model to merge",
    "code": "a sketch that leaves code out, for a model to merge",
    "new_source": "an edit of a notebook's cell, not of the text of its file",
    "use_regex": "a search by a pattern, not by the text of the file",
}
"""What calls of some edit tools are that no dialect says, by a key that only they have."""

_SIGNS = (
    ("search-replace", ("SEARCH", "REPLACE", "ORIGINAL", "UPDATED", "<<<<<", ">>>>>")),
    ("apply-patch", ("*** ",)),
    ("unified-diff", ("@@", "+++", "```diff", "\n--- ")),
    ("harnesskit", ("<edit", "<old>", "<new>")),
)
_SHAPES = {
    "search-replace": "a line with the path, <<<<<<< SEARCH, =======, >>>>>>> REPLACE",
    "apply-patch": "*** Begin Patch, *** Update File: PATH, @@, *** End Patch",
    "unified-diff": "--- a/PATH, +++ b/PATH, @@ -1,2 +1,2 @@",
    "harnesskit": '<edit file="PATH"><old>...</old><new>...</new></edit>',
}


def refuse_unknown(text: str, dialects: Mapping[str, Dialect]) -> InvalidInput:
    """Build the error for a text in no known dialect, with the nearest one as advice."""
    known = f"Known dialects: {', '.join(dialects)}. `hkgit prompt DIALECT` shows each."
    first = next((line for line in text.split("\n") if line.strip()), "")
    seen = f"it begins with {first.strip()[:60]!r}" if first else "it is blank"
    keys = strict_json.collect_keys(text)
    unreadable = next((_UNREADABLE[key] for key in _UNREADABLE if key in keys), None)
    if unreadable is not None:
        shape = ACCEPTED["text-editor"]
        return InvalidInput("the spec", f"this is {unreadable}", f"Write {shape}. {known}")
    if keys:
        seen = f"JSON with the keys {', '.join(sorted(keys)[:8])}"
        name = max(_KEYS, key=lambda each: len(keys & _KEYS[each]))
        if "version" in keys or "op" in keys:
            name = "protocol"
        shape = ACCEPTED[name]
    else:
        near = (name for name, signs in _SIGNS if any(sign in text for sign in signs))
        name = next(near, "harnesskit" if first.lstrip().startswith(("{", "[")) else "")
        if not name:
            return InvalidInput("the spec", f"no known dialect: {seen}", known)
        is_json = first.lstrip().startswith(("{", "["))
        shape = ACCEPTED[name] if is_json and name in ACCEPTED else _SHAPES[name]
    error = _error(dialects[name], text)
    what = f"no known dialect: {seen}; nearest is {name}{error}"
    return InvalidInput("the spec", what, f"Write {shape}. {known}")


def _error(dialect: Dialect, text: str) -> str:
    """What a dialect's parser has to say against a text."""
    try:
        dialect.parse(text)
    except HkgitError as error:
        return f", where {error.where}: {error.what}"
    return ", which finds no edit in it"
