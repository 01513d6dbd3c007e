"""judging.py: one update of one ref, held against its trusted side; at whichever point it comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hkgit.errors import HkgitError, Rejected, Unverifiable
from hkgit.gate import Arrival, CommitRange, Watch, judge_range, pusher_of
from hkgit.git.repository import Repository
from hkgit.points.trust import Side, peeled
from hkgit.points.updates import Answer, Update
from hkgit.policy import CONFIG, PYPROJECT, policy_value


@dataclass(frozen=True, slots=True)
class Point:
    """The judge of updates at one point: what it sees, and whether it is somebody's own clone.

    Only a server knows who is pushing: elsewhere anybody may set a variable. `coming` are the
    tags of break-glass and the signatures of entries that the same push brings: ids by ref.
    """

    repository: Repository
    on_client: bool = False
    on_server: bool = False
    coming: Mapping[str, str] = field(default_factory=dict)
    watch: Watch = iter

    def answer(self, update: Update, side: Side) -> Answer:
        """The gate's answer on one update."""
        new = peeled(self.repository, update.new)
        try:
            if new is None:
                return self._without_commits(update, side)
            self._expect_honest_rewrite(update, side, new)
            return self._judged(update, side, new)
        except HkgitError as error:
            return Answer(update, side.policy, refusal=error)

    def _without_commits(self, update: Update, side: Side) -> Answer:
        if update.new is not None and update.ref.startswith("refs/heads/"):
            raise Unverifiable(update.ref, f"{update.new[:12]} cannot be read as a commit")
        if update.new is not None:
            return Answer(update, side.policy, note="it names no commit")
        if side.policy.rewrites == "refuse":
            fix = "Ask for the policy's `rewrites` to be changed."
            raise Rejected(update.ref, "the policy does not let it be deleted", fix)
        return Answer(update, side.policy, note="it is deleted")

    def _judged(self, update: Update, side: Side, new: str) -> Answer:
        known = [commit for commit in (side.start, *side.beside) if commit is not None]
        if any(self.repository.is_ancestor(new, commit) for commit in known):
            return Answer(update, side.policy, note="it adds no commits")
        asked = CommitRange(side.start, new, side.beside)
        arrival = Arrival(self.on_client, self._pusher(side), update.ref, self.coming)
        report = judge_range(self.repository, asked, side.policy, arrival, watch=self.watch)
        start = side.start[:12] if side.start is not None else "the beginning"
        return Answer(update, side.policy, report, judged=f"from {start} to {new[:12]}")

    def _pusher(self, side: Side) -> str | None:
        return pusher_of(side.policy) if self.on_server else None

    def _expect_honest_rewrite(self, update: Update, side: Side, new: str) -> None:
        """Raise Rejected for a rewrite that the policy forbids, or that brings back an older one.
        """
        old = side.old
        if old is None or self.repository.is_ancestor(old, new):
            return
        if side.policy.rewrites == "refuse":
            what = f"{new[:12]} does not descend from {old[:12]}, and the policy refuses rewrites"
            fix = f"Rebase onto {old[:12]}, or merge it, then push without force."
            raise Rejected(update.ref, what, fix)
        if not self._keeps_policy(old, new, side.default):
            what = f"{new[:12]} does not descend from {old[:12]}, and has another policy"
            fix = "Keep the policy in a rewrite; change it in a commit of its own."
            raise Rejected(update.ref, what, fix)

    def _keeps_policy(self, old: str, new: str, default: str | None) -> bool:
        """Whether a rewrite has the same policy, or the one that the default branch came to since.
        """
        own, now = self._policy_at(old), self._policy_at(new)
        if own == now or default is None:
            return own == now
        fork = self.repository.merge_base(old, default)
        return fork is not None and (own, now) == (self._policy_at(fork), self._policy_at(default))

    def _policy_at(self, commit: str) -> tuple[str | None, ...]:
        files = self.repository.snapshot(commit)
        return tuple(policy_value(files, path) for path in (PYPROJECT, CONFIG))
