"""hkgit: from what a coding agent wants to change to a commit that anyone can derive again.

The library needs neither click nor pygit2; it never prints and never commits.

    edits = hkgit.parse_edits(text)
    result = hkgit.apply_edits(edits, root, dry_run=True)
"""

from __future__ import annotations

# Every start passes by here, and `typing` takes as long to load as the interpreter.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hkgit.applying.evidence import Evidence
    from hkgit.applying.outcome import Candidate, EditOutcome
    from hkgit.edits import (
        AnyEdit,
        CreateFile,
        DeleteFile,
        Edit,
        InsertAfter,
        Read,
        RenameFile,
        ReplaceRange,
        SetMode,
        Spec,
        TagEdit,
        WriteFile,
    )
    from hkgit.errors import (
        AlreadyApplied,
        Ambiguous,
        Conflict,
        GitRefused,
        HkgitError,
        InvalidInput,
        NoMatch,
        Stale,
        WrongArgument,
    )
    from hkgit.text.document import range_hash
    from hkgit.text.hashes import build_seen_hashes, line_hash, resolve_hash, tag_lines
    from hkgit.workflows.library import (
        EditResult,
        ParsedEdits,
        ReadRange,
        apply_edits,
        parse_edits,
        read_range,
    )
    from hkgit.workflows.reflection import (
        ReflectionResult,
        Round,
        apply_with_reflection,
        apply_with_reflection_async,
    )

__version__ = "0.2.0"

_HOMES = (
    "errors",
    "edits",
    "text.hashes",
    "text.document",
    "applying.evidence",
    "applying.outcome",
    "workflows.library",
    "workflows.reflection",
)
"""The modules of the public names, in the order in which they are asked."""

__all__ = [
    "AlreadyApplied",
    "Ambiguous",
    "AnyEdit",
    "Candidate",
    "Conflict",
    "CreateFile",
    "DeleteFile",
    "Edit",
    "EditOutcome",
    "EditResult",
    "Evidence",
    "GitRefused",
    "HkgitError",
    "InsertAfter",
    "InvalidInput",
    "NoMatch",
    "ParsedEdits",
    "Read",
    "ReadRange",
    "ReflectionResult",
    "RenameFile",
    "ReplaceRange",
    "Round",
    "SetMode",
    "Spec",
    "Stale",
    "TagEdit",
    "WriteFile",
    "WrongArgument",
    "apply_edits",
    "apply_with_reflection",
    "apply_with_reflection_async",
    "build_seen_hashes",
    "line_hash",
    "parse_edits",
    "range_hash",
    "read_range",
    "resolve_hash",
    "tag_lines",
]


def __getattr__(name: str) -> Any:
    """Names are loaded when they are asked for: the gate's start-up pays for none of them."""
    if name in __all__:
        from importlib import import_module

        for home in _HOMES:
            found = getattr(import_module(f"hkgit.{home}"), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module 'hkgit' has no attribute {name!r}")


def __dir__() -> list[str]:
    """All public names, loaded or not."""
    return sorted({*globals(), *__all__})
