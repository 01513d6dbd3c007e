"""events.py: the reads and edits of a log as values, in order."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.values import dataclass

Files = Mapping[str, str | None]
"""Contents by root-relative path; None where there is no file."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The whole of a file was read, or written by other means than an edit."""

    path: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Ran:
    """A command ran that may have changed any file."""


@dataclass(frozen=True, slots=True)
class Called:
    """A tool was called with edits.

    `spec` is what was sent, in `dialect`, with paths that may begin with `root`. `before` and
    `after` hold what the log itself says of the files; None where it does not. `applied` says
    whether the tool took it, None where the log does not say. `hindrance` is why the call cannot
    be run again, if it cannot.
    """

    where: str
    tool: str
    spec: str
    dialect: str
    root: str | None = None
    before: Files | None = None
    after: Files | None = None
    applied: bool | None = None
    hindrance: str | None = None


Event = Seen | Ran | Called
