"""A commit claims the refusals of the texts that it holds, and of no other edit of its files."""

from __future__ import annotations

from hkgit.evidence.refusal_log import RefusalLog
from tests.sessions.committing import Work, replacing


def landed(work: Work) -> list[str | None]:
    return [each.landed for each in RefusalLog.of(work.repo.path / ".git").read()]


def test_a_refusal_is_claimed_by_the_commit_with_its_text(work: Work) -> None:
    assert not work.desk.edit(replacing("nowhere\n", "five\n")).ok
    work.edit("line 9\n", "nine\n")
    work.commit(add="-A")
    assert landed(work) == [None]
    work.edit("line 5\n", "five\n")
    assert landed(work) == [None]
    head = work.commit(add="-A")
    assert landed(work) == [head]
