"""reflecting.py: `apply --reflect COMMAND`: refusals go to a command, its output is tried next."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from hkgit.applying.reporting import refusal_text
from hkgit.dialects import parse
from hkgit.edits import Spec
from hkgit.errors import InvalidInput, VerifyFailed
from hkgit.values import dataclass, replace
from hkgit.workflows.commits.preparing import PlannedCommit
from hkgit.workflows.reflection import FOLLOW_UP, REPARSE, RESEND, apply_corrections

Landed = TypeVar("Landed")
Prepare = Callable[[Sequence[Spec]], tuple[PlannedCommit, ...]]


@dataclass(frozen=True, slots=True)
class Reflection:
    """A command that turns corrections into specs, and how often it may be asked."""

    command: str
    directory: Path
    root: str | None
    limit: int = 3

    def parsed(self, read: Callable[[], list[Spec]]) -> list[Spec]:
        """The specs; text that cannot be read goes to the command. Raises InvalidInput."""
        for _ in range(self.limit):
            try:
                return read()
            except InvalidInput as error:
                read = self._reader(self._ask(f"{error}\n{REPARSE}\n"))
        return read()

    def steps(self, specs: Sequence[Spec], prepare: Prepare) -> tuple[PlannedCommit, ...]:
        """The steps of the specs, refused edits corrected by the command as often as allowed."""
        steps = prepare(specs)
        unread: str | None = None
        for _ in range(self.limit):
            if steps[-1].made.ok:
                break
            refused = f"{refusal_text(steps[-1].made.outcomes)}\n{RESEND}\n"
            answer = self._ask(refused if unread is None else unread)
            try:
                specs, unread = self._correct(specs, steps, answer), None
                steps = prepare(specs)
            except InvalidInput as error:
                unread = f"{error}\n{REPARSE}\n"
        return steps

    def landed(
        self,
        steps: Sequence[PlannedCommit],
        prepare: Prepare,
        land: Callable[[Sequence[PlannedCommit]], Landed],
    ) -> Landed:
        """What lands; where `--verify` fails, its output goes to the command as often as allowed.

        Raises VerifyFailed, and what `land` raises.
        """
        for _ in range(self.limit):
            try:
                return land(steps)
            except VerifyFailed as failed:
                heard = f"It printed:\n{failed.output.rstrip()}\n" if failed.output.strip() else ""
                answer = self._ask(f"{failed}\n{heard}{FOLLOW_UP}\n")
                steps = self._followed([step.spec for step in steps], answer, prepare)
        return land(steps)

    def _followed(
        self, specs: Sequence[Spec], answer: bytes, prepare: Prepare
    ) -> tuple[PlannedCommit, ...]:
        """The steps with an answer on top of the last spec, or else in its place."""
        last = specs[-1]
        reply = parse(answer, last.dialect, root=self.root)
        digest = hashlib.sha256(last.digest.encode() + answer).hexdigest()
        edits, blocks = (*last.edits, *reply.edits), (*last.blocks, *reply.blocks)
        whole = replace(last, edits=edits, blocks=blocks, digest=digest)
        if last.sequential:
            steps = prepare([*specs[:-1], whole])
            if steps[-1].made.ok:
                return steps
        anew = replace(last, edits=reply.edits, blocks=reply.blocks, digest=digest)
        return self.steps([*specs[:-1], anew], prepare)

    def _correct(
        self, specs: Sequence[Spec], steps: Sequence[PlannedCommit], answer: bytes
    ) -> list[Spec]:
        """The specs with the refused edits of the last step replaced by those of an answer."""
        at = len(steps) - 1
        spec, outcomes = specs[at], steps[at].made.outcomes
        reply = parse(answer, spec.dialect, root=self.root)
        digest = hashlib.sha256(spec.digest.encode() + answer).hexdigest()
        mended = replace(apply_corrections(spec, outcomes, reply), digest=digest)
        return [*specs[:at], mended, *specs[at + 1 :]]

    def _reader(self, answer: bytes) -> Callable[[], list[Spec]]:
        digest = hashlib.sha256(answer).hexdigest()
        return lambda: [replace(parse(answer, root=self.root), digest=digest)]

    def _ask(self, correction: str) -> bytes:
        """What the command answers to a correction on its standard input."""
        done = subprocess.run(
            self.command,
            shell=True,
            cwd=self.directory,
            input=correction.encode("utf-8", "replace"),
            stdout=subprocess.PIPE,
            check=False,
        )
        if done.returncode != 0:
            what = f"the command of --reflect exited with {done.returncode}"
            raise InvalidInput("--reflect", what, "Nothing was applied.")
        return done.stdout
