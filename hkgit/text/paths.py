"""Which paths may be in a spec, an entry or a commit, and how git writes them.

Specs come from agents and commits from anywhere, so a path is refused for what any file system
could make of it, not only the one at hand. Three sorts: never allowed (`check_path`), allowed
where the file is there already but not made again (`check_new_path`), and those that only a
policy can judge.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput

LONGEST_NAME = 255
LONGEST_PATH = 4096  # In bytes; the limits of Linux

# What HFS+ leaves out when it compares names (git's utf8.c, next_hfs_char).
_HFS_IGNORES = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
_DOT_GIT = r"\.git|git~\d+"
_DOT_HKGIT = r"\.hkgit|hkgit~\d+"
_PLAIN = r"[A-Za-z0-9_./-]*"
_CONTROL = r"[\0-\x1f\x7f-\x9f]"
_DRIVE = r"[A-Za-z]:"
_DEVICE = r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:[.:]|$)"
_STRAY_SURROGATE = "[\ud800-\udc7f\udd00-\udfff]"
_ESCAPES = dict(zip(b'\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True))


def check_path(path: str) -> None:
    """Raise InvalidInput for a path that no spec may touch, whatever the file system."""
    check_tree_path(path)
    first = _fold(path.split("/")[0])
    if first.startswith((".hkgit", "hkgit~")) and re.fullmatch(_DOT_HKGIT, first):
        raise InvalidInput(quote_path(path), "belongs to hkgit", "Only hkgit writes under .hkgit/.")


def check_tree_path(path: str) -> None:
    """Raise InvalidInput for a path that no tree may hold: it leads outside, or into `.git`."""
    what = _fault(path)
    if what is not None:
        fix = "Name a file in the work tree, relative to its root, with / as the separator."
        raise InvalidInput(quote_path(path) or "path", what, fix)


def check_new_path(path: str) -> None:
    """Raise InvalidInput also for a name that some systems could not check out."""
    check_path(path)
    for name in path.split("/"):
        if re.match(_DEVICE, name):
            raise _not_portable(path, f"{name} is a device on Windows")
        if ":" in name or "\\" in name:
            raise _not_portable(path, "a name with : or \\ means something else on Windows")
        if name.endswith((".", " ")):
            raise _not_portable(path, "Windows drops a dot or space at the end of a name")


def fold_name(name: str) -> str:
    """Fold a name so that two which a file system may take for one become equal.

    The canonical caseless match of the Unicode standard (3.13, D145), less what HFS+ leaves out.
    """
    if name.isascii():
        return name.lower()
    letters = unicodedata.normalize("NFD", name.translate(_HFS_IGNORES))
    return unicodedata.normalize("NFD", letters.casefold())


def quote_path(path: str) -> str:
    """Quote a path as git prints it (`core.quotePath`): in C quotes when it holds odd bytes."""
    if re.fullmatch(_PLAIN, path):  # as nearly all are
        return path
    stray = re.search(_STRAY_SURROGATE, path)
    data = path.encode("utf-8", "surrogatepass" if stray else "surrogateescape")
    quoted = "".join(map(_quote_byte, data))
    return path if quoted == path else f'"{quoted}"'


def _quote_byte(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


@lru_cache(4096)
def _fault(path: str) -> str | None:
    """What is wrong with a path in any tree; None when nothing is."""
    if path == "":
        return "is empty"
    # Nearly all paths are plain, and none of the patterns has to be compiled for them.
    is_plain = path.isascii() and path.isprintable()
    if not is_plain and re.search(_CONTROL, path):
        return "contains a control character"
    if not is_plain and (
        re.search(_STRAY_SURROGATE, path) or decode_text(encode_text(path)) != path
    ):
        return "is not canonical"
    if path[0] in "/\\" or (path[1:2] == ":" and re.match(_DRIVE, path)):
        return "is absolute"
    if len(encode_text(path)) > LONGEST_PATH:
        return f"is longer than {LONGEST_PATH} bytes"
    if any(len(encode_text(name)) > LONGEST_NAME for name in path.split("/")):
        return f"has a part longer than {LONGEST_NAME} bytes"
    # A backslash separates on Windows: what it sets apart must be harmless as well.
    names = path.replace("\\", "/").split("/")
    if any(name.rstrip(". ") == "" for name in names):
        return "has a part that is empty or only dots and spaces"
    folded = map(_fold, names)
    if any(name.startswith((".git", "git~")) and re.fullmatch(_DOT_GIT, name) for name in folded):
        return "leads into .git"
    return None


def _fold(name: str) -> str:
    """A name as the least careful file system compares it: HFS+ and NTFS at once."""
    visible = name.translate(_HFS_IGNORES)
    return visible.partition(":")[0].rstrip(". ").lower()


def _not_portable(path: str, why: str) -> InvalidInput:
    fix = "Choose another name; a file that has this name already can be edited."
    return InvalidInput(quote_path(path), f"is not portable: {why}", fix)
