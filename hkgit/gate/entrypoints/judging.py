"""judging.py: one update of one ref, held against its trusted side; at whichever point it comes."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.errors import HkgitError, Rejected, Unverifiable
from hkgit.evidence.ledger.names import LEDGER
from hkgit.gate import (
    CommitRange,
    JudgeContext,
    Watch,
    judge_range,
    read_pusher,
    read_trusted_policy,
)
from hkgit.gate.entrypoints.trust import TrustedSide, peel_commit
from hkgit.gate.entrypoints.updates import Update, UpdateResult
from hkgit.gate.policy import BUILT_IN, Policy
from hkgit.gate.policy.digest import hash_policy
from hkgit.gate.trusted import expect_readable
from hkgit.git.objects.ids import FULL_ID
from hkgit.git.repository import Repository
from hkgit.values import dataclass, field


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """The judge of updates at one point: what it sees, and whether it is somebody's own clone.

    Only a server knows who is pushing: elsewhere anybody may set a variable. `default` is the tip
    of its default branch. `incoming` are the tags of break-glass and the signatures of entries
    that the same push brings: ids by ref.
    """

    repository: Repository
    on_client: bool = False
    on_server: bool = False
    default: str | None = None
    incoming: Mapping[str, str] = field(default_factory=dict)
    watch: Watch = iter
    explain: bool = False

    def answer(self, update: Update, side: TrustedSide) -> UpdateResult:
        """Judge one update; errors stand in the result."""
        try:
            new = self._commit_of(update.new)
            if new is None:
                return self._without_commits(update, side)
            self._expect_honest_rewrite(update, side, new)
            if not side.is_given:
                expect_readable(self.repository, side.start, new)
            return self._judge(update, side, new)
        except HkgitError as error:
            return UpdateResult(update, side.policy, refusal=error)

    def _commit_of(self, object_id: str | None) -> str | None:
        """The commit that a ref comes to name. Raises Unverifiable for what cannot be read."""
        if object_id is None or FULL_ID.fullmatch(object_id) is None:
            return peel_commit(self.repository, object_id)  # the framework may name a branch
        return self.repository.commit_named_by(object_id)

    def _without_commits(self, update: Update, side: TrustedSide) -> UpdateResult:
        if update.new is not None and update.ref.startswith("refs/heads/"):
            raise Unverifiable(update.ref, f"{update.new[:12]} cannot be read as a commit")
        if update.new is not None:
            self._expect_nobodys(update, update.new, side.policy)
            return UpdateResult(update, side.policy, note="it names no commit")
        if side.policy.rewrites == "refuse":
            fix = "Ask for the policy's `rewrites` to be changed."
            raise Rejected(update.ref, "the policy does not let it be deleted", fix)
        is_judged = self.on_server and side.old is not None and not side.is_given
        if is_judged and self._has_own_trust(side.old or "", self.default):
            what = "has a policy or signers of its own, which would go with it"
            fix = "Bring it to those of the default branch first, or ask the server's operator."
            raise Rejected(update.ref, what, fix)
        return UpdateResult(update, side.policy, note="it is deleted")

    def _expect_nobodys(self, update: Update, new: str, policy: Policy) -> None:
        """Raise Rejected for a tree or a blob of somebody who is governed: git checks it out."""
        tags = self.repository.tags_of(new)
        agents = (policy.governing_name([tagger], message) for tagger, message in tags)
        if policy.govern == "all" or any(agent is not None for agent in agents):
            what = "names a tree or a blob, for which no commit gives evidence"
            fix = "Tag a commit, or push it to a ref that the policy does not protect."
            raise Rejected(update.ref, what, fix)

    def _judge(self, update: Update, side: TrustedSide, new: str) -> UpdateResult:
        known = [commit for commit in (side.start, *side.excluding) if commit is not None]
        if any(self.repository.is_ancestor(new, commit) for commit in known):
            return UpdateResult(update, side.policy, note="it adds no commits")
        asked = CommitRange(side.start, new, side.excluding)
        context = JudgeContext(
            on_client=self.on_client,
            pusher=self._pusher(side),
            ref=update.ref,
            incoming=self.incoming,
            explain=self.explain,
        )
        report = judge_range(self.repository, asked, side.policy, context, watch=self.watch)
        if any(each.judged.entries for each in report.rulings):
            self._expect_files_kept(update, side, new)
        start = side.start[:12] if side.start is not None else "the beginning"
        return UpdateResult(update, side.policy, report, judged=f"from {start} to {new[:12]}")

    def _pusher(self, side: TrustedSide) -> str | None:
        return read_pusher(side.policy) if self.on_server else None

    def _expect_honest_rewrite(self, update: Update, side: TrustedSide, new: str) -> None:
        """Raise Rejected for a rewrite that the policy forbids or that restores an older one."""
        old = side.old
        if old is None or self.repository.is_ancestor(old, new):
            return
        if side.policy.rewrites == "refuse":
            what = f"{new[:12]} does not descend from {old[:12]}, and the policy refuses rewrites"
            fix = f"Rebase onto {old[:12]}, or merge it, then push without force."
            raise Rejected(update.ref, what, fix)
        if side.is_given or self._trust_at(old) == self._trust_at(new):
            return
        if (
            side.default is None
            or self._has_own_trust(old, side.default)
            or (self._trust_at(new) != self._trust_at(side.default))
        ):
            what = f"{new[:12]} does not descend from {old[:12]}, and has another policy or signers"
            fix = "Keep both in a rewrite; change them in a commit of its own."
            raise Rejected(update.ref, what, fix)

    def _expect_files_kept(self, update: Update, side: TrustedSide, new: str) -> None:
        """Raise Rejected for a history of its own that is to stand for the ref's, with evidence.

        That is none for a file that the ref had: nothing was known of it.
        """
        old = side.old
        if old is None or self.repository.merge_base(old, new) is not None:
            return
        trees = (self.repository.commit(each).tree for each in (old, new))
        lost = [each.path for each in self.repository.changes(*trees) if each.old is not None]
        if any(not path.startswith(f"{LEDGER}/") for path in lost):
            what = f"{new[:12]} has no history in common with {old[:12]}, and changes its files"
            fix = f"Make the change on {old[:12]} with `hkgit apply`, or push a new branch."
            raise Rejected(update.ref, what, fix)

    def _has_own_trust(self, old: str, default: str | None) -> bool:
        """Whether a ref has come to a policy or to signers that the default branch had not there.

        Where it goes back, or away, nothing is left that says so.
        """
        if read_trusted_policy(self.repository, old).source == BUILT_IN:
            return False
        fork = None if default is None else self.repository.merge_base(old, default)
        before = None if fork is None else self._trust_at(fork)
        return self._trust_at(old) not in (before, self._trust_at(default))

    def _trust_at(self, commit: str | None) -> str:
        """What decides there whom to trust, as one value."""
        return hash_policy(read_trusted_policy(self.repository, commit))
