"""Ask the judge before a commit is made, under the policy of the branch it lands on.

A commit that the gate rejects later is harder to fix: the lines whose hash it wants are gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.applying.evidence import HASHED
from hkgit.applying.files import DirectorySnapshot
from hkgit.applying.outcome import BY_NUMBER, is_by_number
from hkgit.errors import BlindEdit, HkgitError, Rejected
from hkgit.evidence.claims import make_entry
from hkgit.evidence.verdict import BLIND
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.floors import find_blind_edits
from hkgit.gate.ruling import Ruling
from hkgit.git.repository import Repository
from hkgit.text.document import Lines
from hkgit.text.escape import visible
from hkgit.values import dataclass
from hkgit.workflows.commit_plan import is_other_text
from hkgit.workflows.target import LandingTarget, PlannedCommit

_SHOWN = 5
"""At most so many blind edits are named in a refusal."""

_FIX = "Give the hash of what was read (--expect), or a session that read it (--session)."


@dataclass(frozen=True)
class Unread:
    """An edit without the evidence that the policy or the protocol asks for.

    `number` counts through all specs of the call; `path` is the name of the file in the base.
    `lines` are what is to be read of it, None for all: where an earlier spec of the call changes
    the file too, numbers say little. `rev` is the commit to read it from, None where the checkout
    has the same lines. `accepted` are the kinds of evidence that would do, `has` is what it has.
    With `by_number` the protocol asks for a hash, so no policy accepts it.
    """

    number: int
    path: str
    lines: Lines | None
    rev: str | None
    accepted: tuple[str, ...]
    has: str
    by_number: bool

    @property
    def where(self) -> str:
        """The file and the lines, as `hkgit read` and `--expect` take them."""
        return self.path if self.lines is None else f"{self.path}:{self.lines[0]}-{self.lines[1]}"


def explain_differing(target: LandingTarget | None, blind: Sequence[Unread]) -> str | None:
    """Say what to do about uncommitted changes of the files of blind edits; None without any."""
    paths = dict.fromkeys(each.path for each in blind if each.rev is not None)
    if target is None or not target.checkout or not paths:
        return None
    named = ", ".join(map(visible, paths))
    return (
        f"the edits refer to HEAD, but the checkout has uncommitted changes of {named}:"
        " commit or stash these first, then read the lines and make the call again"
    )


def list_unread(target: LandingTarget, steps: Sequence[PlannedCommit]) -> Iterator[Unread]:
    """List the blind edits of planned steps, whether or not they are allowed."""
    repository, first, changed = target.repository, 0, set[str]()
    for step in steps:
        entry = make_entry(step, target.request.options.threshold)
        blind = {edit.id: accepted for edit, accepted in find_blind_edits(target.policy, entry)}
        base = step.base or target.tip
        for edit in entry.edits:
            by_number = is_by_number(edit.dialect, edit.tier, edit.evidence)
            if edit.id in blind or by_number:
                names = (x.name for x in entry.files if x.new_path == edit.path)
                path = next(names, edit.path)
                file = repository.snapshot(base).get(path)
                is_whole = path in changed or (file is not None and not file.data)
                yield Unread(
                    number=first + edit.id,
                    path=path,
                    lines=None if is_whole else edit.lines_to_read,
                    rev=_find_revision(repository, base, path),
                    accepted=blind.get(edit.id, HASHED),
                    has=edit.evidence,
                    by_number=by_number,
                )
        first += len(step.plan.outcomes)
        changed |= {each.new_path for each in entry.files if each.new_path is not None}


def _find_revision(repository: Repository, base: str, path: str) -> str | None:
    """The base of a step, None where the checkout has the lines that a file has there."""
    root, files = repository.work_tree, repository.snapshot(base)
    if root is not None and not is_other_text(DirectorySnapshot(root), files, path):
        return None
    return base[:12]


def refuse_blind(policy: Policy, unread: Sequence[Unread]) -> Rejected:
    """Build the error for blind edits: why they do not land.

    Of a protected path that is granted to nobody it is no BlindEdit: no evidence would help.
    """
    closed = dict.fromkeys(each.path for each in unread if _is_closed(policy, each.path))
    if closed:
        what = f"changes a protected path, and {policy.source} grants it to nobody"
        return Rejected(", ".join(closed), what, "A person commits a [[gate.manual]] first.")
    named = [each.where for each in unread]
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    what = BY_NUMBER
    if not any(each.by_number for each in unread):
        accepted = ", ".join(unread[0].accepted) or "none"
        what = (
            f"blind edit: its evidence is {unread[0].has}, and {policy.source} accepts {accepted}"
        )
    return BlindEdit(", ".join(named[:_SHOWN]) + more, what, _FIX)


def _is_closed(policy: Policy, path: str) -> bool:
    return policy.protects_path(path) and not any(each.covers([path]) for each in policy.manual)


def refuse_ruling(policy: Policy, ruling: Ruling) -> HkgitError | None:
    """Build the error that a policy has against a commit about to be made; None if none."""
    if ruling.passes:
        return None
    first, *others = ruling.findings
    more = f" (and {len(others)} more)" if others else ""
    kind = BlindEdit if first.rule == BLIND else Rejected
    return kind(first.where, f"{first.what}{more} ({policy.source})", first.fix)
