"""Judge a commit being made, and refs that move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never

from hkgit.errors import InvalidInput
from hkgit.evidence.replay import make_candidate
from hkgit.evidence.trailers import cut_at_scissors
from hkgit.gate.clock import DEFAULT
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import BUILT_IN
from hkgit.gate.ruling import Report
from hkgit.gate.trusted_policy import load_policy, read_named_policy
from hkgit.git.repository import Repository, find_comment_mark, find_message_file, read_message
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.gate.entrypoints.arrival import UpdateResult


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
    trusted = trusted.for_refs(() if head.branch is None else (f"refs/heads/{head.branch}",))
    # Under the built-in policy a shell makes nobody an agent: somebody may be setting hkgit up.
    known = shell if trusted.source != BUILT_IN else None
    tree = repository.judged_tree
    candidates = [
        replace(make_candidate(repository, tree, parents, message), amends=number > 0)
        for number, parents in enumerate(repository.commit_in_progress_parents())
    ]
    gate = Gate(repository, trusted, JudgeContext(on_client=True, explain=explain, shell=known))
    return Report(trusted, (gate.judge_any(candidates),), provisional=True)


def _message(repository: Repository, message_file: str | None) -> bytes | None:
    """The message as git would keep it."""
    if message_file is None:
        return None
    raw = read_message(find_message_file(repository, message_file))
    raw, _ = cut_at_scissors(raw, find_comment_mark(repository))
    return repository.git("stripspace", "--strip-comments", stdin=raw).stdout


RefPoint = Literal["pre_push", "pre_receive", "reference_transaction"]
"""The hooks that git starts before refs move."""

LONGEST_BUDGET = 86_400
"""Seconds that a push may be given."""


def judge_refs(
    repository: Repository,
    point: RefPoint,
    stdin: bytes,
    environment: Mapping[str, str],
    *,
    policy: str | None = None,
    remote: str | None = None,
    budget: float | None = None,
) -> tuple[UpdateResult, ...]:
    """Judge every ref that git tells a hook of; refusals are in the results, in git's order.

    `stdin` is what git gives the hook. `policy` names another one than the trusted side's, as FILE
    or REV:PATH. `remote` is where a push goes, else what the pre-commit framework says, else
    `origin`. `budget` is how many seconds pre-receive may take; there the repository's settings
    `hkgit.gate.policy` and `hkgit.budget` replace what is not given. Raises InvalidInput for a
    policy, a budget or lines from git that cannot be read.
    """
    from hkgit.gate.entrypoints.arrival import (
        parse_pushed,
        parse_received,
        read_framework_update,
    )
    from hkgit.gate.entrypoints.hooks import judge_moved, judge_pushed, judge_received

    if point == "pre_receive":
        policy = policy or repository.config("hkgit.gate.policy")
    given = None if policy is None else read_named_policy(repository, policy)
    match point:
        case "pre_push":
            pushed = [*parse_pushed(stdin)] or [*read_framework_update(environment)]
            remote = remote or environment.get("PRE_COMMIT_REMOTE_NAME", "origin")
            answers = judge_pushed(repository, pushed, remote, given)
        case "pre_receive":
            asked = repository.config("hkgit.budget") if budget is None else budget
            seconds = _parse_seconds(asked)
            answers = judge_received(repository, [*parse_received(stdin)], given, seconds)
        case "reference_transaction":
            answers = judge_moved(repository, [*parse_received(stdin)], given)
        case _:
            assert_never(point)
    return tuple(answers)


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
