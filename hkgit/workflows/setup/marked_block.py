"""marked_block.py: lines that hkgit writes into somebody's file, between markers.

The first marker carries the hash of the lines: by it they are known as hkgit's own, whichever
version has written them, until somebody changes one.
"""

from __future__ import annotations

import re
from textwrap import dedent, indent

from hkgit.edits import decode_text, encode_text
from hkgit.text.hashing import sha256

_BEGIN, _END = "# >>> hkgit init", "# <<< hkgit init"
_BLOCK = re.compile(
    rf"^(?P<indent>[ \t]*){_BEGIN}\b(?P<rest>[^\r\n]*)\r?\n"
    rf"(?P<inner>(?s:.*?))^[ \t]*{_END}\r?\n?",
    re.MULTILINE,
)


def render_block(text: str, indentation: str, line_end: str) -> str:
    """Put lines between markers."""
    marked = f"{_BEGIN}{_describe(text)}\n{text}{_END}\n"
    return indent(marked, indentation).replace("\n", line_end)


def _describe(text: str) -> str:
    """What follows the first words of a block with these lines."""
    digits = sha256(encode_text(text)).hexdigest()[:16]
    return f" {digits}; `hkgit init --remove` takes these lines away"


def drop_own_blocks(content: bytes) -> bytes:
    """Take out the blocks that are as hkgit wrote them."""
    text = decode_text(content)
    return encode_text(_BLOCK.sub(lambda block: "" if _is_own(block) else block[0], text))


def has_block(content: bytes) -> bool:
    """Whether there is a block, changed or not."""
    return _BLOCK.search(decode_text(content)) is not None


def _is_own(block: re.Match[str]) -> bool:
    lines = dedent(block["inner"].replace("\r\n", "\n"))
    return block["rest"] == _describe(lines)
