"""conversion.py: what `git add` would store of a file's new content.

hkgit edits blobs, not files of the work tree, so between the two only that is right which
convert.c of git would do on the way in: line ends, and `$Id$`. Where a driver or an encoding
stands between them, an edit of the one is not an edit of the other, and is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hkgit.errors import InvalidInput
from hkgit.git.attributes import ask_attributes, may_convert
from hkgit.git.objects.objects import TreeSnapshot
from hkgit.git.repository import Repository
from hkgit.git.unedited import FOREIGN, expect_unfiltered
from hkgit.text.paths import quote_path
from hkgit.values import dataclass, late_pattern

_LINE_ENDS = ("text", "eol", "crlf", "binary")
_FOREIGN = tuple(name.decode() for name in FOREIGN)
_IDENT = late_pattern(rb"\$Id:[^$\n]*\$")
_ODD = bytes({*range(32), 127} - set(b"\b\t\n\f\r\33"))
_AUTOCRLF = ("input", "true", "yes", "on", "1")
"""What makes `core.autocrlf` act on the way in."""
_NO_CRLF = (None, "input", "false", "no", "off", "0")
"""What keeps `core.autocrlf` from acting on the way out."""


@dataclass(frozen=True, slots=True)
class Content:
    """New content of a file; `before` is the blob that the index has at its path, if any."""

    data: bytes
    before: bytes | None = None


@dataclass(frozen=True, slots=True)
class Conversion:
    """Converts content as `git add` does, under the attributes of a commit.

    The methods raise GitRefused when git cannot be asked.
    """

    repository: Repository
    files: TreeSnapshot

    def expect_stored(self, contents: Mapping[str, Content]) -> None:
        """Raise InvalidInput for a path where git would store something else than the content."""
        for refusal in self.why_foreign(contents).values():
            raise refusal
        for path, content in contents.items():
            if self.convert(path, content) != content.data:
                what = "git would not store this content as it is: it changes line ends or $Id$"
                fix = "Bring the file to its normal form (git add --renormalize) and commit that."
                raise InvalidInput(quote_path(path), what, fix)

    def convert(self, path: str, content: Content) -> bytes:
        """Convert content to the blob that `git add` makes of it, filters and encodings aside."""
        data = content.data
        if self.stores_lf(path, content):
            data = data.replace(b"\r\n", b"\n")
        if _IDENT.search(data) and self._ask_attributes([path], ("ident",))[path]["ident"] == "set":
            data = _IDENT.sub(b"$Id$", data)
        return data

    def stores_lf(self, path: str, content: Content) -> bool:
        """Whether CRLF becomes LF."""
        if b"\r\n" not in content.data:
            return False
        action = _action(self._ask_attributes([path], _LINE_ENDS)[path])
        if action is None and self.repository.quick_config("core.autocrlf") in _AUTOCRLF:
            action = "auto"
        if action == "auto":
            return not _is_binary(content.data) and not _has_crlf(content.before)
        return action == "text"

    def why_foreign(self, paths: Collection[str]) -> dict[str, InvalidInput]:
        """Map each file of which git stores another text than the work tree has to its refusal."""
        refusals = {}
        for path, values in self._ask_attributes(paths, _FOREIGN).items():
            try:
                expect_unfiltered(quote_path(path), *(values[name] for name in _FOREIGN))
            except InvalidInput as refusal:
                refusals[path] = refusal
        return refusals

    def _ask_attributes(
        self, paths: Collection[str], names: Collection[str]
    ) -> dict[str, dict[str, str]]:
        return ask_attributes(self.repository, self.files, paths, names)


def writes_as_stored(repository: Repository, commit: str, paths: Collection[str]) -> bool:
    """Whether a checkout of a commit writes the blobs at these paths byte by byte.

    So it is where no attribute file says a word of line ends, `$Id$`, filters or encodings, and
    `core.autocrlf` none either. Where it says True, git need not be asked for the files.
    """
    if repository.quick_config("core.autocrlf") not in _NO_CRLF:
        return False
    names = (*_LINE_ENDS, *_FOREIGN, "ident")
    return not may_convert(repository, repository.snapshot(commit), paths, names)


def _action(values: dict[str, str]) -> str | None:
    """`text`, `auto` or `binary`, as git_path_check_crlf and convert_attrs of git's convert.c.

    None where the configuration decides.
    """
    kinds = {"set": "text", "unset": "binary", "input": "text", "auto": "auto"}
    action = kinds.get(values["text"]) or kinds.get(values["crlf"])
    if action is None and values["eol"] in ("lf", "crlf"):
        return "text"
    return action


def _is_binary(data: bytes) -> bool:
    """As convert_is_binary of git's convert.c: a lone CR, a NUL, or much that is not printable."""
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return True
    body = data.removesuffix(b"\x1a")
    odd = len(body) - len(body.translate(None, _ODD))
    breaks = body.count(b"\r\n") + body.count(b"\n")
    return (len(body) - odd - breaks) >> 7 < odd


def _has_crlf(blob: bytes | None) -> bool:
    return blob is not None and b"\r\n" in blob and not _is_binary(blob)
