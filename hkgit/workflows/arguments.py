"""arguments.py: refuse what programs give the library by mistake, and say what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hkgit.edits import AnyEdit, decode_text
from hkgit.errors import InvalidInput, WrongArgument

Content = str | bytes
"""What a program gives and gets as the content of a file."""


def check_edit(number: int, item: object) -> AnyEdit:
    """Return an edit unchanged. Raises WrongArgument for anything else."""
    where = f"edit {number}"
    if not isinstance(item, AnyEdit):
        fix = (
            "Write hkgit.Edit(path=..., old_text=..., new_text=...), or give JSON as text to"
            " parse_edits."
        )
        raise WrongArgument(where, item, "an edit", fix)
    for name in ("path", "new_path", "old_text", "new_text"):
        value = getattr(item, name, "")
        if not isinstance(value, str) and not (name == "old_text" and value is None):
            fix = "Give a string; of a file, its content." if "text" in name else "Give a string."
            raise WrongArgument(f"{where}, {name}", value, "a string", fix)
    return item


def refuse_path(text: str | bytes) -> InvalidInput | None:
    """Build the error for a file's name given in place of a text; None for any other text."""
    content = decode_text(text) if isinstance(text, bytes) else text
    if not names_file(content):
        return None
    return WrongArgument("text", content, "the text of a spec, not its file", "Give its content.")


def names_file(text: str) -> bool:
    """Whether a text is the name of a file that is there."""
    if not text or len(text) > 1000 or "\n" in text or "\0" in text:
        return False
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def check_mapping(root: Mapping[str, object]) -> None:
    """Raise WrongArgument for a mapping to anything but contents."""
    for path, content in root.items():
        if not isinstance(content, str | bytes):
            fix = "Give the content, or a directory as root."
            raise WrongArgument(f"root[{path!r}]", content, "the content of a file", fix)
