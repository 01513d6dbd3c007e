"""prompt.py: do what was foreseen of a commit, at once: its sessions forget what it holds.

post-commit waits for this, so it loads next to nothing: no `pathlib`, no `json`. Whatever is not as
it was foreseen is left to `settling`, which does the same from what it finds.
"""

from __future__ import annotations

import os

from hkgit.git.facts import ask_git
from hkgit.git.transactions import locks
from hkgit.values import dataclass

FORESEEN, SESSIONS = "hkgit/foreseen", "hkgit/sessions"
"""In the git directory: what was foreseen, and the sessions."""
_LOCAL = ".hkgit/local"
_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class ForeseenSession:
    """A journal as it has to be, and what it becomes; `after` is None where it stays."""

    name: str
    stamp: str
    after: bytes | None
    versions: frozenset[str]


def read_stamp(journal: str | os.PathLike[str]) -> str:
    """Return text that changes with every line that is added to a journal. Raises OSError."""
    status = os.stat(journal)
    return f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}"


def settle_foreseen(git_dir: str) -> bool:
    """Do what was foreseen, from the top of the checkout; whether all of it could be done."""
    place = f"{git_dir}/{FORESEEN}"
    if "HKGIT_STATE" in os.environ or os.path.lexists(_LOCAL) or not os.path.exists(place):
        return False
    try:
        with open(place, "rb") as file:
            tree, paths, sessions = _parse(file.read())
        os.unlink(place)
        entries = _read_head(tree, [path for path in paths if not os.path.lexists(path)])
        return entries is not None and _settle(f"{git_dir}/{SESSIONS}", entries, sessions)
    except (OSError, ValueError):
        return False


def _parse(content: bytes) -> tuple[str, list[str], list[ForeseenSession]]:
    """Parse the tree, the files that come with it, and the sessions. Raises ValueError."""
    tree, paths, rest = content.split(b"\n", 2)
    sessions = []
    while rest:
        head, _, rest = rest.partition(b"\n")
        name, stamp, length, versions = head.decode("ascii").split(" ")
        size = int(length)
        after = rest[:size] if size >= 0 else None
        if after is not None and len(after) != size:
            raise ValueError("cut short")
        rest = rest[max(size, 0) :]
        sessions.append(ForeseenSession(name, stamp, after, frozenset(versions.split(","))))
    return tree.decode("ascii"), paths.decode("ascii").split(), sessions


def _read_head(tree: str, paths: list[str]) -> dict[str, bytes] | None:
    """Read files of the commit that HEAD is, if that is of this tree and has them all."""
    asked = "".join(f"HEAD{place}\n" for place in ("^{tree}", *(f":{path}" for path in paths)))
    rest = os.fsencode(ask_git("cat-file", "--batch=%(objectname) %(objectsize)", asked=asked))
    found = []
    while rest:
        head, _, rest = rest.partition(b"\n")
        name, _, size = head.rpartition(b" ")
        if not size.isdigit():  # it is missing
            return None
        found.append((name, rest[: int(size)]))
        rest = rest[int(size) + 1 :]
    if len(found) != len(paths) + 1 or found[0][0] != tree.encode():
        return None
    return dict(zip(paths, (data for _, data in found[1:]), strict=True))


def _settle(home: str, entries: dict[str, bytes], sessions: list[ForeseenSession]) -> bool:
    lock = f"{home}/.lock"
    descriptor = locks.wait_for(lock, _PATIENCE)
    if descriptor is None:
        return False
    try:
        if not _are_unchanged(home, sessions) or not _complete_checkout(entries):
            return False
        for session in sessions:
            if session.after is not None:
                _rewrite(f"{home}/{session.name}", session.after, session.versions)
        os.unlink(f"{home}/.waiting")
        return True
    finally:
        locks.remove(lock, descriptor)


def _are_unchanged(home: str, sessions: list[ForeseenSession]) -> bool:
    """Whether these are all sessions with a name, and each says what it said."""
    found = {
        name: read_stamp(f"{home}/{name}/journal")
        for name in os.listdir(home)
        if name != "_" and os.path.isfile(f"{home}/{name}/journal")
    }
    return found == {each.name: each.stamp for each in sessions}


def _complete_checkout(entries: dict[str, bytes]) -> bool:
    """Write the entries that came through a temporary index."""
    for path, data in entries.items():
        folder = os.path.dirname(path)
        if os.path.lexists(path) or os.path.realpath(folder) != os.path.join(os.getcwd(), folder):
            return False
        os.makedirs(folder, exist_ok=True)
        with open(path, "xb") as file:
            file.write(data)
    return True


def _rewrite(folder: str, after: bytes, versions: frozenset[str]) -> None:
    """What `SessionJournal.forget` does."""
    with open(f"{folder}/journal.new", "wb") as file:
        file.write(after)
    os.replace(f"{folder}/journal.new", f"{folder}/journal")
    kept = f"{folder}/versions"
    for shard in os.listdir(kept) if os.path.isdir(kept) else ():
        for name in os.listdir(f"{kept}/{shard}") if len(shard) == 2 else ():
            if shard + name not in versions:
                os.unlink(f"{kept}/{shard}/{name}")
