"""reflecting.py: `apply --reflect COMMAND`: refusals go to a command, its output is tried next."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hkgit.applying.reporting import refusal_text
from hkgit.committing.preparing import Step
from hkgit.dialects import parse
from hkgit.edits import Spec
from hkgit.errors import InvalidInput
from hkgit.reflection import REPARSE, RESEND, merged

Prepare = Callable[[Sequence[Spec]], tuple[Step, ...]]


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
                read = self._reader(self._asked(f"{error}\n{REPARSE}\n"))
        return read()

    def steps(self, specs: Sequence[Spec], prepare: Prepare) -> tuple[Step, ...]:
        """The steps of the specs, refused edits corrected by the command as often as allowed."""
        steps = prepare(specs)
        unread: str | None = None
        for _ in range(self.limit):
            if steps[-1].made.ok:
                break
            refused = f"{refusal_text(steps[-1].made.outcomes)}\n{RESEND}\n"
            answer = self._asked(refused if unread is None else unread)
            try:
                specs, unread = self._corrected(specs, steps, answer), None
                steps = prepare(specs)
            except InvalidInput as error:
                unread = f"{error}\n{REPARSE}\n"
        return steps

    def _corrected(
        self, specs: Sequence[Spec], steps: Sequence[Step], answer: bytes
    ) -> list[Spec]:
        """The specs with the refused edits of the last step replaced by those of an answer."""
        at = len(steps) - 1
        spec, outcomes = specs[at], steps[at].made.outcomes
        reply = parse(answer, spec.dialect, root=self.root)
        pairs = list(zip(spec.edits, spec.blocks, strict=True))
        fresh = list(zip(reply.edits, reply.blocks, strict=True))
        edits, blocks = zip(*merged(pairs, outcomes, fresh), strict=True)
        digest = hashlib.sha256(spec.digest.encode() + answer).hexdigest()
        corrected = replace(spec, edits=edits, blocks=blocks, digest=digest)
        return [*specs[:at], corrected, *specs[at + 1 :]]

    def _reader(self, answer: bytes) -> Callable[[], list[Spec]]:
        digest = hashlib.sha256(answer).hexdigest()
        return lambda: [replace(parse(answer, root=self.root), digest=digest)]

    def _asked(self, correction: str) -> bytes:
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
