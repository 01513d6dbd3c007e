"""refs.py: judge what refs are to become, where git tells a hook that they are about to move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never

from hkgit.errors import InvalidInput
from hkgit.gate import read_named_policy
from hkgit.gate.entrypoints.budget import DEFAULT
from hkgit.gate.entrypoints.updates import (
    UpdateResult,
    parse_pushed,
    parse_received,
    read_framework_update,
)
from hkgit.gate.policy import Policy
from hkgit.git.repository import Repository
from hkgit.values import dataclass, field

RefPoint = Literal["pre_push", "pre_receive", "reference_transaction"]
"""The hooks that git starts before refs move."""

LONGEST_BUDGET = 86_400
"""Seconds that a push may be given."""


@dataclass(frozen=True, slots=True)
class RefsRequest:
    """The hook that asks, the `stdin` that git gives it, and its environment.

    `policy` names another one than the trusted side's, as FILE or REV:PATH. `remote` is where a
    push goes, else what the pre-commit framework says, else `origin`. `budget` is how many seconds
    pre-receive may take. For pre-receive the repository's settings `hkgit.gate.policy` and
    `hkgit.budget` stand in for what is not given.
    """

    point: RefPoint
    stdin: bytes
    environment: Mapping[str, str] = field(default_factory=dict)
    policy: str | None = None
    remote: str | None = None
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class RefsResult:
    """The answer on each ref, in git's order."""

    answers: tuple[UpdateResult, ...]

    @property
    def passes(self) -> bool:
        """Whether every ref may move."""
        return all(answer.passes for answer in self.answers)


def judge_refs(repository: Repository, request: RefsRequest) -> RefsResult:
    """Judge every ref that git tells a hook of; refusals stand in the result.

    Raises InvalidInput for a policy, a budget or lines from git that cannot be read.
    """
    match request.point:
        case "pre_push":
            return _judge_push(repository, request)
        case "pre_receive":
            return _judge_receive(repository, request)
        case "reference_transaction":
            from hkgit.gate.entrypoints.moving import judge_moved

            given = _read_named(repository, request.policy)
            updates = list(parse_received(request.stdin))
            return RefsResult(tuple(judge_moved(repository, updates, given)))
    assert_never(request.point)


def _judge_push(repository: Repository, request: RefsRequest) -> RefsResult:
    from hkgit.gate.entrypoints.pushing import judge_pushed

    given = _read_named(repository, request.policy)
    updates = list(parse_pushed(request.stdin)) or list(read_framework_update(request.environment))
    remote = request.remote or request.environment.get("PRE_COMMIT_REMOTE_NAME", "origin")
    return RefsResult(tuple(judge_pushed(repository, updates, remote, given)))


def _judge_receive(repository: Repository, request: RefsRequest) -> RefsResult:
    """What is not given, the server's operator may have put in the repository's configuration."""
    from hkgit.gate.entrypoints.receiving import judge_received

    policy = request.policy or repository.config("hkgit.gate.policy")
    given = _read_named(repository, policy)
    budget = request.budget if request.budget is not None else repository.config("hkgit.budget")
    updates = list(parse_received(request.stdin))
    answers = judge_received(repository, updates, given, _parse_seconds(budget))
    return RefsResult(tuple(answers))


def _read_named(repository: Repository, policy: str | None) -> Policy | None:
    return None if policy is None else read_named_policy(repository, policy)


def _parse_seconds(given: str | float | None) -> float:
    try:
        seconds = DEFAULT if given is None else float(given)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= LONGEST_BUDGET:
        raise InvalidInput("budget", f"is no number of seconds from 0 to {LONGEST_BUDGET}: {given}")
    return seconds
