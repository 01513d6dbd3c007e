"""Tell where a refused edit would fit the uncommitted changes of the checkout."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hkgit.applying.files import DirectorySnapshot
from hkgit.applying.outcome import EditOutcome, Plan
from hkgit.applying.planner import Options, plan
from hkgit.edits import MappingSnapshot, Read, Snapshot, Spec
from hkgit.errors import HkgitError, InvalidInput
from hkgit.git.attributes import Conversion
from hkgit.git.repository import Repository
from hkgit.git.transaction.landing import RESOLVE
from hkgit.text.document import Document


def explain_uncommitted(
    repository: Repository, spec: Spec, planned: Plan, options: Options, reads: Sequence[Read]
) -> Plan:
    """Add to each refusal that the edit fits the working tree, where it does.

    The agent has then read changes that are not committed yet.
    """
    if repository.work_tree is None or planned.ok:
        return planned
    head = repository.head().commit
    committed = MappingSnapshot() if head is None else repository.snapshot(head)
    checkout = DirectorySnapshot(repository.work_tree)
    refused = {each.path for each in planned.outcomes if each.error is not None}
    differing = [path for path in refused if is_other_text(checkout, committed, path)]
    if not differing:
        return planned
    foreign = _why_foreign(repository, head, differing)
    live = plan(spec, checkout, options, reads)
    way = f"\n{RESOLVE}" if repository.remembers("MERGE_HEAD") else ""
    outcomes = tuple(
        _refuse_uncommitted(each, each.error, committed, way, foreign.get(each.path))
        if each.error is not None
        and there.error is None
        and is_other_text(checkout, committed, there.path)
        else each
        for each, there in zip(planned.outcomes, live.outcomes, strict=True)
    )
    return Plan(outcomes, ())


def _why_foreign(
    repository: Repository, head: str | None, paths: Collection[str]
) -> dict[str, InvalidInput]:
    """The refusals of those files that differ from the commit by a filter or an encoding."""
    if head is None:
        return {}
    return Conversion(repository, repository.snapshot(head)).why_foreign(paths)


def is_other_text(checkout: Snapshot, committed: Snapshot, path: str) -> bool:
    """Whether a file's lines are others in the checkout; its line ends may be."""
    try:
        here, there = checkout.get(path), committed.get(path)
    except InvalidInput:  # no path of a checkout, which the refusal says already
        return False
    if here is None or there is None:
        return here is not there
    return here.data != there.data and Document(here.data).lines != Document(there.data).lines


def _refuse_uncommitted(
    outcome: EditOutcome,
    error: HkgitError,
    committed: Snapshot,
    way: str,
    foreign: InvalidInput | None,
) -> EditOutcome:
    if foreign is not None:
        return outcome.refuse(foreign)
    is_new = committed.get(outcome.path) is None
    state = "is not committed yet" if is_new else "has uncommitted changes"
    fix = (
        f"`apply` reads HEAD: commit {outcome.path} first, or make this edit with `edit`, which"
        f" reads the working tree.{way}"
    )
    what = f"{error.what}; it matches the working tree, where the file {state}"
    return outcome.refuse(type(error)(error.where, what, fix))
