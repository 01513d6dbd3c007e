"""committing.py: a repository whose hooks record and judge, and an agent that commits there."""

import json
from dataclasses import dataclass

from hkgit.evidence.entry import Entry, read_entry
from hkgit.evidence.replay import candidate_of, replay
from hkgit.sessions.stage import settle_commit, stage
from tests.support.commands import AGENT, start
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.sessions import TextSession

LINES = "".join(f"line {number}\n" for number in range(1, 31))
PROVEN = "strict receipt"
"""What `Work.verdict` says of a commit whose every edit is tied to a reading."""


def replacing(old: str, new: str, path: str = "a.py") -> str:
    """A spec of one edit."""
    return json.dumps({"file": path, "old_text": old, "new_text": new})


@dataclass(frozen=True)
class Work:
    """A repository, and the desk of an agent in it."""

    repo: Repo
    desk: TextSession

    def edit(self, old: str, new: str, path: str = "a.py") -> None:
        """An edit of a file that the agent has read whole."""
        self.desk.read(path)
        answer = self.desk.edit(replacing(old, new, path))
        assert answer.ok, answer.for_model()

    def pick(self, *answers: str) -> None:
        """Stage some hunks of what has changed."""
        self.repo.git("add", "-p", stdin="".join(f"{each}\n" for each in answers).encode())

    def record(self) -> tuple[str, ...]:
        """What the hook of pre-commit does; what it says."""
        return stage(open_repository(self.repo)).uncovered

    def commit(self, *args: str, add: str | None = None) -> str:
        """Record, and commit what is staged, or is by `git add`; answers with the commit."""
        if add is not None:
            self.repo.git("add", add)
        self.record()
        self.repo.git("commit", "-q", "--no-verify", "-m", "Change", *args, env=AGENT)
        settle_commit(open_repository(self.repo))
        return self.repo.head

    def commit_with_hooks(self, *args: str, code: int = 0, editor: str = "false") -> str:
        """`git commit` with the installed hooks; what is said."""
        env = AGENT | {"GIT_EDITOR": editor}
        done = start("git", "commit", *args, cwd=self.repo.path, env=env)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def follow(self, command: str, env: dict[str, str] = AGENT) -> None:
        """Do to the letter what was said, in a shell."""
        done = start("sh", "-c", command, cwd=self.repo.path, env=env)
        assert done.returncode == 0, done.stdout + done.stderr

    def verdict(self, rev: str = "HEAD") -> str:
        """The verdict on one commit."""
        repository = open_repository(self.repo)
        judged = replay(repository, candidate_of(repository, repository.resolve(rev)))
        if judged is None:
            return "without evidence"
        blind = {edit.evidence for _, entry in judged.entries for edit in entry.edits}
        return f"{judged.verdict} {' '.join(sorted(blind))}"

    def expect_clean(self, verdict: str = PROVEN) -> None:
        """HEAD has this verdict, and nothing is left to commit."""
        assert (self.verdict(), self.repo.status()) == (verdict, [])

    @property
    def entries(self) -> list[Entry]:
        """The ledger entries of HEAD's tree."""
        names = self.repo.git("ls-files", ".hkgit/ledger").splitlines()
        return [read_entry(self.repo.read(name)) for name in names]

    @property
    def message(self) -> list[str]:
        """The lines of the message of HEAD."""
        return self.repo.git("log", "-1", "--format=%B").splitlines()
