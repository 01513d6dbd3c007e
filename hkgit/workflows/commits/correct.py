"""correct.py: correct refused specs by asking a model, as often as allowed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial

from hkgit.applying.files.directory import has_file
from hkgit.applying.reporting import refusal_text
from hkgit.dialects import parse
from hkgit.edits import Spec
from hkgit.errors import InvalidInput, VerifyFailed
from hkgit.values import dataclass, replace
from hkgit.workflows.commits.commit import LandedCommit
from hkgit.workflows.commits.plan import PlannedCommit
from hkgit.workflows.reflect import FOLLOW_UP, REPARSE, RESEND, apply_corrections

Prepare = Callable[[Sequence[Spec]], tuple[PlannedCommit, ...]]


@dataclass(frozen=True, slots=True)
class Reflection:
    """Who answers a correction with a spec, and how often it may be asked at each stage.

    `ask` raises InvalidInput where there is no answer. Absolute paths in it are below `root`.
    """

    ask: Callable[[str], bytes]
    root: str | None
    limit: int = 3

    def parse(self, read: Callable[[], list[Spec]]) -> list[Spec]:
        """Parse the specs; one that cannot be read is asked for again. Raises InvalidInput."""
        for _ in range(self.limit):
            try:
                return read()
            except InvalidInput as error:
                read = self._reader(self.ask(f"{error}\n{REPARSE}\n"))
        return read()

    def steps(self, specs: Sequence[Spec], prepare: Prepare) -> tuple[PlannedCommit, ...]:
        """Plan specs, and ask for corrections of refused edits as often as allowed."""
        steps = prepare(specs)
        unread: str | None = None
        for _ in range(self.limit):
            if steps[-1].plan.ok:
                break
            refused = f"{refusal_text(steps[-1].plan.outcomes)}\n{RESEND}\n"
            answer = self.ask(refused if unread is None else unread)
            try:
                specs, unread = self._correct(specs, steps, answer), None
                steps = prepare(specs)
            except InvalidInput as error:
                unread = f"{error}\n{REPARSE}\n"
        return steps

    def land(
        self,
        steps: Sequence[PlannedCommit],
        prepare: Prepare,
        land: Callable[[Sequence[PlannedCommit]], tuple[LandedCommit, ...]],
    ) -> tuple[LandedCommit, ...]:
        """Land steps; where `verify` fails, ask for more edits as often as allowed.

        Raises VerifyFailed, and what `land` raises.
        """
        for _ in range(self.limit):
            try:
                return land(steps)
            except VerifyFailed as failed:
                heard = f"It printed:\n{failed.output.rstrip()}\n" if failed.output.strip() else ""
                answer = self.ask(f"{failed}\n{heard}{FOLLOW_UP}\n")
                steps = self._follow_up([step.spec for step in steps], answer, prepare)
        return land(steps)

    def _follow_up(
        self, specs: Sequence[Spec], answer: bytes, prepare: Prepare
    ) -> tuple[PlannedCommit, ...]:
        """Plan an answer on top of the last spec, or else in its place."""
        last = specs[-1]
        reply = self._parse(answer, last.dialect)
        digest = hashlib.sha256(last.digest.encode() + answer).hexdigest()
        edits, blocks = (*last.edits, *reply.edits), (*last.blocks, *reply.blocks)
        whole = replace(last, edits=edits, blocks=blocks, digest=digest)
        if last.sequential:
            steps = prepare([*specs[:-1], whole])
            if steps[-1].plan.ok:
                return steps
        anew = replace(last, edits=reply.edits, blocks=reply.blocks, digest=digest)
        return self.steps([*specs[:-1], anew], prepare)

    def _correct(
        self, specs: Sequence[Spec], steps: Sequence[PlannedCommit], answer: bytes
    ) -> list[Spec]:
        """The specs with the refused edits of the last step replaced by those of an answer."""
        at = len(steps) - 1
        spec, outcomes = specs[at], steps[at].plan.outcomes
        reply = self._parse(answer, spec.dialect)
        digest = hashlib.sha256(spec.digest.encode() + answer).hexdigest()
        mended = replace(apply_corrections(spec, outcomes, reply), digest=digest)
        return [*specs[:at], mended, *specs[at + 1 :]]

    def _reader(self, answer: bytes) -> Callable[[], list[Spec]]:
        digest = hashlib.sha256(answer).hexdigest()
        return lambda: [replace(self._parse(answer), digest=digest)]

    def _parse(self, answer: bytes, dialect: str = "auto") -> Spec:
        exists = None if self.root is None else partial(has_file, self.root)
        return parse(answer, dialect, root=self.root, exists=exists)
