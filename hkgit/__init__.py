"""hkgit: from what a coding agent wants to change to a commit that anyone can derive again.

The library needs neither click nor pygit2; it never prints and never commits.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hkgit.applying.outcome import EditOutcome
    from hkgit.document import range_hash
    from hkgit.edits import Edit
    from hkgit.library import EditResult, apply_edits, parse_edits, read_range
    from hkgit.reflection import apply_with_reflection, apply_with_reflection_async

__version__ = "0.1.0"
__all__ = [
    "Edit",
    "EditOutcome",
    "EditResult",
    "apply_edits",
    "apply_with_reflection",
    "apply_with_reflection_async",
    "parse_edits",
    "range_hash",
    "read_range",
]

_HOMES = {
    "Edit": "edits",
    "EditOutcome": "applying.outcome",
    "range_hash": "document",
    "apply_with_reflection": "reflection",
    "apply_with_reflection_async": "reflection",
}


def __getattr__(name: str) -> Any:
    """Names are loaded when they are asked for: the gate's start-up pays for none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'hkgit' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"hkgit.{_HOMES.get(name, 'library')}"), name)
