"""The rules in their order: signatures, names of agents, protected paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import methodcaller

from hkgit.edits import SUBMODULE, SYMLINK, File
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import entry_path, is_ledgers, is_record
from hkgit.evidence.trailers import list_credited, list_missing_lines
from hkgit.evidence.verdict import Finding, Verdict
from hkgit.gate.judged_commit import JudgedCommit
from hkgit.gate.rules.floors import floor_findings, tightness_findings
from hkgit.gate.rules.grants import BY_GRANT, hand_findings, is_granted
from hkgit.gate.trusted_policy import CONFIG, PYPROJECT, policy_value
from hkgit.git.attributes import find_collisions, refuse_collision
from hkgit.git.objects import TreeChange
from hkgit.text.paths import check_tree_path, quote_path
from hkgit.values import replace


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
    changes = [each for each in listed if not is_record(each.path)]
    if all(each.old is not None for each in changes):  # as of most commits
        return set()
    changed = {
        each.path: None if each.new is None else File(b"", each.new.mode) for each in changes
    }
    return set(find_collisions(case.repository.snapshot(parent), changed))


def policy_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Check changes of the policy's value, whatever else its file holds."""
    changed = [path for path in (PYPROJECT, CONFIG) if _has_other_value(case, path)]
    if changed and not is_granted(case, changed):
        yield Finding("policy", ", ".join(changed), "changes the gate's policy", BY_GRANT)


def merged_policy_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Check that a merge by git leaves the policy's value as one side has made it.

    Where lines of both sides come together to another value, nobody has decided it, not even a
    person who is not governed. Where both sides have changed it, who merges decides.
    """
    if case.judged.verdict is not Verdict.MERGE:
        return
    for path in (PYPROJECT, CONFIG):
        accepted = case.accept_values(partial(policy_value, path))
        if accepted and policy_value(path, case.after) not in accepted:
            what = "git's merge gives a policy that neither side has"
            fix = "git merge --no-commit, correct the policy by hand, then commit."
            yield Finding("policy", path, what, fix)


def _has_other_value(case: JudgedCommit, path: str) -> bool:
    if not case.differs_at(path):
        return False
    accepted = case.accept_values(partial(policy_value, path))
    return policy_value(path, case.after) not in accepted


def path_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find changes of protected paths, and links and submodules wherever they are."""
    if case.judged.verdict is Verdict.MANUAL:  # a grant covers them
        return
    for change in _list_decided(case):
        why = _why_protected(case, change)
        if why is not None and not is_granted(case, [change.path]):
            yield Finding("protected", quote_path(change.path), why, BY_GRANT)


def _list_decided(case: JudgedCommit) -> Iterator[TreeChange]:
    """List the changes that a commit itself decides.

    A merge decides what is not as one side has made it of what both had: so what git merges of
    two changes, what a rename carries elsewhere, and which side of a conflict stays.
    """
    if len(case.parents) != 2:
        yield from case.changes
        return
    for change in case.list_both_sides():
        if _why_protected(case, change) is not None:
            accepted = case.accept_values(methodcaller("entry", change.path))
            if case.after.entry(change.path) not in accepted:
                yield change


def move_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find files that come, by a rename or a merge, to where the policy asks more of an edit.

    What they hold was written where less was asked, so its evidence may be weaker.
    """
    floors_of = case.policy.floors_of
    for old, new in _list_moves(case) if case.policy.paths else ():
        if not {*floors_of(old)}.issuperset(floors_of(new)) and not is_granted(case, [new]):
            what = "moves to where the policy requires more of an edit than where it was written"
            fix = f"Write it there as a new file, or let a person move it. {BY_GRANT}"
            yield Finding("moved", quote_path(new), what, fix)


def _list_moves(case: JudgedCommit) -> Iterator[tuple[str | None, str]]:
    """List what entries rename, and what a merge carries along with the other side's rename."""
    for file in case.judged.files:
        if file.path is not None and file.new_path is not None and file.path != file.new_path:
            yield file.path, file.new_path
    if len(case.parents) == 2:
        for change in case.changes:
            known = [case.repository.snapshot(tree).entry(change.path) for tree in case.parents]
            if None in known and case.after.entry(change.path) is not None:
                yield None, change.path


def _why_protected(case: JudgedCommit, change: TreeChange) -> str | None:
    if is_ledgers(change.path):
        return None  # replay itself says what may happen there
    modes = {side.mode for side in (change.old, change.new) if side is not None}
    if SYMLINK in modes:
        return "changes a symbolic link"
    if SUBMODULE in modes:
        return "changes a submodule"
    if case.policy.protects_path(change.path):
        return "changes a protected path"
    return None


def signature_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find the entries that a commit adds and that nobody signed who has the role for it.

    Signed is what is committed, so a commit that is still being made cannot lack it.
    """
    commit = case.candidate.id
    if commit is None or not case.policy.entries_signed:
        return
    from hkgit.gate.attestations.trust import find_signer  # few policies want entries signed

    for name, entry in case.judged.entries:
        if find_signer(case.repository, case.policy, name, entry, case.context.incoming) is None:
            where, what = entry_path(name), "there is no signature by a key that may sign entries"
            sign = f"hkgit attest --entries {commit[:12]}^..{commit[:12]} --key FILE"
            fix = f"`{sign}`, then push refs/hkgit/entries/* to where the gate runs."
            mend = f"{sign}  # then push refs/hkgit/entries/*"
            yield replace(Finding.at("signature", where, what, fix), mend=mend)


RULE = "assisted-by"


def credit_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find agents of entries that the message does not name, or anyone where none may be named."""
    message = case.candidate.message
    if message is None or case.policy.assisted_by == "allow":  # None: it is not written yet
        return
    if case.policy.assisted_by == "forbid":
        for name in list_credited(message, "assisted"):
            what = f"the message says that {name} assisted, and the policy forbids these lines"
            yield Finding(RULE, "commit", what, "Remove the Assisted-by line from the message.")
        return
    for line in list_missing_lines((entry for _, entry in case.judged.entries), message):
        what = "the message does not name the agent of an entry as the policy requires"
        yield Finding(RULE, "commit", what, f"Add to the message: {line}")


Check = Callable[[JudgedCommit], Iterator[Finding]]


def _check_text(case: JudgedCommit) -> Iterator[Finding]:
    if case.policy.reject_text:
        from hkgit.gate.rules.characters import text_findings  # which few commits load

        yield from text_findings(case)


CHECKS: dict[str, Check] = {
    "by hand": hand_findings,
    "floors": floor_findings,
    "tightness": tightness_findings,
    "moved": move_findings,
    "signature": signature_findings,
    "names": name_findings,
    "twins": collision_findings,
    "policy": policy_findings,
    "protected": path_findings,
    "text": _check_text,
    "assisted-by": credit_findings,
}
"""Each check yields what is wrong with a commit that replays."""

FOR_ALL: dict[str, Check] = {"policy": merged_policy_findings}
"""Those that hold for commits that nobody governs as well."""
