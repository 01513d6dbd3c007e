"""Where the state of sessions is kept: beside the checkout's index, or near by.

Linked worktrees have sessions of their own, since each has its own files and its own HEAD.
They hold copies of files, some of which only their owner may read: so nobody else reads any.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.facts import find_shared
from hkgit.git.state_files import find_files
from hkgit.text.hashes import sha256
from hkgit.text.paths import check_new_path

STATE = "HKGIT_STATE"
"""The variable that names a directory for state where the git directory cannot be written."""

UNNAMED = "_"
"""The session of calls that name none: they can be undone, and are no evidence."""

PATIENCE = 10.0
"""Seconds to wait for another call in the same checkout."""

WAITING = ".waiting"
"""The file beside the sessions that is there while edits may wait for their commit.

The hooks ask for it before they start anything; at post-commit only where something is in it.
No session can have this name.
"""

LOST = ".lost"
"""The file beside the sessions that names files which two of them have changed at once."""

STATE_FILE = "state.json"
"""What each session has from its first call on."""

EXPIRY = 14 * 24 * 3600
"""Seconds after which a session that nobody used is removed, if none of its edits waits."""

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z"
_PRIVATE = 0o700
LOCAL = Path(".hkgit") / "local"
"""Where state is kept in the checkout itself, if it has to be."""


def check_session(name: str) -> None:
    """Raise InvalidInput for a name that a session cannot have, such as a path."""
    if name == UNNAMED:
        return
    if not re.match(_NAME, name):
        what = "is not a valid session name"
        fix = "Use up to 64 letters, digits, dots, dashes and underscores."
        raise InvalidInput(repr(name[:80]), what, fix)
    check_new_path(name)


def find_checkout(directory: Path) -> Path:
    """Find the checkout that holds a directory; the directory itself where there is none."""
    here = directory.resolve()
    return next((above for above in (here, *here.parents) if (above / ".git").exists()), here)


def find_git_dir(root: Path) -> Path | None:
    """Find the git directory of a checkout without opening it; None where there is none."""
    inside = root / ".git"
    if inside.is_dir():
        return inside
    try:
        pointer = inside.read_text("utf-8", "surrogateescape")
    except OSError:
        return None
    return root / pointer.removeprefix("gitdir:").strip() if pointer.startswith("gitdir:") else None


def is_guarded(root: Path) -> bool:
    """Tell whether hkgit is used in a checkout: it has a policy of hkgit's, or state."""
    git_dir = find_git_dir(root)
    if git_dir is None:
        return False
    # A linked worktree shares what most of git's directory holds.
    return (root / ".hkgit").exists() or Path(find_shared(git_dir), "hkgit").exists()


def list_candidates(root: Path) -> Iterator[Path]:
    """Yield the directories that may hold a checkout's sessions, the best first.

    Those of another user of a shared checkout are that user's matter.
    """
    git_dir = find_git_dir(root)
    if git_dir is not None and not _is_closed(git_dir / "hkgit" / "sessions"):
        yield git_dir / "hkgit" / "sessions"
    named = os.environ.get(STATE)
    if named:
        key = sha256(os.fsencode(root.resolve())).hexdigest()[:16]
        yield Path(named).absolute() / key
    yield root / LOCAL / "sessions"


def _is_closed(home: Path) -> bool:
    """Whether a directory is another user's, who lets nobody in."""
    try:
        is_own = home.stat().st_uid == os.geteuid()
    except (OSError, AttributeError):  # it is not there, or the system knows no users
        return False
    return not is_own and not os.access(home, os.R_OK | os.X_OK)


def make_home(home: Path) -> None:
    """Make a directory for sessions that nobody else can look into. Raises OSError."""
    home.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    if home.stat().st_mode & 0o077:  # made by an earlier hkgit
        home.chmod(_PRIVATE)


def find_folders(root: Path) -> list[Path]:
    """Find every session of a checkout that has state somewhere, by name."""
    found = [
        folder
        for home in list_candidates(root)
        for folder in find_files(home, "*")
        if (folder / STATE_FILE).is_file()
    ]
    return sorted(found, key=lambda folder: folder.name)


def find_notes(folder: Path, *kinds: str) -> list[Path]:
    """Find what hooks have put aside in a session, by its kind (see `agents.begun_calls`)."""
    return [each for kind in kinds for each in find_files(folder / "aside", f"{kind}-*.json")]


def find_unsettled(root: Path) -> list[Path]:
    """Find the sessions of a checkout of which hooks have left something to be taken in.

    They may have nothing else yet.
    """
    folders = (each for home in list_candidates(root) for each in find_files(home, "*"))
    return [folder for folder in folders if find_notes(folder, "open", "left")]


def find_unused(root: Path) -> list[Path]:
    """Find the sessions of a checkout that nobody has used for long."""
    since = time.time() - EXPIRY
    return [folder for folder in find_folders(root) if read_last_use(folder) < since]


def read_last_use(folder: Path) -> float:
    """Return when a session was last used, in seconds since 1970."""
    try:
        return (folder / STATE_FILE).stat().st_mtime
    except OSError:
        return 0.0


def may_wait(root: Path) -> bool:
    """Whether edits of some session of a checkout may wait for their commit."""
    return any((home / WAITING).exists() for home in list_candidates(root))


def say_waiting(home: Path) -> None:
    """Note that an edit waits for a commit. Raises OSError."""
    make_home(home)
    (home / WAITING).touch()


def say_more(root: Path, *, is_more: bool) -> None:
    """Note whether there is more to look for behind the next commit than what it was given."""
    for home in list_candidates(root):
        if (home / WAITING).exists():
            with suppress(OSError):
                (home / WAITING).write_text("more\n" if is_more else "")


def say_none_waits(root: Path) -> None:
    """Note that no edit waits: the next commit need not look."""
    for home in list_candidates(root):
        with suppress(OSError):
            (home / WAITING).unlink(missing_ok=True)


def choose_folder(root: Path, session: str) -> Path:
    """Find where a session's state is, or is to be: where it was before, else where one can write.

    Only sessions with a name may write into the checkout. Raises GitRefused when there is no place.
    """
    homes = list(list_candidates(root))
    if session == UNNAMED:
        homes.remove(root / LOCAL / "sessions")
    for home in homes:
        if (home / session / STATE_FILE).is_file() and os.access(home / session, os.W_OK):
            return home / session
    for home in homes:
        if _make_directory(root, home):
            return home / session
    fix = f"Name a directory for it: {STATE}=DIRECTORY"
    raise GitRefused(str(root), "there is nowhere to keep the state of a session", fix)


def _make_directory(root: Path, home: Path) -> bool:
    """Make a directory for sessions if it can be written; a sandbox may say so only then."""
    try:
        make_home(home)
        if home.is_relative_to(root / LOCAL):
            (root / LOCAL / ".gitignore").write_text("*\n")
        probe = home / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


@contextmanager
def lock_sessions(home: Path) -> Iterator[None]:
    """Let nobody else read, edit or commit in a checkout's sessions. Raises GitRefused."""
    from hkgit.git.transaction import locks  # before a call of a tool nothing is locked

    lock = home / ".lock"  # no session can have this name
    try:
        descriptor = locks.wait_for(lock, PATIENCE)
    except OSError as error:
        fix = "Check this file, then try again."
        raise GitRefused(str(lock), f"cannot be locked: {error.strerror}", fix) from error
    if descriptor is None:
        what = "another call is running in this checkout"
        raise GitRefused(str(lock), what, "Try again when it is done.")
    try:
        yield
    finally:
        locks.remove(lock, descriptor)


def expect_kept_here(root: Path, folder: Path, fix: str) -> None:
    """Raise GitRefused where a session is kept in a place that this shell may not write to."""
    for home in list_candidates(root):
        kept = home / folder.name
        if kept != folder and (kept / STATE_FILE).is_file():
            what = "the session is stored there, but this shell may not write there: a sandbox"
            last = "The commit has to be made outside the sandbox as well."
            raise GitRefused(str(kept), what, f"{fix} {last}")
