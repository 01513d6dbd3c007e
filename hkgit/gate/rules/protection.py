"""protection.py: paths and values that a governed commit may change only by grant, or never.

The policy is protected by value: editing the rest of pyproject.toml needs no grant.
"""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.edits import SUBMODULE, SYMLINK, File
from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.names import ATTRIBUTES_PATH, LEDGER
from hkgit.evidence.replay.findings import Finding, Verdict
from hkgit.gate.case import JudgedCommit
from hkgit.gate.policy.files import CONFIG, PYPROJECT, policy_value
from hkgit.git.name_collisions import find_collisions, refuse_collision
from hkgit.git.objects.trees import TreeChange
from hkgit.text.paths import check_tree_path, quote_path

_BY_GRANT = "A person with a manual grant changes it."
_GRANTED_ALREADY = frozenset({Verdict.MANUAL})


def name_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find names that no tree may hold; of what entries make, replay has seen that already."""
    for change in case.changes:
        if change.old is None:
            try:
                check_tree_path(change.path)
            except InvalidInput as error:
                yield Finding.of("path", error)


def collision_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Check for names that some file system cannot tell apart and that no parent has together.

    They count however they come: by a merge, a revert, or a grant.
    """
    pairs = [_find_collisions(case, parent) for parent in case.parents]
    for new, old in sorted(pairs[0]):
        if all((new, old) in each or (old, new) in each for each in pairs[1:]):
            yield Finding.of("path", refuse_collision(new, old))


def _find_collisions(case: JudgedCommit, parent: str) -> set[tuple[str, str]]:
    listed = case.repository.changes(parent, case.candidate.tree)
    changes = [each for each in listed if not each.path.startswith(f"{LEDGER}/")]
    if all(each.old is not None for each in changes):  # as of most commits
        return set()
    changed = {
        each.path: None if each.new is None else File(b"", each.new.mode) for each in changes
    }
    return set(find_collisions(case.repository.snapshot(parent), changed))


def policy_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Check changes of the policy's value, whatever else its file holds."""
    changed = [path for path in (PYPROJECT, CONFIG) if _has_other_value(case, path)]
    if changed and case.grant(changed) is None:
        yield Finding("policy", ", ".join(changed), "changes the gate's policy", _BY_GRANT)


def _has_other_value(case: JudgedCommit, path: str) -> bool:
    if all(change.path != path for change in case.changes):
        return False
    after, *before = (
        policy_value(case.repository.snapshot(tree), path)
        for tree in (case.candidate.tree, *case.parents)
    )
    return after not in (before if len(before) != 2 else _merge_values(case, path, *before))


def _merge_values(
    case: JudgedCommit, path: str, ours: str | None, theirs: str | None
) -> tuple[str | None, ...]:
    """The value that two parents come to by themselves; none where both have changed it."""
    base = case.repository.merge_base(*case.candidate.parents)
    old = None if base is None else policy_value(case.repository.snapshot(base), path)
    if theirs in (ours, old):
        return (ours,)
    return (theirs,) if ours == old else ()


def path_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find changes of protected paths, and links and submodules wherever they are."""
    if case.judged.verdict in _GRANTED_ALREADY:
        return
    for change in case.changes:
        why = _why_protected(case, change)
        if why is not None and case.grant([change.path]) is None:
            yield Finding("protected", quote_path(change.path), why, _BY_GRANT)


def _why_protected(case: JudgedCommit, change: TreeChange) -> str | None:
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
