"""Merge a branch in the commit whose spec resolves the conflicts.

What git can merge by itself it merges, under the pinned options by which merges are judged (see
`git/clean_merge.py`). A path that it leaves in conflict becomes what the spec makes of the first
parent's file, or stays as in the first parent.
"""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.applying.outcome import Plan, files_after
from hkgit.edits import EXECUTABLE, REGULAR, File
from hkgit.errors import InvalidInput
from hkgit.git.clean_merge import find_invented_paths
from hkgit.git.objects import Files
from hkgit.git.repository import Repository
from hkgit.text.document import Document
from hkgit.text.paths import quote_path
from hkgit.values import dataclass


@dataclass(frozen=True)
class MergePlan:
    """The commit that is merged into a tip, its name on the command line, and what git makes of it.

    `base` is their merge base; one of them where there are several. `conflicts` are the paths that
    git leaves to people, `objects` is a pack of all that it wrote to make `tree` of the others.
    """

    base: str
    tip: str
    commit: str
    name: str
    tree: str
    conflicts: tuple[str, ...]
    objects: bytes


def find_merging(repository: Repository, rev: str, branch: str, tip: str) -> MergePlan:
    """Find what merging a revision into a branch takes.

    Raises InvalidInput where there is nothing for a spec to resolve, or no way to.
    """
    commit = repository.resolve(rev)
    base = repository.merge_base(tip, commit)
    if base == commit:
        raise InvalidInput(rev, f"is merged into {branch} already", "Leave --merge out.")
    if base is None:
        what = f"has no history in common with {branch}"
        raise InvalidInput(rev, what, "Add its files with a separate spec.")
    if base == tip:
        fix = f"Do that first (git merge --ff-only {rev}), then apply the spec without --merge."
        raise InvalidInput(rev, f"is ahead of {branch}: merging it is a fast-forward", fix)
    with repository.merge((tip, commit)) as merged:
        tree, conflicts, objects = merged.tree, merged.conflicts, merged.pack_objects()
    if not conflicts:
        fix = f"Merge it (git merge {rev}), then apply the spec without --merge."
        raise InvalidInput(rev, "merges without a conflict: there is nothing to resolve", fix)
    for path in find_invented_paths(conflicts, (tip, commit)):
        what = "a file on one side and a directory on the other have the same name"
        fix = "Rename one of the two on its branch, then merge."
        raise InvalidInput(quote_path(path), what, fix)
    return MergePlan(
        base=base,
        tip=tip,
        commit=commit,
        name=rev,
        tree=tree,
        conflicts=conflicts,
        objects=objects,
    )


def expect_conflicted(plan: Plan, merging: MergePlan) -> Plan:
    """Refuse edits of a plan that change what is not in conflict."""
    outside = files_after(plan).keys() - {*merging.conflicts}
    if not outside:
        return plan
    named = ", ".join(map(quote_path, merging.conflicts))
    what = f"is not in conflict, and a merge changes nothing else (in conflict: {named})"
    fix = "Make this edit in a commit after the merge."
    refused: dict[str, InvalidInput] = {}
    for change in plan.files:
        names = {path for path in (change.path, change.new_path) if path is not None}
        if names & outside:
            error = InvalidInput(quote_path(min(names & outside)), what, fix)
            refused |= dict.fromkeys(names, error)
    outcomes = (x.refuse(refused[x.path]) if x.path in refused else x for x in plan.outcomes)
    return Plan(tuple(outcomes), ())


def write_tree_on(repository: Repository, tip: str, merging: MergePlan | None, files: Files) -> str:
    """Store the tree of a commit on `tip` that changes these files, and merges or does not."""
    if merging is None:
        return repository.write_tree(repository.commit(tip).tree, files)
    repository.git("unpack-objects", "-q", stdin=merging.objects)
    ours = repository.snapshot(tip)
    kept = {path: ours.entry(path) for path in merging.conflicts}
    return repository.write_tree(merging.tree, {**kept, **files})


def list_conflicts(
    repository: Repository, merging: MergePlan, files: Files
) -> Iterator[tuple[str, bool, int]]:
    """List each conflicted path: whether one of these files of the spec is it, and what it lacks.

    That is a count of lines of the merged side which the commit does not have.
    """
    commits = merging.base, merging.tip, merging.commit
    before, ours, theirs = map(repository.snapshot, commits)
    for path in merging.conflicts:
        result = files[path] if path in files else ours.get(path)
        there = result if isinstance(result, File) else None
        here = {*_split_lines(before.get(path)), *_split_lines(there)}
        missing = sum(line not in here for line in _split_lines(theirs.get(path)))
        yield path, path in files, missing


def _split_lines(file: File | None) -> tuple[bytes, ...]:
    if file is None or file.mode not in (REGULAR, EXECUTABLE):
        return ()
    return Document(file.data).lines
