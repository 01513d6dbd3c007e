"""protection.py: values and paths that a governed commit changes only by grant, or never.

The policy is protected by value: editing the rest of pyproject.toml needs no grant.
"""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.edits import SUBMODULE, SYMLINK
from hkgit.errors import InvalidInput
from hkgit.gate.case import Case
from hkgit.git.trees import TreeChange
from hkgit.ledger.entry import LEDGER
from hkgit.paths import check_tree_path, quote_path
from hkgit.policy.files import CONFIG, PYPROJECT, policy_value
from hkgit.replay.added import ATTRIBUTES_PATH
from hkgit.replay.findings import Finding, Verdict

_BY_GRANT = "A person with a manual grant changes it."
_GRANTED_ALREADY = frozenset({Verdict.MANUAL})


def name_findings(case: Case) -> Iterator[Finding]:
    """Names that no tree may hold; of what entries make, replay has seen that already."""
    for change in case.changes:
        if change.old is None:
            try:
                check_tree_path(change.path)
            except InvalidInput as error:
                yield Finding.of("path", error)


def policy_findings(case: Case) -> Iterator[Finding]:
    """The policy itself, whatever else its file holds."""
    changed = [path for path in (PYPROJECT, CONFIG) if _has_other_value(case, path)]
    if changed and case.grant(changed) is None:
        yield Finding("policy", ", ".join(changed), "changes the gate's policy", _BY_GRANT)


def _has_other_value(case: Case, path: str) -> bool:
    if all(change.path != path for change in case.changes):
        return False
    after, *before = (
        policy_value(case.repository.snapshot(tree), path)
        for tree in (case.candidate.tree, *case.parents)
    )
    return after not in (before if len(before) != 2 else _merged(case, path, *before))


def _merged(
    case: Case, path: str, ours: str | None, theirs: str | None
) -> tuple[str | None, ...]:
    """The value that two parents come to by themselves; none where both have changed it."""
    base = case.repository.merge_base(*case.candidate.parents)
    old = None if base is None else policy_value(case.repository.snapshot(base), path)
    if theirs in (ours, old):
        return (ours,)
    return (theirs,) if ours == old else ()


def path_findings(case: Case) -> Iterator[Finding]:
    """Paths that decide what runs and who reviews; links and submodules, wherever they are."""
    if case.judged.verdict in _GRANTED_ALREADY:
        return
    for change in case.changes:
        why = _why_protected(case, change)
        if why is not None and case.grant([change.path]) is None:
            yield Finding("protected", quote_path(change.path), why, _BY_GRANT)


def _why_protected(case: Case, change: TreeChange) -> str | None:
    if change.path.startswith(f"{LEDGER}/") or change.path == ATTRIBUTES_PATH:
        return None  # replay itself says what may happen there
    modes = {side.mode for side in (change.old, change.new) if side is not None}
    if SYMLINK in modes:
        return "changes a symbolic link"
    if SUBMODULE in modes:
        return "changes a submodule"
    if case.policy.protects_path(change.path):
        return "changes a protected path"
    return None
