"""Hashes: of bytes, of lines as tags, and of what hkgit writes for others as a stamp.

A stamp is a line of comment with the hash of all other lines. By it a file, or a part of one, is
known as hkgit's own, whichever version has written it, until somebody changes it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence

from hkgit.edits import encode_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash as Hash


_FEW_BYTES = 1 << 19  # How much is hashed before loading OpenSSL pays
_MODULES = {"sha1": "_sha1", "sha256": "_sha256" if sys.version_info < (3, 12) else "_sha2"}
"""Where Python's own implementations are."""

_hashed = 0
_fast: dict[str, Callable[[bytes], Hash]] = {}


def start_hash(name: str, data: bytes = b"", *, more: int = 0) -> Hash:
    """Begin a hash with some data; `more` bytes are expected to follow.

    Small amounts are hashed by Python's own modules, because to load OpenSSL takes longer.
    """
    if name in _fast:
        return _fast[name](data)
    global _hashed
    _hashed += len(data) + more
    if _hashed < _FEW_BYTES and name in _MODULES:
        try:
            started: Hash = getattr(__import__(_MODULES[name]), name)(data)
        except ImportError:  # a Python may be built without
            pass
        else:
            return started
    import hashlib

    _fast[name] = getattr(hashlib, name)
    return _fast[name](data)


def sha256(data: bytes) -> Hash:
    """Begin a SHA-256 with some bytes."""
    return start_hash("sha256", data)


def digest(data: bytes) -> str:
    """Hash bytes: SHA-256 in lower-case hex."""
    return sha256(data).hexdigest()


TAG = r"[0-9A-Za-z]{2}"

_SHOWN = r"(?:[0-9A-Za-z]{2}|  )\|"

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_UTF16 = f"utf-16-{sys.byteorder[0]}e"
_OFFSET_BASIS = 0x811C9DC5
_PRIME = 0x01000193


def compute_tag(line: bytes) -> str:
    """Compute the tag of a line without its end; bytes that are not UTF-8 count as U+FFFD."""
    units = line.decode(errors="replace").encode(_UTF16)
    value = _OFFSET_BASIS
    for unit in memoryview(units).cast("H"):
        value = (value ^ unit) * _PRIME & 0xFFFFFFFF
    high, low = divmod(value % 62**2, 62)
    return _DIGITS[high] + _DIGITS[low]


def compute_tags(lines: Iterable[bytes], taken: set[str] | None = None) -> list[str | None]:
    """Compute the tag of each line of a file from its top; None where a line above has the same.

    `taken` are the tags of lines further above; those of these lines are added to it.
    """
    known: dict[bytes, str] = {}
    taken = set() if taken is None else taken
    shown: list[str | None] = []
    for line in lines:
        name = known[line] if line in known else known.setdefault(line, compute_tag(line))
        shown.append(None if name in taken else name)
        taken.add(name)
    return shown


def find_tag(lines: Sequence[bytes], name: str, start_line: int = 1) -> int | None:
    """Find the first line with a tag, counted from 1, from `start_line` on; None without."""
    numbers = range(start_line, len(lines) + 1)
    return next((number for number in numbers if compute_tag(lines[number - 1]) == name), None)


def are_tagged(lines: Sequence[str]) -> bool:
    """Whether there are lines, and each is written as in a reading with tags."""
    return bool(lines) and all(re.match(_SHOWN, line) for line in lines)


def line_hash(text: str) -> str:
    """Compute the tag of a line without its end."""
    return compute_tag(encode_text(text))


def tag_lines(lines: Iterable[str], seen_hashes: set[str] | None = None) -> list[str]:
    """Write lines as a reading with tags shows them: `ab|text`, or `  |text` for a tag seen above.

    `seen_hashes` are the tags of the lines above (see `build_seen_hashes`); those of these lines
    are added to it.
    """
    texts = [*lines]
    tags = compute_tags(map(encode_text, texts), seen_hashes)
    return [f"{tag or '  '}|{text}" for tag, text in zip(tags, texts, strict=True)]


def build_seen_hashes(lines: Sequence[str], count: int) -> set[str]:
    """Build the tags of the first `count` lines of a file."""
    return {line_hash(line) for line in lines[:count]}


def resolve_hash(file_lines: Sequence[str], hash: str) -> int | None:
    """Find the first line with a tag: its number, from 1; None without one."""
    return find_tag([encode_text(line) for line in file_lines], hash)


MARK = "hkgit sha256:"
_STAMP = rf"(?m)^(?://|#|<!--) {MARK}([0-9a-f]{{32}})(?: -->)?\n"


def add_stamp(text: str, comment: str = "#", end: str = "") -> str:
    """Add the stamp as the first line, or as the second of a script."""
    first = text.index("\n") + 1 if text.startswith("#!") else 0
    return f"{text[:first]}{comment} {MARK}{_hash_text(text)}{end}\n{text[first:]}"


def is_stamped(text: str) -> bool:
    """Whether a text is as some version of hkgit wrote it; line ends do not count."""
    text = text.replace("\r\n", "\n")
    found = re.search(_STAMP, text)
    return found is not None and found[1] == _hash_text(text[: found.start()] + text[found.end() :])


def _hash_text(text: str) -> str:
    return digest(encode_text(text))[:32]
