"""unedited.py: files of a checkout that are not what git stores: filtered, or left out of it.

Files alone are looked at first: git is asked where one of them says that it may matter.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path, PurePosixPath

from hkgit.edits import encode_text
from hkgit.errors import InvalidInput
from hkgit.git.backends.backend import common_dir_of
from hkgit.values import dataclass

FOREIGN = (b"filter", b"working-tree-encoding")
"""The attributes by which the text in the work tree is another one than git stores."""

_UNSET = ("unspecified", "unset", "set")
_SYSTEM = Path("/etc")


@dataclass(frozen=True)
class Unedited:
    """Tells which files of a checkout are not edited in place, and why."""

    root: Path
    git_dir: Path

    def expect_plain(self, path: str) -> None:
        """Raise InvalidInput where git stores another text than stands in the work tree."""
        if not self._may_be_foreign(path):
            return
        from hkgit.git.program import run  # few checkouts have filters

        names = [name.decode() for name in FOREIGN]
        asked = encode_text(path) + b"\0"
        output = run(["check-attr", "-z", "--stdin", *names], cwd=self.root, stdin=asked).stdout
        driver, encoding = os.fsdecode(output).split("\0")[2:6:3]
        expect_unfiltered(path, driver, encoding)

    def expect_checked_out(self, path: str) -> None:
        """Raise InvalidInput for a tracked file that a sparse checkout leaves out."""
        if not (self.git_dir / "info" / "sparse-checkout").exists():
            return
        from hkgit.git.program import run

        args = ("--literal-pathspecs", "ls-files", "-z", "-t", "--", path)
        listed = run(args, cwd=self.root, check=False).stdout
        if f"S {path}" in os.fsdecode(listed).split("\0"):
            what = "is tracked, and left out of this sparse checkout"
            fix = "Take its directory in (git sparse-checkout add), or read it with --rev HEAD and"
            raise InvalidInput(path, what, f"{fix} use `hkgit apply`, which edits commits.")

    def _may_be_foreign(self, path: str) -> bool:
        folders = PurePosixPath(path).parents
        near = (self.root / folder / ".gitattributes" for folder in folders)
        return self._is_foreign_anywhere or any(map(_names_foreign, near))

    @cached_property
    def _is_foreign_anywhere(self) -> bool:
        """Whether attributes that hold for every path may name a filter."""
        home = Path(os.environ.get("HOME", "/"))
        user = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git"
        common = common_dir_of(self.git_dir)
        attributes = (
            common / "info" / "attributes",
            user / "attributes",
            _SYSTEM / "gitattributes",
        )
        if any(map(_names_foreign, attributes)):
            return True
        named = (os.environ.get("GIT_CONFIG_GLOBAL") or home / ".gitconfig", user / "config")
        settings = (common / "config", *map(Path, named), _SYSTEM / "gitconfig")
        return any(map(_names_attributes, settings))


def expect_unfiltered(path: str, driver: str, encoding: str) -> None:
    """Raise InvalidInput where what attributes say makes another text of a file."""
    fix = "No evidence can speak of it: edit it with another tool, and let a person commit it."
    if driver not in ("unspecified", "unset"):
        what = f"goes through the filter {driver}: what git stores is another text"
        raise InvalidInput(path, what, fix)
    if encoding not in _UNSET and encoding.lower() != "utf-8":
        raise InvalidInput(path, f"is {encoding} in the work tree, and UTF-8 in git", fix)


def _names_foreign(attributes: Path) -> bool:
    content = _read(attributes)
    return any(name in content for name in FOREIGN)


def _names_attributes(settings: Path) -> bool:
    """Whether settings of git name a file of attributes, or other settings."""
    content = _read(settings).lower()
    return b"attributesfile" in content or b"[include" in content


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""
