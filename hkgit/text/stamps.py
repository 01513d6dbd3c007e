"""The stamp of what hkgit writes for others: a line of comment with the hash of all other lines.

By it a file, or a part of one, is known as hkgit's own, whichever version has written it, until
somebody changes it.
"""

from __future__ import annotations

import re

from hkgit.edits import encode_text
from hkgit.text.hashes import sha256

MARK = "hkgit sha256:"
_STAMP = rf"(?m)^(?://|#|<!--) {MARK}([0-9a-f]{{32}})(?: -->)?\n"


def add_stamp(text: str, comment: str = "#", end: str = "") -> str:
    """Add the stamp as the first line, or as the second of a script."""
    first = text.index("\n") + 1 if text.startswith("#!") else 0
    return f"{text[:first]}{comment} {MARK}{_hash(text)}{end}\n{text[first:]}"


def is_stamped(text: str) -> bool:
    """Whether a text is as some version of hkgit wrote it; line ends do not count."""
    text = text.replace("\r\n", "\n")
    found = re.search(_STAMP, text)
    return found is not None and found[1] == _hash(text[: found.start()] + text[found.end() :])


def _hash(text: str) -> str:
    return sha256(encode_text(text)).hexdigest()[:32]
