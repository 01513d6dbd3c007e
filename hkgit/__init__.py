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

_HOMES = {
    "applying.evidence": ("Evidence",),
    "applying.outcome": ("Candidate", "EditOutcome"),
    "text.hashes": ("build_seen_hashes", "line_hash", "resolve_hash", "tag_lines"),
    "text.document": ("range_hash",),
    "edits": (
        "AnyEdit",
        "CreateFile",
        "DeleteFile",
        "Edit",
        "InsertAfter",
        "Read",
        "RenameFile",
        "ReplaceRange",
        "SetMode",
        "Spec",
        "TagEdit",
        "WriteFile",
    ),
    "errors": (
        "AlreadyApplied",
        "Ambiguous",
        "Conflict",
        "GitRefused",
        "HkgitError",
        "InvalidInput",
        "NoMatch",
        "Stale",
        "WrongArgument",
    ),
    "workflows.library": (
        "EditResult",
        "ParsedEdits",
        "ReadRange",
        "apply_edits",
        "parse_edits",
        "read_range",
    ),
    "workflows.reflection": (
        "ReflectionResult",
        "Round",
        "apply_with_reflection",
        "apply_with_reflection_async",
    ),
}
"""The public names, by the module that has them."""

_MODULES = {name: module for module, names in _HOMES.items() for name in names}
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
    if name not in _MODULES:
        raise AttributeError(f"module 'hkgit' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"hkgit.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """All public names, loaded or not."""
    return sorted({*globals(), *__all__})
