"""Updates of refs, and each of them against the trusted side."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from hkgit.errors import HkgitError, InvalidInput, Rejected, Unverifiable
from hkgit.evidence.entry import is_record
from hkgit.gate.clock import Budget, Watch
from hkgit.gate.commit_range import CommitRange, judge_range
from hkgit.gate.judged_commit import UNKNOWN, JudgeContext
from hkgit.gate.policy.model import BUILT_IN, Policy
from hkgit.gate.rules.grants import read_pusher
from hkgit.gate.ruling import Report
from hkgit.gate.trusted_policy import expect_readable, hash_policy, read_trusted_policy
from hkgit.git.layout import HEX
from hkgit.git.repository import Repository
from hkgit.values import dataclass, replace


@dataclass(frozen=True)
class Update:
    """One ref by its full name, and the objects it names before and after; None where it is not."""

    ref: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class UpdateResult:
    """What the gate says of one update: a report on commits, or why the update itself is refused.

    `judged` names the range of the report. Without it nothing was judged: there was nothing to
    judge, as `note` says, or nothing to hold it against, as `unjudged` does.
    """

    update: Update
    report: Report
    refusal: HkgitError | None = None
    judged: str = ""
    note: str = ""
    unjudged: str = ""

    @property
    def passes(self) -> bool:
        """Whether the ref may move; a policy that only warns or reports lets it."""
        is_refused = self.refusal is not None and self.report.policy.mode == "enforce"
        return not is_refused and self.report.passes


def parse_received(data: bytes) -> Iterator[Update]:
    """Parse the updates of `old new ref` lines: pre-receive and reference-transaction."""
    for old, new, ref in _lines(data, 3):
        yield Update(ref, parse_id(old), parse_id(new))


def parse_pushed(data: bytes) -> Iterator[Update]:
    """Parse the updates of `local-ref local-id remote-ref remote-id` lines: pre-push."""
    for _, new, ref, old in _lines(data, 4):
        yield Update(ref, parse_id(old), parse_id(new))


def read_framework_update(environment: Mapping[str, str]) -> Iterator[Update]:
    """Read the one update that the pre-commit framework tells its pre-push hooks of, by variables.

    The first push of a whole history has no range.
    """
    if "PRE_COMMIT_REMOTE_BRANCH" in environment:
        new = environment.get("PRE_COMMIT_TO_REF") or environment.get("PRE_COMMIT_LOCAL_BRANCH")
        old = environment.get("PRE_COMMIT_FROM_REF")
        yield Update(environment["PRE_COMMIT_REMOTE_BRANCH"], old, new)


def _lines(data: bytes, count: int) -> Iterator[list[str]]:
    """The words of each line. Raises InvalidInput for a line that git would not write."""
    # Not `splitlines`: names may hold what else ends a line of Unicode.
    for line in os.fsdecode(data).removesuffix("\n").split("\n") if data else ():
        # Only the local side of a push may hold whitespace, as in `HEAD@{1 day ago}`: it is first.
        words = line.rsplit(" ", count - 1)
        if len(words) != count:
            raise InvalidInput(line, f"is not a line of {count} words as git writes it")
        yield words


def parse_id(object_id: str) -> str | None:
    """Return an object id, or None for the zeros by which git says that there is no such ref."""
    return object_id if object_id.strip("0") else None


@dataclass(frozen=True)
class TrustedSide:
    """Where an update starts: commits that are trusted, and the policy that is there.

    `old` is the commit that the ref names now. `default` is that of the default branch, where a
    new ref leaves what is trusted. `excluding` are the commits whose history is not judged again.
    `is_given` says that the policy is a server's own, whatever is in the history; `head` is the
    tip of a server's default branch.
    """

    policy: Policy
    old: str | None
    default: str | None
    excluding: tuple[str, ...] = ()
    is_given: bool = False
    head: str | None = None

    @property
    def start(self) -> str | None:
        """The commit that the range is judged from; None for all there is."""
        return self.old if self.old is not None else self.default


def choose_trusted_side(
    repository: Repository,
    names: Iterable[str],
    old: str | None,
    default: str | None,
    given: Policy | None = None,
    read: Callable[[Repository, str], Policy] = read_trusted_policy,
) -> TrustedSide:
    """Find the trusted side of an update of a ref that has these names and is at `old` now.

    The ref's own policy holds where it has one that protects it. Otherwise it is the default
    branch's: a branch from before there was a policy, or from before it was protected, is as a new
    one, and what the default branch has is not judged again. `given` is a policy of the server's
    own. A ref with stricter rules than others is judged from its own tip on alone. `read` gives the
    policy of a commit.
    """
    names = tuple(names)
    if given is not None:
        return replace(_side(given, names, old, default), is_given=True)
    if old is not None:
        own = read(repository, old)
        if own.source != BUILT_IN and any(map(own.protects, names)):
            return _side(own, names, old, default)
    if default is None:
        return TrustedSide(Policy(), old, None)
    side = _side(read(repository, default), names, old, default)
    return side if side.default is None else replace(side, excluding=(default,))


def _side(
    policy: Policy, names: tuple[str, ...], old: str | None, default: str | None
) -> TrustedSide:
    """Where a ref has stricter rules, that the default branch took a commit says nothing."""
    stricter = policy.for_refs(names)
    if old is not None and stricter != policy:
        default = None
    return TrustedSide(stricter, old, default)


def peel_commit(repository: Repository, object_id: str | None) -> str | None:
    """Find the commit that an object is or that a tag names; None for anything else."""
    if object_id is None:
        return None
    try:
        return repository.resolve(object_id)
    except InvalidInput:
        return None


@dataclass(frozen=True)
class EntryPoint:
    """The judge of updates at one point, and what is known there.

    Only a server knows who is pushing: elsewhere anybody may set a variable.
    """

    repository: Repository
    context: JudgeContext = UNKNOWN
    on_server: bool = False

    def answer_each(
        self,
        updates: Iterable[Update],
        find_side: Callable[[Update], TrustedSide | UpdateResult],
        given: Policy | None,
        budget: Budget | None = None,
    ) -> Iterator[UpdateResult]:
        """Judge every update within the time that is left; what cannot be answered is refused.

        `find_side` finds what each is held against, or answers where there is nothing to judge.
        """
        for update in updates:
            policy = given or Policy()

            def judge(watch: Watch, update: Update = update) -> UpdateResult:
                nonlocal policy
                side = find_side(update)
                if isinstance(side, UpdateResult):
                    return side
                policy = side.policy
                return self.answer(update, side, watch)

            try:
                yield judge(iter) if budget is None else budget.spend(update.ref, judge)
            except HkgitError as error:
                yield UpdateResult(update, Report(policy), refusal=error)

    def answer(self, update: Update, side: TrustedSide, watch: Watch = iter) -> UpdateResult:
        """Judge one update. Raises Rejected where it is refused itself."""
        new = self._commit_of(update.new)
        if new is None:
            return self._answer_without_commits(update, side)
        self._expect_honest_rewrite(update, side, new)
        if not side.is_given:
            expect_readable(self.repository, side.start, new)
        return self._judge(update, side, new, watch)

    def _commit_of(self, object_id: str | None) -> str | None:
        """The commit that a ref comes to name. Raises Unverifiable for what cannot be read."""
        if object_id is None or re.fullmatch(HEX, object_id) is None:
            return peel_commit(self.repository, object_id)  # the framework may name a branch
        return self.repository.commit_named_by(object_id)

    def _answer_without_commits(self, update: Update, side: TrustedSide) -> UpdateResult:
        if update.new is not None and update.ref.startswith("refs/heads/"):
            raise Unverifiable(update.ref, f"{update.new[:12]} cannot be read as a commit")
        if update.new is not None:
            self._expect_nobodys(update, update.new, side.policy)
            return UpdateResult(update, Report(side.policy), note="it is not a commit")
        if side.policy.rewrites == "refuse":
            fix = "Change `rewrites` in the policy."
            raise Rejected(update.ref, "the policy does not allow its deletion", fix)
        is_judged = self.on_server and not side.is_given
        if is_judged and side.old is not None and self._has_own_trust(side.old, side.head):
            what = "has its own policy or signers, which would be lost with it"
            fix = "Give it those of the default branch first, or ask the server's operator."
            raise Rejected(update.ref, what, fix)
        return UpdateResult(update, Report(side.policy), note="it is deleted")

    def _expect_nobodys(self, update: Update, new: str, policy: Policy) -> None:
        """Raise Rejected for a tree or a blob of somebody who is governed: git checks it out."""
        tags = self.repository.tags_of(new)
        agents = (policy.governing_name([tagger], message) for tagger, message in tags)
        if policy.govern == "all" or any(agent is not None for agent in agents):
            what = "names a tree or a blob, which has no evidence"
            fix = "Tag a commit, or push it to a ref that the policy does not protect."
            raise Rejected(update.ref, what, fix)

    def _judge(self, update: Update, side: TrustedSide, new: str, watch: Watch) -> UpdateResult:
        known = [commit for commit in (side.start, *side.excluding) if commit is not None]
        if any(self.repository.is_ancestor(new, commit) for commit in known):
            return UpdateResult(update, Report(side.policy), note="it adds no commits")
        asked = CommitRange(side.start, new, side.excluding)
        pusher = read_pusher(side.policy) if self.on_server else None
        context = replace(self.context, ref=update.ref, pusher=pusher)
        rulings = tuple(judge_range(self.repository, asked, side.policy, context, watch=watch))
        report = Report(side.policy, rulings, context.on_client)
        if any(each.judged.entries for each in rulings):
            self._expect_files_kept(update, side, new)
        start = side.start[:12] if side.start is not None else "the beginning"
        return UpdateResult(update, report, judged=f"from {start} to {new[:12]}")

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
            what = (
                f"{new[:12]} does not descend from {old[:12]}, and has a different policy or"
                " signers"
            )
            fix = "Keep both in a rewrite; change them in a separate commit."
            raise Rejected(update.ref, what, fix)

    def _expect_files_kept(self, update: Update, side: TrustedSide, new: str) -> None:
        """Raise Rejected for a history of its own that is to replace the ref's, with evidence.

        That is none for a file that the ref had: nothing was known of it.
        """
        old = side.old
        if old is None or self.repository.merge_base(old, new) is not None:
            return
        trees = (self.repository.commit(each).tree for each in (old, new))
        lost = [each.path for each in self.repository.changes(*trees) if each.old is not None]
        if any(not is_record(path) for path in lost):
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
