"""objects.py: trees and commits written in this process, where that gives what git would write.

A process of git takes a hundred times as long, and the tests make thousands of commits. What is
odd (names, modes, dates, options) is left to git: the functions answer None.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pygit2

from hkgit.edits import EXECUTABLE, REGULAR, SYMLINK, File
from hkgit.git.repository import CHOICE, Repository
from tests.support.repos import CONFIG, IDENTITY, Repo, template_settings

_HEEDED = (
    *("GIT_DIR", "GIT_INDEX", "GIT_WORK", "GIT_OBJECT", "GIT_AUTHOR_N", "GIT_AUTHOR_E"),
    *("GIT_COMMITTER_N", "GIT_COMMITTER_E", "GIT_CONFIG_C", "GIT_CONFIG_P", "GIT_DEFAULT"),
)
"""Beginnings of variables that tell git another place or somebody else."""

_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 /_\[\]-]*[A-Za-z0-9\]]\Z")
_PLAIN_MAIL = re.compile(r"[A-Za-z0-9.@+\[\]_-]*[A-Za-z0-9]\Z")
_PLAIN_PATH = re.compile(r"(?!.*\.git(?![ail]))[A-Za-z0-9_./-]+\Z")


def write_tree(repo: Repo, parent: str | None, files: Mapping[str, File | None]) -> str | None:
    """Write the tree that a parent's becomes with some files (None removes one)."""
    modes = {None if file is None else file.mode for file in files.values()}
    if not all(map(_PLAIN_PATH.match, files)) or not modes <= {None, REGULAR, EXECUTABLE, SYMLINK}:
        return None
    try:
        opened = pygit2.Repository(str(repo.path))
        index = pygit2.Index()
        if parent is not None:
            index.read_tree(opened.revparse_single(parent).peel(pygit2.Tree))
        for path, file in files.items():
            if file is None:
                with suppress(OSError, KeyError):
                    index.remove(path)
            else:
                mode = pygit2.enums.FileMode(file.mode)
                index.add(pygit2.IndexEntry(path, opened.create_blob(file.data), mode))
        return str(index.write_tree(opened))
    except (pygit2.GitError, KeyError, ValueError, OSError):
        return None


def write_commit(
    repo: Repo, tree: str, parents: Sequence[str], message: bytes, name: str, mail: str
) -> str | None:
    """Write a commit by somebody, at the time that the environment says."""
    when = [_read_date(os.environ.get(f"GIT_{role}_DATE", "")) for role in ("AUTHOR", "COMMITTER")]
    is_plain = _PLAIN_NAME.match(name) and _PLAIN_MAIL.match(mail) and None not in when
    if not is_plain or b"\0" in message or not message.endswith(b"\n"):
        return None
    try:
        opened = pygit2.Repository(str(repo.path))
        found = [opened.revparse_single(each).peel(pygit2.Commit).id for each in parents]
        whole = opened[tree].id
    except (pygit2.GitError, KeyError, ValueError):
        return None
    lines = [f"tree {whole}", *(f"parent {each}" for each in dict.fromkeys(found))]
    lines += [f"author {name} <{mail}> {when[0]}", f"committer {name} <{mail}> {when[1]}"]
    data = "\n".join(lines).encode() + b"\n\n" + message
    return str(opened.odb.write(pygit2.enums.ObjectType.COMMIT, data))


def commit_checkout(repo: Repo, message: str) -> str | None:
    """Commit everything in a checkout, where nothing of git's but objects and an index is asked."""
    if not _is_plain_checkout(repo) or message != message.strip() or "\n" in message:
        return None
    name, mail = IDENTITY.rstrip(">").split(" <")
    try:
        opened = pygit2.Repository(str(repo.path))
        branch = "HEAD" if opened.head_is_detached else opened.lookup_reference("HEAD").target
        parents = [] if opened.head_is_unborn else [str(opened.head.target)]
        index = opened.index
        index.add_all()
        tree = str(index.write_tree())
    except (pygit2.GitError, KeyError, ValueError, OSError):
        return None
    made = write_commit(repo, tree, parents, f"{message}\n".encode(), name, mail)
    if made is None or not str(branch).startswith(("refs/heads/", "HEAD")):
        return None
    index.write()
    told = f"commit{'' if parents else ' (initial)'}: {message}"
    opened.create_reference(str(branch), made, force=True, message=told)
    return made


def find_object(repo: Repo, rev: str) -> pygit2.Object | None:
    """Find what a revision names; None where git has to look for it."""
    try:
        return pygit2.Repository(str(repo.path)).revparse_single(rev)
    except (pygit2.GitError, KeyError, ValueError):
        return None


def read_files(repo: Repo, rev: str) -> dict[str, bytes] | None:
    """Read every file of a commit; None where git has to."""
    try:
        opened = pygit2.Repository(str(repo.path))
        index = pygit2.Index()
        index.read_tree(opened.revparse_single(rev).peel(pygit2.Tree))
        return {entry.path: opened[entry.id].read_raw() for entry in index}
    except (pygit2.GitError, KeyError, ValueError):
        return None


def refresh_index(repo: Repo) -> None:
    """Let the index of a checkout know the files that were just written."""
    if _is_plain_checkout(repo):
        index = pygit2.Repository(str(repo.path)).index
        for path in [entry.path for entry in index]:
            index.add(path)
        index.write()
    else:
        repo.git("update-index", "-q", "--refresh")


def reset_checkout(repo: Repo, commit: str) -> bool:
    """Reset a checkout to a commit; return False where that is left to git."""
    if not _is_plain_checkout(repo):
        return False
    pygit2.Repository(str(repo.path)).reset(pygit2.Oid(hex=commit), pygit2.enums.ResetMode.HARD)
    return True


def open_repository(repo: Repo) -> Repository:
    """Open a repository; where a checkout is as `Repo.init` makes one, nobody need ask git."""
    if not _is_plain_checkout(repo):
        return Repository.discover(repo.path)
    reader = os.environ.get(CHOICE, "")
    return Repository(repo.path, False, repo.path / ".git", repo.path, "sha1", reader)


def _is_plain_checkout(repo: Repo) -> bool:
    """Whether there are no hooks, attributes, settings or half done merges that git would heed."""
    git_dir = repo.path / ".git"
    if not git_dir.is_dir() or any(name.startswith(_HEEDED) for name in os.environ):
        return False
    settings = git_dir / "config"
    is_changed = not settings.is_file() or settings.read_bytes() != template_settings()
    is_busy = any(git_dir.glob("*_HEAD")) or any((git_dir / "info").iterdir())
    odd = (".gitattributes", ".gitmodules", ".gitignore")
    return not (
        is_changed
        or is_busy
        or any((git_dir / "hooks").iterdir())
        or any(_has_words(repo.path / name) for name in odd)
        or Path(os.environ["GIT_CONFIG_GLOBAL"]).read_text() != CONFIG
    )


def _has_words(path: Path) -> bool:
    """Whether git would heed the file; that no text is converted, libgit2 understands as well."""
    return path.exists() and path.read_bytes() not in (b"", b"* -text\n")


def _read_date(said: str) -> str | None:
    """A date of the environment as commits write it."""
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return None
    return None if moment.tzinfo is None else f"{int(moment.timestamp())} {moment:%z}"
