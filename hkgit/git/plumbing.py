"""Repositories through the git program.

It holds none of this process's locks, and ends with this process, however that ends: its input
is then closed. An answer that was not read to its end (an interrupt, a signal) would be taken for
the next one, so the child is given up then, and a new one started when there is something to ask.

The format: gitformat-pack(5). Each object stands whole, so that nothing else is needed to read it.

Objects come from one child that is kept running (see `batch`) and are checked against their ids,
which git does not do by itself; all else is a process a question.
"""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
import zlib
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import IO

from hkgit.errors import GitRefused, Unverifiable
from hkgit.git import program
from hkgit.git.backend import (
    BLOB,
    COMMIT,
    TAG,
    TREE,
    NotFound,
    common_dir_of,
    delete_own_ref,
    is_stored,
    read_branch,
    refuse_missing,
    refuse_ref_name,
    refuse_unwritten,
    write_own_ref,
)
from hkgit.git.objects import FULL_ID, compute_id
from hkgit.git.program import Completed, Git, prepare_git, read_config
from hkgit.text.hashes import start_hash
from hkgit.values import dataclass, late_pattern

COMMAND = ("git", "cat-file", "--batch-command")


class _Died(Exception):
    """The child ended before it answered."""


class CatFile:
    """One child process for each process and repository; threads take turns."""

    def __init__(self, cwd: Path, environment: Mapping[str, str]) -> None:
        self._cwd = cwd
        self._environment = dict(environment)
        self._turn = threading.Lock()
        self._child: _Child | None = None

    def header(self, object_id: str) -> tuple[str, int] | None:
        """Return the type and size of an object; None when git gives none for it."""
        answer = self._ask("info", object_id)
        return answer[1:3] if answer is not None else None

    def read(self, object_id: str) -> tuple[str, bytes] | None:
        """Read the type and bytes of an object; None when git gives none for it."""
        answer = self._ask("contents", object_id)
        return (answer[1], answer[3]) if answer is not None else None

    def resolve(self, ref: str) -> str | None:
        """Return the id that the whole name of a ref leads to; None when git gives none for it."""
        answer = self._ask("info", ref)
        return answer[0] if answer is not None else None

    def _ask(self, what: str, object_id: str) -> tuple[str, str, int, bytes] | None:
        with self._turn:
            for _ in range(2):  # somebody may have killed the first
                with suppress(_Died):
                    return self._answer(what, object_id)
        return None

    def _answer(self, what: str, object_id: str) -> tuple[str, str, int, bytes] | None:
        child = self._get_child()
        try:
            return child.answer(what, object_id)
        except BaseException:
            child.stop()
            raise

    def _get_child(self) -> _Child:
        """Return the child; a new one after a fork too, where the old one is the parent's."""
        child = self._child
        if child is None or not child.is_usable():
            child = self._child = _Child(self._cwd, self._environment)
        return child


class _Child:
    def __init__(self, cwd: Path, environment: Mapping[str, str]) -> None:
        self._owner = os.getpid()
        try:
            process = subprocess.Popen(
                COMMAND,
                cwd=cwd,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # what is wrong, whoever asks finds out by asking again
                close_fds=True,  # no lock of this process is this child's to hold (see `locks`)
                start_new_session=True,  # out of reach of the keyboard: cleaning up reads too
            )
        except OSError as error:
            raise GitRefused("git", f"could not be started: {error.strerror}") from error
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._process = process
        self.stop = weakref.finalize(self, _stop, process, os.getpid())

    def is_usable(self) -> bool:
        return self.stop.alive and self._owner == os.getpid() and self._process.poll() is None

    def answer(self, what: str, object_id: str) -> tuple[str, str, int, bytes] | None:
        try:
            self._in.write(f"{what} {object_id}\n".encode())
            self._in.flush()
        except OSError as error:
            raise _Died from error
        words = self._out.readline().decode().split()
        if words[1:] == ["missing"]:
            return None
        if len(words) != 3:
            raise _Died
        size = int(words[2])
        return words[0], words[1], size, _exactly(self._out, size) if what == "contents" else b""


def _exactly(stream: IO[bytes], size: int) -> bytes:
    """That many bytes, and the line end behind them."""
    data = stream.read(size + 1)
    if len(data) != size + 1:
        raise _Died
    return data[:-1]


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    """End a child; in a fork, only let go of it."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # it died, and what was asked of it is still in the pipe
                stream.close()
    if owner == os.getpid():
        process.kill()
        process.wait()


_TYPES = {COMMIT: 1, TREE: 2, BLOB: 3, TAG: 4}


def write_pack(objects: Collection[tuple[str, bytes]], object_format: str) -> bytes:
    """Write a pack of objects, given as type and bytes.

    Format: gitformat-pack(5), version 2, without deltas.
    """
    parts = [b"PACK", (2).to_bytes(4, "big"), len(objects).to_bytes(4, "big")]
    for kind, data in objects:
        parts += [_head(_TYPES[kind], len(data)), zlib.compress(data, 1)]
    pack = b"".join(parts)
    return pack + start_hash(object_format, pack).digest()


def _head(kind: int, size: int) -> bytes:
    """Type and size: four bits of the size in the first byte, then seven in each, lowest first."""
    head = [kind << 4 | size & 0x0F]
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head)


NO_FETCH = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
"""A partial clone fetches what it lacks when it is read; the second is for git before 2.44."""

_ABSENT = ("bad file", "Not a valid object name", "could not fetch", "lazy fetching disabled")
"""What git says of what is not here: in any clone, and in a partial one."""

_SILENT = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.logAllRefUpdates=false")
_MOST_KEPT, _SMALL = 256, 4096
"""The most objects that are kept, and the bytes from which one is not."""

_TAGGED = late_pattern(rb"object ([0-9a-f]+)\n")


@dataclass(eq=False)
class Plumbing:
    """See `backend.Backend`."""

    git: Git
    git_dir: Path
    work_tree: Path | None
    object_format: str

    name = "program"

    @classmethod
    def open(cls, start: Path, *, in_hook: bool) -> Plumbing:
        """Open the repository around a directory; raise GitRefused with git's own words."""
        args = ("rev-parse", "--is-bare-repository", "--show-object-format", "--absolute-git-dir")
        here = Git(start, NO_FETCH, keep_environment=in_hook)
        asked = here(*args, "--show-toplevel", check=False)
        if asked.code == 0 and asked.text.count("\n") == 3:  # as nearly everywhere
            _, object_format, path, top = asked.text.split("\n")
            if path != top:
                git = prepare_git(start, Path(path), Path(top), in_hook=in_hook).over(NO_FETCH)
                return cls(git, Path(path), Path(top), object_format)
        asked = here(*args, check=False)
        if "not a git repository" in asked.stderr:
            raise _damaged_above(start) or NotFound(start)
        if asked.code != 0:
            raise program.refuse_failed(args, asked)
        bare, object_format, path = asked.text.split("\n", 2)
        git_dir = Path(path)
        work_tree = None if bare == "true" else _work_tree(here, git_dir)
        git = prepare_git(start, git_dir, work_tree, in_hook=in_hook).over(NO_FETCH)
        return cls(git, git_dir, work_tree, object_format)

    # Objects

    def header(self, object_id: str) -> tuple[str, int]:
        found = self._headers.get(object_id) or self._batch.header(_check_id(object_id))
        if found is None:
            raise self._why_not(object_id)
        if len(self._headers) < _MOST_KEPT:
            self._headers[object_id] = found
        return found

    def read(self, object_id: str) -> tuple[str, bytes]:
        kept = self._small.get(object_id)
        if kept is not None:
            return kept
        found = self._batch.read(_check_id(object_id))
        if found is None:
            raise self._why_not(object_id)
        if compute_id(*found, self.object_format) != object_id:
            fix = "Look at the repository with git fsck."
            raise Unverifiable(f"object {object_id}", "does not have the content of its id", fix)
        if len(self._small) < _MOST_KEPT and len(found[1]) < _SMALL:
            self._small[object_id] = found
        return found

    def write(self, kind: str, data: bytes) -> str:
        # git has its opinion on trees that were there before; what we write we have formatted.
        plain = ("--literally",) if kind == TREE else ()
        try:
            return self.git("hash-object", "-t", kind, "-w", *plain, "--stdin", stdin=data).text
        except GitRefused as refusal:
            raise refuse_unwritten("object store", refusal.what) from refusal

    def write_all(self, objects: Mapping[str, tuple[str, bytes]]) -> None:
        if len(objects) == 1:
            [(kind, data)] = objects.values()
            self.write(kind, data)
        elif objects:
            pack = write_pack(objects.values(), self.object_format)
            try:
                self.git("unpack-objects", "-q", stdin=pack)
            except GitRefused as refusal:
                raise refuse_unwritten("object store", refusal.what) from refusal

    # History, refs and configuration

    def resolve(self, rev: str) -> str | None:
        if "\0" in rev:
            return None
        if FULL_ID.fullmatch(rev) is not None:
            return self._peel(rev)
        asked = self._ask("rev-parse", "--verify", "-q", "--end-of-options", rev)
        return self._peel(asked.text) if asked.code == 0 else None

    def _peel(self, object_id: str) -> str | None:
        try:
            kind, _ = self.header(object_id)
            while kind == TAG:
                tagged = _TAGGED.match(self.read(object_id)[1])
                object_id = tagged[1].decode() if tagged is not None else ""
                kind, _ = self.header(object_id)
        except Unverifiable:
            return None
        return object_id if kind == COMMIT else None

    def merge_base(self, first: str, second: str) -> str | None:
        asked = self._ask("merge-base", _check_id(first), _check_id(second))
        if asked.code > 1:
            raise Unverifiable(f"merge base of {first} and {second}", asked.stderr.strip())
        return asked.text if asked.code == 0 else None

    def head_target(self) -> str:
        named = read_branch(self.git_dir)
        if named is not None:
            return named
        for args in (("symbolic-ref", "-q", "HEAD"), ("rev-parse", "-q", "--verify", "HEAD")):
            asked = self._ask(*args)
            if asked.code == 0:
                return asked.text
        raise Unverifiable("HEAD", "points nowhere", "Look at the repository with git fsck.")

    def ref(self, name: str) -> str | None:
        if is_stored(common_dir_of(self.git_dir), name):
            found = self._batch.resolve(name)
            if found is not None:
                return found
        args = ("show-ref", "--verify", "--hash", "--", name)
        asked = self._ask(*args)
        if asked.code == 0:
            return asked.text
        if "not a valid ref" not in asked.stderr:
            raise program.refuse_failed(args, asked)
        if self._ask("check-ref-format", "--allow-onelevel", name).code != 0:
            raise refuse_ref_name(name)
        return None

    def write_ref(self, name: str, object_id: str) -> None:
        if not write_own_ref(common_dir_of(self.git_dir), name, object_id):
            self._update_ref(name, name, object_id)

    def delete_ref(self, name: str) -> None:
        if not delete_own_ref(common_dir_of(self.git_dir), name):
            self._update_ref(name, "-d", name)

    def _update_ref(self, where: str, *args: str) -> None:
        try:
            self.git(*_SILENT, "update-ref", "--no-deref", *args)
        except GitRefused as refusal:
            raise refuse_unwritten(where, refusal.what) from refusal

    def config(self, name: str) -> str | None:
        return read_config(self.git, name)

    # How it is done

    @cached_property
    def _headers(self) -> dict[str, tuple[str, int]]:
        """Kind and size of objects by id, of which a commit asks for many again and again."""
        return {}

    @cached_property
    def _small(self) -> dict[str, tuple[str, bytes]]:
        """Small objects by id, checked."""
        return {}

    @cached_property
    def _batch(self) -> CatFile:
        return CatFile(self.git.cwd, self.git.whole_environment())

    def _ask(self, *args: str) -> Completed:
        return self.git(*args, check=False)

    def _why_not(self, object_id: str) -> Unverifiable:
        """Why an object could not be read: git asked once more, to hear what it says."""
        where = f"object {object_id}"
        words = self._ask("cat-file", "-p", object_id).stderr.strip()
        if "error: " not in words and any(each in words for each in _ABSENT):
            return refuse_missing(where)
        what = words or "could not be read"
        return Unverifiable(where, what, "Look at the repository with git fsck.")


def _damaged_above(start: Path) -> GitRefused | None:
    """The refusal of a directory that git does not take for a repository, though it was one."""
    for place in (start, *start.parents):
        if (place / ".git" / "objects").is_dir():
            what = "git cannot read this repository: its HEAD or refs are damaged"
            fix = "See what its HEAD says: a branch, as in `ref: refs/heads/main`."
            return GitRefused(str(place / ".git"), what, fix)
    return None


def _check_id(object_id: str) -> str:
    """An id, which git would else take for a revision or for several lines."""
    if FULL_ID.fullmatch(object_id) is None:
        raise Unverifiable(f"object {object_id}", "is no id of an object")
    return object_id


def _work_tree(git: Git, git_dir: Path) -> Path:
    """The checkout; seen from inside the git directory it is what that belongs to."""
    asked = git("rev-parse", "--show-toplevel", check=False)
    if asked.code == 0 and Path(asked.text) != git_dir:
        return Path(asked.text)
    pointer = git_dir / "gitdir"  # that of a linked worktree
    inside = git_dir / pointer.read_text().rstrip("\n") if pointer.exists() else git_dir
    return inside.parent
