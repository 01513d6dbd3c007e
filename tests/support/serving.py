"""serving.py: a bare repository with the installed pre-receive hook, and a clone that pushes to it.

The clone has no hooks: here only the server stands between a commit and its branches.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.gate.entrypoints.hook_scripts import HOOKS
from hkgit.workflows.setup import install
from tests.support.commands import AGENT, git, hkgit, replace_line_two
from tests.support.forks import relay
from tests.support.objects import open_repository
from tests.support.repos import Repo

POLICY = "[gate]\nmode = 'enforce'\n"
FILES: dict[str, str | bytes | None] = {
    "app.py": "one\ntwo\nthree\n",
    "notes.md": "Notes\n",
    ".hkgit/config.toml": POLICY,
    ATTRIBUTES_PATH: ATTRIBUTES,
}


@dataclass(frozen=True)
class Served:
    """A server and a clone with branches: good (evidence), blind (none), human, and two more."""

    server: Repo
    clone: Repo

    def push(self, *refspecs: str, **env: str) -> tuple[bool, str]:
        """Whether the server took it, and all that was said."""
        return git(self.clone, "push", "origin", *refspecs, env=env)

    def take(self, *refspecs: str, **env: str) -> None:
        """A push that the server takes."""
        done, said = self.push(*refspecs, **env)
        assert done, said

    def refuse(self, *refspecs: str, **env: str) -> str:
        """What is said against a push that the server refuses."""
        done, said = self.push(*refspecs, **env)
        assert not done, said
        return said

    @property
    def refs(self) -> dict[str, str]:
        """The server's refs."""
        listed = self.server.git("for-each-ref", "--format=%(refname) %(objectname)")
        return dict(line.split() for line in listed.splitlines())

    @property
    def quarantines(self) -> list[str]:
        """What is left of pushes in the server's object store."""
        return [path.name for path in (self.server.path / "objects").glob("*incoming*")]


def begin(folder: Path) -> Served:
    """A server that has main and judges, and the clone with its branches."""
    server = Repo.init(folder / "server.git", bare=True)
    clone = Repo.init(folder / "clone")
    clone.commit(FILES, "Begin")
    clone.git("remote", "add", "origin", str(server.path))
    clone.git("push", "-q", "origin", "main")
    hkgit(server, "init", "--server")
    spec = replace_line_two(clone, "TWO\n")
    hkgit(clone, "apply", "-", "--branch", "good", stdin=spec, env=AGENT)
    _branch(clone, "human", {"notes.md": "More notes\n"}, {})
    _branch(clone, "blind", {"app.py": "one\n2\nthree\n"}, AGENT)
    _branch(clone, "relaxed", {".hkgit/config.toml": "[gate]\nmode = 'report'\n"}, {})
    clone.git("checkout", "-q", "main")
    return Served(server, clone)


def copied(template: Served, folder: Path) -> Served:
    """The same again elsewhere; the clone pushes to the copy."""
    server = template.server.copy(folder / "server.git")
    served = Served(server, template.clone.copy(folder / "clone"))
    served.clone.git("remote", "set-url", "origin", str(served.server.path))
    return served


def preload_hooks(repo: Repo, python: Path | None = None) -> None:
    """Let the installed hooks start another interpreter; by default one that has loaded hkgit.

    See `forks.relay`.
    """
    for path in repo.hooks.iterdir():
        text, count = re.subn("(?m)^python=.*$", f"python='{python or relay()}'", path.read_text())
        if count:
            path.write_text(text)


def guard(repo: Repo, files: dict[str, str | bytes | None] | None = None) -> Repo:
    """Set hkgit up in a repository and commit that, past the hooks that hold to it from now on."""
    install(open_repository(repo), HOOKS)
    preload_hooks(repo)
    repo.commit(files, "Set up", "--no-verify")
    return repo


def commit(repo: Repo, files: dict[str, str], env: dict[str, str]) -> str:
    """Commit these files on the branch that is checked out."""
    for name, text in files.items():
        repo.write(name, text)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Change", env=env)
    return repo.head


def _branch(repo: Repo, name: str, files: dict[str, str], env: dict[str, str]) -> None:
    repo.git("checkout", "-q", "-b", name, "main")
    commit(repo, files, env)
