"""Escape text for terminals, shells, Markdown and CI; count with nouns."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Text = TypeVar("Text", str, str | None)

_MARK = r"##(?=\w*\[)"
_COMMAND = r"^(\s*)::"
_MARKDOWN = r"(?i)[!-*:<>?@\[-`{-~]|(?<=www)\."
_WORKFLOW_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_WORKFLOW_PROPERTY = _WORKFLOW_DATA | {":": "%3A", ",": "%2C"}


def escape_console(text: str) -> str:
    """Escape one line for terminals and CI logs, which obey lines with `::` or `##[`."""
    return re.sub(_COMMAND, r"\1\\u003a:", re.sub(_MARK, r"#\\u0023", visible(text)))


def escape_markdown(text: str) -> str:
    """Escape text for Markdown, tables included: characters that could be markup become entities.

    So are `@` and `#`, which would call people and link to issues.
    """
    return re.sub(_MARKDOWN, lambda found: f"&#{ord(found[0])};", visible(text))


def render_code(text: str) -> str:
    """Write text in a typewriter face, whatever characters it has."""
    return f"<code>{escape_markdown(text)}</code>"


def escape_workflow_data(text: str) -> str:
    """Escape the message of a workflow command; line feeds in it stay line feeds."""
    lines = "\n".join(visible(line) for line in text.split("\n"))
    return "".join(_WORKFLOW_DATA.get(char, char) for char in lines)


def escape_workflow_property(text: str) -> str:
    """Escape the value of a workflow command's property."""
    return "".join(_WORKFLOW_PROPERTY.get(char, char) for char in visible(text))


def quote_word(text: str) -> str:
    """Quote a word of a command for a shell, where it needs that."""
    import shlex  # most answers name no command

    return shlex.quote(text)


def visible(text: str) -> str:
    """Escape what could drive a terminal."""
    shown = to_json_text(text)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in shown)


def to_json_text(text: Text) -> Text:
    """Make text fit for JSON: bytes that are not UTF-8 become replacement characters."""
    if text is None:
        return None
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def count_noun(count: int, noun: str, plural: str | None = None) -> str:
    """Write a count with its noun: `1 edit`, `2 edits`, or `2 entries` with that `plural`."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"
