"""advice.py: what the gate says to `hkgit apply`, with the one command that makes it pass."""

from __future__ import annotations

from collections.abc import Sequence

import click

from hkgit.cli.edit.command_line import again, expecting, relative
from hkgit.cli.output import print_note
from hkgit.git.repository import Repository
from hkgit.text.counting import count_noun
from hkgit.values import dataclass, field
from hkgit.workflows.commits.asking import Rules, Unread, refuse_steps
from hkgit.workflows.commits.commits import LandedCommit, record_step
from hkgit.workflows.commits.preparing import PlannedCommit
from hkgit.workflows.commits.targets import ApplyOptions, LandingTarget


@dataclass
class Judge:
    """The judge as one call of `hkgit apply` asks it."""

    ctx: click.Context
    repository: Repository
    target: LandingTarget
    choices: ApplyOptions
    rules: Rules
    unread: tuple[Unread, ...] = field(default=())

    @classmethod
    def of(
        cls,
        ctx: click.Context,
        repository: Repository,
        target: LandingTarget,
        choices: ApplyOptions,
    ) -> Judge:
        """The judge for what lands on a target. Raises InvalidInput for a broken policy."""
        return cls(ctx, repository, target, choices, Rules.of(repository, target, choices))

    def check(self, steps: Sequence[PlannedCommit]) -> Sequence[PlannedCommit]:
        """The steps, with a refusal at each edit that is blind where none may be."""
        entries = [record_step(step, self.choices, None).entry for step in steps]
        self.unread = self.rules.unread(steps, entries)
        stopping = self.rules.stopping(self.unread)
        if not stopping:
            return steps
        mend = self._mend(stopping)
        error = self.rules.refusal(stopping, *([] if mend is None else [f"Mend it: {mend}"]))
        error.mend = mend
        return refuse_steps(stopping, error, steps)

    def tell(self, done: Sequence[LandedCommit] = ()) -> None:
        """Say in one line what the policy would reject of what has landed, or would."""
        source = self.rules.policy.source
        if self.unread and self.choices.allow_blind:
            count = count_noun(len(self.unread), "edit")
            print_note(f"note: {count} landed blind, as asked; {source} would reject that")
            return
        complaints = [each.complaint for each in done if each.complaint is not None]
        if self.unread:
            mend = self._mend(self.unread)
            way = f"; with evidence: {self._back(done)}{mend}" if mend is not None else ""
            error = self.rules.refusal(self.unread)
            print_note(f"note: {source} would reject this: {error.where}: {error.what}{way}")
        elif complaints:
            first = complaints[0]
            print_note(f"note: would be rejected: {first.where}: {first.what}. {first.fix}")

    def _mend(self, unread: Sequence[Unread]) -> str | None:
        """The command that gives blind edits their evidence; None where there is none."""
        if all("hash" in each.accepted and each.whole_hash is not None for each in unread):
            hashes = [(each.path, each.whole_hash or "") for each in unread]
            return again(self.ctx, *expecting(self.repository.work_tree, hashes))
        if all("receipt" in each.accepted for each in unread):
            return self._reading(dict.fromkeys(each.path for each in unread))
        return None

    def _reading(self, paths: Sequence[str] | dict[str, None]) -> str | None:
        """The command behind readings in a session."""
        session = self.ctx.params.get("session") or "apply"
        command = again(self.ctx, "--session", session)
        if command is None:
            return None
        here = (relative(self.repository.work_tree, path) for path in paths)
        reads = (f"hkgit read {path} --session {session}" for path in here)
        return " && ".join([*reads, command])

    def _back(self, done: Sequence[LandedCommit]) -> str:
        """The command that takes back what has landed, and leaves everything else alone."""
        if not done:
            return ""
        branch, before = self.target.branch, f"{done[0].commit[:12]}^"
        if self.target.checkout:
            return f"git reset -q --keep {before} && "
        if self.target.old is None:
            return f"git branch -q -D {branch} && "
        return f"git update-ref refs/heads/{branch} {before} && "
