"""repos.py: real repositories, made with the real git program, for the tests."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from string import hexdigits

IDENTITY = "Ada Tester <ada@example.org>"
DATE = "2024-05-06T07:08:09+00:00"
CONFIG = """\
[user]
    name = Ada Tester
    email = ada@example.org
[init]
    defaultBranch = main
[gc]
    auto = 0
[maintenance]
    auto = false
[receive]
    autogc = false
[protocol "file"]
    allow = always
"""


REAL_EDITS = "HKGIT_REAL_EDITS"
"""Names a file of edits to test with; nothing that runs heeds it."""

FUZZ = "HKGIT_FUZZ"
"""How many random histories each way of smuggling is tried in."""

THOROUGH = "ALL_EXAMPLES"
"""Names the variable by which all examples of properties are asked for, as `.ci/run` does."""

_KEPT = (REAL_EDITS, FUZZ, THOROUGH, "HKGIT_AGENTS", "HKGIT_AGENTS_RECORD", "GIT_DEFAULT_HASH")


_FOREIGN = (
    *("GIT_", "XDG_", "SSH_", "PRE_COMMIT", "HKGIT_", "GNUPG"),
    *("GITHUB_", "GITLAB_", "CI_", "CLAUDE", "CODEX", "CURSOR", "GEMINI"),
    *("LC_", "LANG"),
)
_FOREIGN_NAMES = {
    *("CI", "EMAIL", "EDITOR", "VISUAL", "PAGER", "LESS", "COLUMNS", "LINES"),
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"),
    "PYTHONDONTWRITEBYTECODE",  # thousands of starts of hkgit would compile it anew
}
"""Beginnings and names of variables that git, Python, Click or hkgit heed."""


def sealed_environment(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """The environment without anybody's git, agent or CI: an own HOME, identity and clock."""
    (home / ".gitconfig").write_text(CONFIG)
    kept = {
        name: value
        for name, value in environment.items()
        if not (name.startswith(_FOREIGN) or name in _FOREIGN_NAMES) or name in _KEPT
    }
    return kept | {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": DATE,
        "GIT_COMMITTER_DATE": DATE,
        "GIT_EDITOR": "false",
        "TERM": "xterm",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }


_TEMPLATES = {
    (hashes, bare): Path(tempfile.mkdtemp(prefix="hkgit-template-"))
    for hashes in ("sha1", "sha256")
    for bare in (False, True)
}


def make_templates() -> None:
    """Let git make a repository of each kind, to be copied by `Repo.init`."""
    for (hashes, bare), place in _TEMPLATES.items():
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        kind = f"--object-format={hashes}", *(["--bare"] if bare else [])
        Repo(place).git("init", "-q", "--template=", *kind)
        for name in ("hooks", "info"):
            (place / ("" if bare else ".git") / name).mkdir()


def template_settings() -> bytes:
    """The settings of a repository in which nobody has set anything."""
    return (_TEMPLATES["sha1", False] / ".git" / "config").read_bytes()


MADE: list[Path] = []
"""The repositories that were made since a test took note of them (`tests.support.agreement`)."""

_LARGE = 2**20
"""So long a text git stores in a tenth of the time that libgit2 takes."""


@dataclass(frozen=True)
class Repo:
    """A repository on disk: `path` is its work tree, or the bare repository itself."""

    path: Path

    @classmethod
    def init(cls, path: Path, *, bare: bool = False) -> Repo:
        shutil.copytree(_TEMPLATES[os.environ.get("GIT_DEFAULT_HASH", "sha1"), bare], path)
        MADE.append(path)
        return cls(path)

    def copy(self, path: Path) -> Repo:
        """The same repository at another place, with an index that knows the files there."""
        shutil.copytree(self.path, path, symlinks=True)
        from tests.support.objects import refresh_index  # it loads libgit2, which looks for HOME

        made = Repo(path)
        if not (path / "HEAD").exists():  # it is not bare
            refresh_index(made)
        return made

    def git(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        check: bool = True,
    ) -> str:
        """Standard output of `git ARGS` as text, without its last line end."""
        return os.fsdecode(self.git_bytes(*args, stdin=stdin, env=env, check=check)).rstrip("\n")

    def git_bytes(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        check: bool = True,
    ) -> bytes:
        """Standard output of `git ARGS`; a failure shows what git said."""
        environment = os.environ | dict(env or {})
        done = subprocess.run(
            ["git", *args], cwd=self.path, input=stdin or b"", env=environment, capture_output=True
        )
        if check and done.returncode != 0:
            raise AssertionError(f"git {' '.join(args)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def shell(self, script: str) -> None:
        """Let a shell run a script in the work tree, whose commands must succeed."""
        done = subprocess.run(["sh", "-ec", script], cwd=self.path, capture_output=True)
        assert done.returncode == 0, f"{script}: {done.stderr.decode(errors='replace')}"

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file of the work tree, with its directories."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def store(self, data: bytes, kind: str = "blob") -> str:
        """Store an object, also one that git itself would not write."""
        return self.git("hash-object", "-t", kind, "-w", "--literally", "--stdin", stdin=data)

    def loose(self, rev: str) -> Path:
        """The file of an object that is in no pack; it may be written over."""
        found = self.resolve(rev)
        place = self.path / ".git" / "objects" / found[:2] / found[2:]
        place.chmod(0o644)
        return place

    def linked(self, path: Path, *options: str) -> Repo:
        """A worktree of its own at another place."""
        self.git("worktree", "add", "-q", *options, str(path))
        return Repo(path)

    def commit(
        self,
        files: Mapping[str, str | bytes | None] | None = None,
        message: str = "Change",
        *options: str,
    ) -> str:
        """Write the files (None removes one), commit everything, and give the commit's id."""
        for name, content in (files or {}).items():
            if content is None:
                (self.path / name).unlink()
            else:
                self.write(name, content)
        from tests.support.objects import commit_checkout  # it loads libgit2, which looks for HOME

        is_large = any(len(content or "") > _LARGE for content in (files or {}).values())
        made = None if options or is_large else commit_checkout(self, message)
        if made is not None:
            return made
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, *options)
        return self.head

    @property
    def head(self) -> str:
        """The commit of HEAD; where files say it, without a process."""
        git_dir = self.path / ".git"
        with suppress(OSError):
            name = (git_dir / "HEAD").read_text().removeprefix("ref: ").rstrip("\n")
            found = (git_dir / name).read_text().rstrip("\n") if "/" in name else name
            if set(found) <= set(hexdigits):
                return found
        return self.git("rev-parse", "HEAD")

    def resolve(self, rev: str) -> str:
        """The object that a revision names."""
        if len(rev) == 40 and set(rev) <= set(hexdigits):
            return rev
        if rev == "HEAD":
            return self.head
        from tests.support.objects import find_object  # it loads libgit2, which looks for HOME

        found = find_object(self, rev)
        return self.git("rev-parse", rev) if found is None else str(found.id)

    def tree(self, rev: str = "HEAD") -> str:
        return self.resolve(f"{rev}^{{tree}}")

    def show(self, rev: str, path: str) -> bytes:
        """The bytes of a file as a commit has it."""
        from tests.support.objects import find_object

        found = find_object(self, f"{rev}:{path}")
        if found is None:
            return self.git_bytes("cat-file", "blob", f"{rev}:{path}")
        return found.read_raw()

    def objects(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The kind and the bytes of each object, by one process."""
        asked = list(names)
        said = self.git_bytes("cat-file", "--batch", stdin="\n".join([*asked, ""]).encode())
        for _ in asked:
            header, _, said = said.partition(b"\n")
            _, kind, size = header.decode().split()
            yield kind, said[: int(size)]
            said = said[int(size) + 1 :]

    def files(self, rev: str = "HEAD") -> dict[str, bytes]:
        """The bytes of every file of a commit, by their paths."""
        from tests.support.objects import read_files  # it loads libgit2, which looks for HOME

        found = read_files(self, rev)
        if found is not None:
            return found
        listed = self.git("ls-tree", "-r", "-z", rev).rstrip("\0").split("\0")
        blobs = {name: about.split()[2] for about, _, name in (e.partition("\t") for e in listed)}
        held = (data for _, data in self.objects(blobs.values()))
        return dict(zip(blobs, held, strict=True))

    def status(self) -> list[str]:
        """The lines of `git status --porcelain`."""
        return self.git("status", "--porcelain").splitlines()

    @property
    def hooks(self) -> Path:
        """The directory of the hooks; git says which where settings may."""
        own = self.path / ".git/hooks"
        settings = [self.path / ".git/config", Path(os.environ["GIT_CONFIG_GLOBAL"])]
        if own.is_dir() and not any("hookspath" in each.read_text().lower() for each in settings):
            return own
        return self.path / self.git("rev-parse", "--git-path", "hooks")

    def write_hook(self, name: str, script: str) -> Path:
        """Install an executable hook; `script` is what follows `#!/bin/sh`."""
        return write_program(self.hooks / name, script)


def write_program(path: Path, script: str) -> Path:
    """Write a program for the shell; `script` is what follows `#!/bin/sh`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
