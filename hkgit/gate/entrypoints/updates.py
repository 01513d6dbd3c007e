"""Refs that are to move, as git tells its hooks of them, and what the gate answers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from hkgit.errors import HkgitError, InvalidInput
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class Update:
    """One ref by its full name, and the objects it names before and after; None where it is not."""

    ref: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class UpdateResult:
    """What the gate says of one update: a report on commits, or why the update itself is refused.

    `judged` names the range. Without report and refusal there was nothing to judge, and `note`
    says why; or there was nothing to hold it against, and `unjudged` says what is missing. With
    them `note` says what else may be the cause.
    """

    update: Update
    policy: Policy
    report: Report | None = None
    refusal: HkgitError | None = None
    judged: str = ""
    note: str = ""
    unjudged: str = ""

    @property
    def passes(self) -> bool:
        """Whether the ref may move; a policy that only warns or reports lets it."""
        if self.refusal is not None:
            return self.policy.mode != "enforce"
        return self.report is None or self.report.passes


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
        # Only the local side of a push may hold blanks, as in `HEAD@{1 day ago}`: it stands first.
        words = line.rsplit(" ", count - 1)
        if len(words) != count:
            raise InvalidInput(line, f"is not a line of {count} words, as git writes them")
        yield words


def parse_id(object_id: str) -> str | None:
    """Return an object id, or None for the zeros by which git says that there is no such ref."""
    return object_id if object_id.strip("0") else None
