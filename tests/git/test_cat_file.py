"""The child that reads objects: what it leaves alone, and how it ends."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hkgit.errors import Unverifiable
from hkgit.git.repository import Repository
from hkgit.git.transaction import locks
from tests.support.processes import list_readers
from tests.support.repos import Repo


@pytest.fixture
def opened(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("HKGIT_GIT", "program")
    return Repository.discover(repo.path)


def wait_for_others_than(one: int, folder: Path) -> list[int]:
    """Those that are left when the others have had the time to end."""
    until = time.monotonic() + 20
    while [each for each in list_readers(folder) if each != one] and time.monotonic() < until:
        time.sleep(0.02)
    return list_readers(folder)


def test_one_child_serves_all_reading(repo: Repo, opened: Repository) -> None:
    blobs = [repo.store(b"%d" % number) for number in range(20)]
    assert [opened.blob(blob) for blob in blobs] == [b"%d" % number for number in range(20)]
    assert len(list_readers(repo.path)) == 1


def test_it_ends_with_the_repository(repo: Repo) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HKGIT_GIT", "program")
        opened = Repository.discover(repo.path)
        opened.blob(repo.store(b"1"))
    del opened
    gc.collect()
    assert list_readers(repo.path) == []


def test_bytes_come_back_as_they_are(repo: Repo, opened: Repository) -> None:
    answers = b"f00 missing\nf00 blob 3\n"
    for data in (b"", b"\n", answers, bytes(range(256)) * 40_000):
        blob = repo.store(data)
        assert [opened.blob(blob), opened.blob_size(blob)] == [data, len(data)]
        assert opened.blob(blob) == data


def test_what_is_written_and_packed_meanwhile_is_found(repo: Repo, opened: Repository) -> None:
    first = repo.commit({"a": "1"})
    opened.commit(first)
    second = repo.commit({"a": "2"})
    assert opened.commit(second).parents == (first,)
    repo.git("repack", "-adq")
    repo.git("prune-packed")
    third = repo.commit({"a": "3"})
    assert opened.snapshot(third).get("a") == opened.snapshot(repo.tree()).get("a")
    assert opened.snapshot(first).entry("a") is not None


def test_an_object_with_other_content_than_its_id_says_is_unverifiable(
    repo: Repo, opened: Repository
) -> None:
    honest, forged = repo.store(b"honest"), repo.store(b"forged")
    repo.loose(forged).replace(repo.loose(honest))
    assert repo.git("cat-file", "blob", honest) == "forged"  # git itself is taken in
    with pytest.raises(Unverifiable, match="does not match its id"):
        opened.blob(honest)


def test_what_is_no_id_is_not_asked_for(repo: Repo, opened: Repository) -> None:
    repo.commit({"a": "1"})
    for object_id in ("HEAD", "", "main:a", "f" * 39, "f" * 41, "HEAD\nHEAD", f"{repo.head}\n"):
        with pytest.raises(Unverifiable, match="not the id of an object"):
            opened.blob(object_id)


def test_a_child_that_died_is_replaced(repo: Repo, opened: Repository) -> None:
    one, two = repo.store(b"1"), repo.store(b"2")
    opened.blob(one)
    os.kill(list_readers(repo.path)[0], signal.SIGKILL)
    assert opened.blob(two) == b"2"


def test_a_small_object_is_asked_for_once(repo: Repo, opened: Repository) -> None:
    blob = repo.store(b"1")
    assert opened.blob(blob) == b"1"
    repo.loose(blob).unlink()
    assert opened.blob(blob) == b"1"


def test_after_a_corrupt_object_others_are_read(repo: Repo, opened: Repository) -> None:
    corrupt, sound = repo.store(b"corrupt"), repo.store(b"sound")
    repo.loose(corrupt).write_bytes(b"garbage")
    with pytest.raises(Unverifiable, match="unable to unpack"):
        opened.blob(corrupt)
    assert opened.blob(sound) == b"sound"


def test_an_answer_that_was_interrupted_is_not_taken_for_the_next(
    repo: Repo, opened: Repository
) -> None:
    first, second = repo.store(b"first"), repo.store(b"second")
    opened.blob(repo.store(b"before"))
    [child] = list_readers(repo.path)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    os.kill(child, signal.SIGSTOP)
    former = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(KeyboardInterrupt):
        opened.blob(first)
    signal.signal(signal.SIGALRM, former)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGCONT)
    assert opened.blob(second) == b"second"


def test_threads_get_their_own_answers(repo: Repo, opened: Repository) -> None:
    blobs = {repo.store(b"%d" % number * 5000): b"%d" % number * 5000 for number in range(4)}
    wrong: list[str] = []

    def read(blob: str) -> None:
        wrong.extend(blob for _ in range(50) if opened.blob(blob) != blobs[blob])

    threads = [threading.Thread(target=read, args=(blob,)) for blob in blobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_fork_has_a_child_of_its_own(repo: Repo, opened: Repository) -> None:
    one, two = repo.store(b"1"), repo.store(b"2")
    opened.blob(one)
    [mine] = list_readers(repo.path)
    child = os.fork()
    if child == 0:
        os._exit(0 if opened.blob(two) == b"2" and len(list_readers(repo.path)) == 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert opened.blob(two) == b"2"
    assert wait_for_others_than(mine, repo.path) == [mine]


def test_it_holds_no_lock_of_ours(repo: Repo, opened: Repository) -> None:
    path = repo.path / ".git" / "hkgit" / "tx" / "some.jsonl"
    descriptor = locks.make(path)
    opened.blob(repo.store(b"1"))
    os.close(descriptor)
    assert len(list_readers(repo.path)) == 1
    taken = locks.take(path)
    assert taken is not None
    os.close(taken)


READING = """
import os, pathlib, signal, sys
from hkgit.git.repository import Repository
opened = Repository.discover(pathlib.Path.cwd())
opened.commit(opened.resolve("HEAD"))
print("ready", flush=True)
os.kill(os.getpid(), signal.SIGKILL) if sys.argv[1] == "killed" else sys.exit()
"""


@pytest.mark.parametrize("end", ["left", "killed"])
def test_it_does_not_outlive_its_process(repo: Repo, tmp_path: Path, end: str) -> None:
    repo.commit()
    environment = os.environ | {"HKGIT_GIT": "program"}
    command = [sys.executable, "-W", "error", "-c", READING, end]
    done = subprocess.run(command, cwd=repo.path, env=environment, capture_output=True)
    # That both pipes came to their end says that nobody holds them any more.
    assert done.stdout == b"ready\n"
    assert done.stderr == b""
    assert wait_for_others_than(0, repo.path) == []
