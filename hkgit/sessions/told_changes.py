"""What an agent, in an answer or in its log, tells about a change beside the words of its call."""

from __future__ import annotations

from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Texts = Mapping[str, bytes | None]


@dataclass(frozen=True)
class LineHunk:
    """Lines that were replaced, as a diff shows them, without their ends.

    `is_ended` is false where the last new line had no end, so it was the last of its file.
    `has_tabs` is false where tabs that lines begin with may be shown as two spaces each.
    """

    start_line: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    is_ended: bool = True
    has_tabs: bool = True


@dataclass(frozen=True)
class Told:
    """What is told about a change, by the names of its files.

    `before` and `after` are whole files, None for no file. `is_final` is false where somebody
    changed the result, so that only `after` tells it.
    """

    names: tuple[str, ...] = ()
    before: Texts | None = None
    after: Texts | None = None
    is_final: bool = True
    hunks: Mapping[str, tuple[LineHunk, ...]] | None = None


def to_bytes(text: str) -> bytes:
    """Return a text of JSON as bytes; half characters, which no file has, as question marks."""
    return text.encode("utf-8", "replace")
