"""Judge a commit being made, a range, and refs that move.

The rulings come one by one, so that memory does not grow with the range.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never

from hkgit.errors import InvalidInput
from hkgit.evidence.trailers import cut_at_scissors
from hkgit.gate.clock import DEFAULT, Watch
from hkgit.gate.commit_range import (
    CommitRange,
    RulingStream,
    judge_index,
    judge_range,
)
from hkgit.gate.entrypoints.arrival import (
    UpdateResult,
    parse_pushed,
    parse_received,
    read_framework_update,
)
from hkgit.gate.entrypoints.ci import CiEvent, judge_event
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report
from hkgit.gate.trusted_policy import load_policy, read_named_policy
from hkgit.git.repository import Repository, find_comment_mark, find_message_file, read_message
from hkgit.values import dataclass, field


def judge(
    repository: Repository,
    message_file: str | None,
    policy: str | None,
    *,
    allow_blind: bool,
    explain: bool,
    shell: str | None,
) -> Report:
    """Judge the commit that git would make of the index; the report is provisional.

    `message_file` is what git's hook was given, known at commit-msg. `policy` names another policy
    than that of HEAD, as FILE or REV:PATH. With `allow_blind` edits without evidence are accepted,
    because whoever commits has said so. `shell` is the agent in whose shell the commit is made, if
    it is one's. Raises InvalidInput for a policy that cannot be read, GitRefused for a message
    file that is not there.
    """
    message = _message(repository, message_file)
    head = repository.head()
    trusted = load_policy(repository, policy, head.commit)
    if allow_blind:
        trusted = trusted.with_blind()
    refs = () if head.branch is None else (f"refs/heads/{head.branch}",)
    return judge_index(
        repository,
        trusted.for_refs(refs),
        author=repository.identity("AUTHOR"),
        committer=repository.identity("COMMITTER"),
        message=message,
        explain=explain,
        shell=shell,
    )


def _message(repository: Repository, message_file: str | None) -> bytes | None:
    """The message as git would keep it."""
    if message_file is None:
        return None
    raw = read_message(find_message_file(repository, message_file))
    raw, _ = cut_at_scissors(raw, find_comment_mark(repository))
    return repository.git("stripspace", "--strip-comments", stdin=raw).stdout


def judge_commits(
    repository: Repository,
    commits: CommitRange,
    policy: str | None = None,
    watch: Watch = iter,
    *,
    explain: bool = False,
) -> RulingStream:
    """Judge the commits of a range, each on its own parents, as the rulings are read.

    The policy is that of the old side, else the one that `policy` names, as FILE or REV:PATH. With
    `explain` the rulings say which rules were tried. Raises InvalidInput for a range that runs
    backwards, or a policy that cannot be read.
    """
    trusted = load_policy(repository, policy, commits.old)
    return judge_range(repository, commits, trusted, JudgeContext(explain=explain), watch=watch)


def judge_ci(
    repository: Repository,
    event: CiEvent,
    policy: str | None,
    watch: Watch = iter,
    *,
    explain: bool = False,
) -> Report:
    """Judge what an event brings, under the policy of the trusted side or the one that is named.

    Raises Rejected where the update itself is refused.
    """
    named = None if policy is None else load_policy(repository, policy, None)
    return judge_event(repository, event, named, watch, explain=explain)


RefPoint = Literal["pre_push", "pre_receive", "reference_transaction"]
"""The hooks that git starts before refs move."""

LONGEST_BUDGET = 86_400
"""Seconds that a push may be given."""


@dataclass(frozen=True)
class RefsRequest:
    """The hook that asks, the `stdin` that git gives it, and its environment.

    `policy` names another one than the trusted side's, as FILE or REV:PATH. `remote` is where a
    push goes, else what the pre-commit framework says, else `origin`. `budget` is how many seconds
    pre-receive may take. For pre-receive the repository's settings `hkgit.gate.policy` and
    `hkgit.budget` replace what is not given.
    """

    point: RefPoint
    stdin: bytes
    environment: Mapping[str, str] = field(default_factory=dict)
    policy: str | None = None
    remote: str | None = None
    budget: float | None = None


@dataclass(frozen=True)
class RefsResult:
    """The answer on each ref, in git's order."""

    answers: tuple[UpdateResult, ...]

    @property
    def passes(self) -> bool:
        """Whether every ref may move."""
        return all(answer.passes for answer in self.answers)


def judge_refs(repository: Repository, request: RefsRequest) -> RefsResult:
    """Judge every ref that git tells a hook of; refusals are in the result.

    Raises InvalidInput for a policy, a budget or lines from git that cannot be read.
    """
    from hkgit.gate.entrypoints.hooks import judge_moved, judge_pushed, judge_received

    policy, asked = request.policy, request.budget
    match request.point:
        case "pre_push":
            pushed = [*parse_pushed(request.stdin)] or [*read_framework_update(request.environment)]
            remote = request.remote or request.environment.get("PRE_COMMIT_REMOTE_NAME", "origin")
            answers = judge_pushed(repository, pushed, remote, _read_named(repository, policy))
        case "pre_receive":
            given = _read_named(repository, policy or repository.config("hkgit.gate.policy"))
            budget = repository.config("hkgit.budget") if asked is None else asked
            updates = [*parse_received(request.stdin)]
            answers = judge_received(repository, updates, given, _parse_seconds(budget))
        case "reference_transaction":
            updates = [*parse_received(request.stdin)]
            answers = judge_moved(repository, updates, _read_named(repository, policy))
        case _:
            assert_never(request.point)
    return RefsResult(tuple(answers))


def _read_named(repository: Repository, policy: str | None) -> Policy | None:
    return None if policy is None else read_named_policy(repository, policy)


def _parse_seconds(given: str | float | None) -> float:
    try:
        seconds = DEFAULT if given is None else float(given)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= LONGEST_BUDGET:
        raise InvalidInput(
            "budget", f"is not a number of seconds from 0 to {LONGEST_BUDGET}: {given}"
        )
    return seconds
