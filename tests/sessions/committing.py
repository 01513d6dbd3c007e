"""committing.py: a repository whose hooks record and judge, and an agent that commits there."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

from hkgit.sessions.stage import settle_commit, stage
from tests.support.commands import loaded_path
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.sessions import TextSession

AGENT = {"GIT_AUTHOR_NAME": "claude", "GIT_AUTHOR_EMAIL": "noreply@anthropic.com"}
PROVEN = "strict receipt"
"""A policy under which what is read after a change counts."""
"""What `Work.verdict` says of a commit whose every edit is tied to a reading."""


@dataclass(frozen=True)
class Work:
    """A repository, and the desk of an agent in it."""

    repo: Repo
    desk: TextSession

    def edit(self, old: str, new: str, path: str = "a.py") -> None:
        """An edit of a file that the agent has read whole."""
        from tests.sessions.conftest import replacing

        self.desk.read(path)
        answer = self.desk.edit(replacing(old, new, path))
        assert answer.ok, answer.for_model()

    def pick(self, *answers: str) -> None:
        """Stage some hunks of what has changed."""
        self.repo.git("add", "-p", stdin="".join(f"{each}\n" for each in answers).encode())

    def record(self) -> tuple[str, ...]:
        """What the hook of pre-commit does; what it says."""
        return stage(open_repository(self.repo)).uncovered

    def commit(self, *args: str) -> str:
        """Record, and commit what is staged; answers with the commit."""
        self.record()
        self.repo.git("commit", "-q", "--no-verify", "-m", "Change", *args, env=AGENT)
        settle_commit(open_repository(self.repo))
        return self.repo.head

    @property
    def environment(self) -> dict[str, str]:
        """An agent's, with an hkgit that forks first."""
        return {**AGENT, **loaded_path()}

    def commit_with_hooks(self, *args: str, code: int = 0, editor: str = "false") -> str:
        """`git commit` with the installed hooks; what is said."""
        environment = os.environ | self.environment | {"GIT_EDITOR": editor}
        done = subprocess.run(
            ["git", "commit", *args],
            cwd=self.repo.path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def verdict(self, rev: str = "HEAD") -> str:
        """The verdict on one commit."""
        from hkgit.evidence.replay import candidate_of, replay

        repository = open_repository(self.repo)
        judged = replay(repository, candidate_of(repository, repository.resolve(rev)))
        if judged is None:
            return "without evidence"
        blind = {edit.evidence for _, entry in judged.entries for edit in entry.edits}
        return f"{judged.verdict} {' '.join(sorted(blind))}"
