"""diff_names.py: the file names in the headers of a unified diff."""

from __future__ import annotations

import re

from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput
from hkgit.text.paths import quote_path
from hkgit.values import late_pattern

DEV_NULL = "/dev/null"

_STAMP = late_pattern(r"\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")
# What git (diff.mnemonicPrefix too) and people put before the two sides of one file.
_PREFIX = late_pattern(r"(?:[abciow12]|old|new|orig|original|modified|before|after)/")
_BACKUP = late_pattern(r"(?:\.orig|\.old|\.bak)$")
_QUOTED = late_pattern(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = late_pattern(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))


def unquote_name(name: str) -> str:
    """Decode a name as git writes it, in C quotes or without."""
    found = _QUOTED.fullmatch(name)
    if found is None:
        return name
    return decode_text(_ESCAPE.sub(_byte, encode_text(found[1])))


def parse_side(rest: str) -> str:
    """Parse the name behind `--- ` or `+++ `; a time stamp is dropped."""
    name, tab, _ = rest.rstrip("\r").partition("\t")
    return unquote_name(name if tab else _STAMP.sub("", name).rstrip(" "))


def parse_git_pair(rest: str) -> tuple[str, str] | None:
    """Parse the two names behind `diff --git `; None unless they are equal but for prefixes."""
    rest = rest.rstrip("\r")
    quoted = _QUOTED.match(rest)
    if quoted is not None or rest.endswith('"'):
        cut = quoted.end() if quoted is not None else rest.rfind(' "')
        return unquote_name(rest[:cut]), unquote_name(rest[cut:].strip())
    middle = len(rest) // 2
    return (rest[:middle], rest[middle + 1 :]) if rest[middle : middle + 1] == " " else None


def agree_on_name(old: str, new: str, where: str) -> str:
    """Return the file that both sides name, without `a/` and `b/`; raise InvalidInput for two."""
    if DEV_NULL in (old, new):
        return re.sub(r"^[ab]/", "", new if old == DEV_NULL else old)
    if old == new:
        return new
    paths = {
        _BACKUP.sub("", strip_prefix(old))
        if strip_prefix(old) != strip_prefix(new)
        else strip_prefix(old),
        strip_prefix(new),
    }
    if len(paths) > 1:
        what = f"the two sides name different files: {old} and {new}"
        raise InvalidInput(where, what, "Name one file; a move has `rename from` and `rename to`.")
    return paths.pop()


def strip_prefix(name: str) -> str:
    """Strip the `a/` or `b/` that tells the two sides apart."""
    prefix = _PREFIX.match(name)
    return name[prefix.end() :] if prefix else name


def write_name(prefix: str, path: str) -> str:
    """Write a name as git does behind `--- ` or `+++ `."""
    quoted = quote_path(prefix + path)
    return f"{quoted}\t" if " " in quoted and not quoted.startswith('"') else quoted


def _byte(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    if len(escape) == 3:
        return bytes([int(escape, 8) & 0xFF])
    return bytes([_LETTERS.get(escape[0], escape[0])])
