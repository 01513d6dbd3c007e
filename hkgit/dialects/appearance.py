"""What each dialect looks like: to `detect`, to the author of a text that is in none, in docs."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.values import dataclass

_TAGGED = ("pos", "end", "start", "anchor", "after", "before", "line", "first", "last", "hash_stop")


@dataclass(frozen=True)
class Appearance:
    """The shape of a dialect, in words, and what shows it.

    One of `signs` is in every text of it, or the text has JSON, where it may come `in_json`. Of a
    text that is in no dialect, `hints` or the `keys` of its JSON say which one was meant.
    """

    shape: str
    signs: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()
    in_json: bool = True


APPEARANCES: Mapping[str, Appearance] = {
    "protocol": Appearance(
        '`{"version": "1", "operations": [{"op", "path", ...}]}`',
        keys=frozenset({"version", "op"}),
    ),
    "search-replace": Appearance(
        "`<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE` below a line with the path",
        signs=("<<<<", "-----"),
        hints=("SEARCH", "REPLACE", "ORIGINAL", "UPDATED", "<<<<<", ">>>>>"),
        in_json=False,
    ),
    "apply-patch": Appearance(
        "`*** Begin Patch`, `*** Update File: PATH`, `@@`, `*** End Patch`",
        signs=("*** ",),
        hints=("*** ",),
    ),
    "unified-diff": Appearance(
        "`--- a/PATH`, `+++ b/PATH`, `@@ -1,2 +1,2 @@`, whose numbers may be wrong",
        signs=("+++ ", "diff --git ", "`diff", "`patch", "~diff", "~patch"),
        hints=("@@", "+++", "```diff", "\n--- "),
        in_json=False,
    ),
    "harnesskit": Appearance(
        '`{"file", "old_text", "new_text"}`, a list of them, `{"edits": [...]}`, or XML, `<edit>`',
        signs=("<edit",),
        hints=("<edit", "<old>", "<new>"),
    ),
    "hashline": Appearance(
        '`{"path", "hash_start", "hash_stop", "content"}`',
        signs=("\nSWAP", "\nDEL", "\nINS", "\nPUT", *(f'{key}"' for key in _TAGGED)),
        keys=frozenset({"hash_start", "hash_stop", "offset"}),
    ),
    "text-editor": Appearance(
        '`{"file_path", "old_string", "new_string"}` or `{"command", "path", ...}`',
        keys=frozenset({"file_path", "command", "old_string", "new_string", "old_str", "content"}),
    ),
}
"""Every dialect; where several may have been meant, the first was."""
