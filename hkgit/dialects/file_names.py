"""What file a name in an edit means."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hkgit.edits import AnyEdit, Read, RenameFile, decode_text, encode_text
from hkgit.errors import InvalidInput
from hkgit.values import replace

_EXPECT = (
    r"(?s)(?P<path>(?!:[0-9]+[-=]).+?)(?::(?P<start>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9}))?)?"
    r"=(?P<hash>[0-9A-Fa-f]{12,64})"
)
_DRIVE = r"[A-Za-z]:[\\/]"


def relative_path(path: str, root: str | None) -> str:
    """Strip a leading `./` from a path and, where it lies below it, the absolute `root`.

    Whatever else is wrong with a path is for the applying layer to refuse.
    """
    if root is not None:
        path = _strip_root(path, root)
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def make_relative(edit: AnyEdit, root: str | None) -> AnyEdit:
    """Make the paths of an edit relative to the root."""
    path = relative_path(edit.path, root)
    moved = edit if path == edit.path else replace(edit, path=path)
    if not isinstance(moved, RenameFile):
        return moved
    return replace(moved, new_path=relative_path(moved.new_path, root))


def require_normal(path: str, where: str) -> str:
    """Return a path that is relative to the root and normal; raise InvalidInput for any other."""
    if {"", ".", ".."} & set(path.split("/")):
        what = f'expected a path from the root without "." and "..", found "{path}"'
        raise InvalidInput(where, what, 'Write it as git does: "src/app.py".')
    return path


def parse_expect(argument: str) -> Read:
    """Read `PATH[:N | :START-END]=HASH`, the argument of --expect; raises InvalidInput."""
    found = re.fullmatch(_EXPECT, argument)
    if found is None:
        what = f'expected PATH[:N | :START-END]=HASH with 12 to 64 hex digits, found "{argument}"'
        raise InvalidInput("--expect", what, "Take the hash from `hkgit read PATH:START-END`.")
    path, digits = found["path"], found["hash"].lower()
    if found["start"] is None:
        return Read(path, None, None, digits)
    start = int(found["start"])
    end = start if found["end"] is None else int(found["end"])
    if not 1 <= start <= end + 1:
        what = f"expected lines START-END that count from 1, found {start}-{end}"
        raise InvalidInput("--expect", what, "Write the first line, a dash, and the last line.")
    return Read(path, start, end, digits)


def _strip_root(path: str, root: str) -> str:
    """Make a path below `root` relative to it; any other stays.

    On a drive neither case nor the kind of slash tells two paths apart.
    """
    prefix = root.rstrip("/\\") + "/"
    if not re.match(_DRIVE, root):
        return path[len(prefix) :].lstrip("/") if path.startswith(prefix) else path
    slashed = path.replace("\\", "/")
    is_below = slashed.lower().startswith(prefix.replace("\\", "/").lower())
    return slashed[len(prefix) :].lstrip("/") if is_below else path


DEV_NULL = "/dev/null"

_STAMP = r"\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$"
# What git (diff.mnemonicPrefix too) and people put before the two sides of one file.
_PREFIX = r"(?:[abciow12]|old|new|orig|original|modified|before|after)/"
_BACKUP = r"(?:\.orig|\.old|\.bak)$"
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_ESCAPE = rb"(?s)\\([0-7]{3}|.)"
_LETTERS = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))


def unquote_name(name: str) -> str:
    """Decode a name as git writes it, in C quotes or without."""
    found = re.fullmatch(_QUOTED, name)
    if found is None:
        return name
    return decode_text(re.sub(_ESCAPE, _byte, encode_text(found[1])))


def parse_side(rest: str) -> str:
    """Parse the name behind `--- ` or `+++ `; a time stamp is dropped."""
    name, tab, _ = rest.rstrip("\r").partition("\t")
    return unquote_name(name if tab else re.sub(_STAMP, "", name).rstrip(" "))


def parse_git_pair(rest: str) -> tuple[str, str] | None:
    """Parse the two names behind `diff --git `; None unless they are equal but for prefixes."""
    rest = rest.rstrip("\r")
    quoted = re.match(_QUOTED, rest)
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
    old_path, path = strip_prefix(old), strip_prefix(new)
    if path not in (old_path, re.sub(_BACKUP, "", old_path)):
        what = f"the two sides name different files: {old} and {new}"
        raise InvalidInput(where, what, "Name one file; a move has `rename from` and `rename to`.")
    return path


def strip_prefix(name: str) -> str:
    """Strip the `a/` or `b/` that tells the two sides apart."""
    prefix = re.match(_PREFIX, name)
    return name[prefix.end() :] if prefix else name


def _byte(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    if len(escape) == 3:
        return bytes([int(escape, 8) & 0xFF])
    return bytes([_LETTERS.get(escape[0], escape[0])])


_SHELL = r".*\b(?:ba|z)?sh -l?c (?P<quote>[\"'])"
_HERE_DOCUMENT = r".*<<-?\s*['\"]?(?P<word>\w+)"


def find_here_words(lines: Sequence[str]) -> list[str]:
    """List the words that end the here-documents which these lines begin."""
    return [found["word"] for found in map(re.compile(_HERE_DOCUMENT).match, lines) if found]


def unquote_lines(lines: Sequence[str], above: Sequence[str], own: str | None) -> list[str]:
    """Remove the backslashes that a quoted argument of a shell needs.

    Such an argument begins `above`, or with the quote of the patch's `own` first line. A bare
    quote inside shows that the author put none there.
    """
    quotes = [found["quote"] for found in map(re.compile(_SHELL).match, above) if found]
    quotes += [own] if own else []
    text = "\n".join(lines)
    if quotes == ['"'] and not re.search(r'(?<!\\)(?:\\\\)*"', text):
        return re.sub(r'\\(["$`\\])', r"\1", text).split("\n")
    if quotes == ["'"] and "'" not in text.replace("'\\''", ""):
        return text.replace("'\\''", "'").split("\n")
    return list(lines)
