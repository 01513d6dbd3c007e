"""tags.py: peel tags to the object that they name in the end.

libgit2 does not parse every tag that git parses (without a last line of the tagger, with a date
that overflows). So tags are read here, from their bytes, by the two lines that git follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hkgit.edits import decode_text
from hkgit.errors import Unverifiable
from hkgit.git.backends.backend import COMMIT, TAG, Backend
from hkgit.git.objects.ids import HEX
from hkgit.values import late_pattern

_TAG = late_pattern(rb"object (" + HEX.encode() + rb")\ntype ([a-z]+)\n")
_TAGGER = late_pattern(rb"^tagger (.*?)(?: -?\d+ [-+]\d+)?$", re.MULTILINE)
_FIX = "Look at it with git fsck, and make it again: git tag -a NAME COMMIT."
LARGEST = 4 * 2**20
"""Bytes of a tag that is read."""

DEEPEST = 50
"""Tags of tags that are followed."""


def peel(backend: Backend, object_id: str) -> str | None:
    """Find the commit that an object is or that its tags name; None for a tree or a blob.

    Raises Unverifiable for what cannot be read: git might read a commit there.
    """
    *_, (last, kind, _) = _follow(backend, object_id)
    return last if kind == COMMIT else None


def read_tags(backend: Backend, object_id: str) -> Iterator[tuple[str, bytes]]:
    """Read the tagger and the message of each tag from an object on. Raises Unverifiable."""
    for _, kind, data in _follow(backend, object_id):
        if kind == TAG:
            header, _, message = data.partition(b"\n\n")
            yield ", ".join(map(decode_text, _TAGGER.findall(header))), message


def _follow(backend: Backend, object_id: str) -> Iterator[tuple[str, str, bytes]]:
    """An object and those that its tags name, each with its type; the bytes of tags alone."""
    kind, size = backend.header(object_id)
    for _ in range(DEEPEST):
        if kind != TAG:
            yield object_id, kind, b""
            return
        if size > LARGEST:
            raise Unverifiable(f"tag {object_id}", f"has more than {LARGEST:,} bytes", _FIX)
        data = backend.read(object_id)[1]
        yield object_id, kind, data
        found = _TAG.match(data)
        if found is None:
            raise Unverifiable(f"tag {object_id}", "is malformed", _FIX)
        object_id, stated = found[1].decode(), found[2].decode()
        kind, size = backend.header(object_id)
        if kind != stated:
            what = f"says that {object_id[:12]} is a {stated}, and it is a {kind}"
            raise Unverifiable("tag", what, _FIX)
    raise Unverifiable(f"tag {object_id}", f"is a tag of more than {DEEPEST} tags", _FIX)
