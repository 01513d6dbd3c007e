"""commit.py: judge the commit that git is making, at pre-commit and at commit-msg."""

from __future__ import annotations

from hkgit.evidence.ledger.footers import cut_at_scissors
from hkgit.gate import Report, judge_index, load_policy
from hkgit.git.messages import find_comment_mark, find_message_file, read_message
from hkgit.git.repository import Repository
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """How to judge the commit: `message_file` is what git's hook was given, known at commit-msg.

    `policy` names another policy than that of HEAD, as FILE or REV:PATH. With `allow_blind` edits
    without evidence are let pass, because whoever commits has said so. `shell` is the agent in
    whose shell the commit is made, if it is one's.
    """

    message_file: str | None = None
    policy: str | None = None
    allow_blind: bool = False
    explain: bool = False
    shell: str | None = None


def judge(repository: Repository, request: JudgeRequest) -> Report:
    """Judge the commit that git would make of the index; the report is provisional.

    Raises InvalidInput for a policy that cannot be read, GitRefused for a message file that is
    not there.
    """
    message = _message(repository, request.message_file)
    head = repository.head()
    trusted = load_policy(repository, request.policy, head.commit)
    if request.allow_blind:
        trusted = trusted.with_blind()
    refs = () if head.branch is None else (f"refs/heads/{head.branch}",)
    return judge_index(
        repository,
        trusted.for_refs(refs),
        author=repository.identity("AUTHOR"),
        committer=repository.identity("COMMITTER"),
        message=message,
        explain=request.explain,
        shell=request.shell,
    )


def _message(repository: Repository, message_file: str | None) -> bytes | None:
    """The message as git would keep it."""
    if message_file is None:
        return None
    raw = read_message(find_message_file(repository, message_file))
    raw, _ = cut_at_scissors(raw, find_comment_mark(repository))
    return repository.git("stripspace", "--strip-comments", stdin=raw).stdout
