"""Lists and totals of long histories: what is known is told at once, and failures are seen."""

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from benchmarks.history import make_history
from hkgit.cli.main import main
from hkgit.evidence.replay import list_removals
from hkgit.evidence.verdict import CandidateCommit
from hkgit.gate.commit_range import judge_range
from hkgit.gate.judge import Gate
from hkgit.gate.ruling import Ruling
from tests.support.repos import Repo
from tests.support.rulings import count_alive
from tests.support.running import run

COMMITS = 12


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository of a few replayable commits."""
    root = tmp_path_factory.mktemp("history") / "short.git"
    make_history(root, COMMITS)
    return root


def test_a_list_that_comes_by_and_by_is_the_document_that_it_was(history: Path) -> None:
    told = run("log", "main", "--json", cwd=history)
    assert told.code == 0
    assert len(told.json()) == COMMITS + 1
    assert told.out == json.dumps(told.json(), indent=2, ensure_ascii=False) + "\n"


def test_a_list_of_nothing_is_a_document_too(history: Path) -> None:
    assert run("log", "main", "--json", "--author", "nobody", cwd=history).out == "[]\n"


def test_a_list_that_fails_halfway_has_no_end(repo: Repo) -> None:
    """The second commit judged is governed, by a policy that names a commit that is not there."""
    policy = f"[gate]\nsince = '{'1' * 40}'\n"
    author = "--author=hkgit-agent <agent@example.org>"
    repo.commit({".hkgit/config.toml": policy}, "Edit", author)
    repo.commit({"a.txt": "by hand\n"})
    done = run("log", "--json", cwd=repo.path)
    assert done.code == 4
    assert "1" * 40 in done.err
    assert done.out.startswith("[\n  {")
    with pytest.raises(json.JSONDecodeError):
        done.json()


@pytest.mark.skipif(sys.platform != "linux", reason="pipes are made small")
def test_a_list_that_is_stopped_has_no_end(history: Path) -> None:
    import fcntl

    command = [sys.executable, "-P", "-m", "hkgit", "log", "main", "--json"]
    with subprocess.Popen(command, cwd=history, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        first = os.read(process.stdout.fileno(), 1)
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
    assert process.returncode == 128 + signal.SIGTERM
    with pytest.raises(json.JSONDecodeError):
        json.loads(first + rest)


@pytest.mark.parametrize(
    "command",
    [
        ("log", "main"),
        ("blame", "CHANGED", "--rev", "main"),
        ("attribution", "main~9..main"),
    ],
    ids=lambda words: words[0],
)
def test_of_entries_made_on_their_own_parent_git_is_not_asked_what_was_removed(
    history: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(history)
    list_removals.cache_clear()
    changed = _git(history, "log", "-1", "--format=", "--name-only", "main", "--", "src")
    words = [changed if word == "CHANGED" else word for word in command]
    main.main(words, standalone_mode=False)
    assert list_removals.cache_info().misses == 0
    list_removals.cache_clear()


def test_blame_tells_a_line_before_the_next_commit_is_judged(
    history: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judge, judged = Gate.judge, []

    def stop(gate: Gate, candidate: CandidateCommit) -> Ruling:
        judged.append(candidate)
        if len(judged) > 1:
            raise KeyboardInterrupt
        return judge(gate, candidate)

    path = _git(history, "log", "-1", "--format=", "--name-only", "main", "--", "src")
    monkeypatch.chdir(history)
    monkeypatch.setattr(Gate, "judge", stop)
    with pytest.raises((KeyboardInterrupt, click.Abort)):
        main.main(["blame", path, "--rev", "main"], standalone_mode=False)
    titles, first, *_ = capsys.readouterr().out.splitlines()
    assert titles.startswith("commit ")
    assert "1)" in first


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("stats", f"commits     {COMMITS}\n"),
        ("report", f", {COMMITS} commits\n- policy: "),
    ],
)
def test_totals_begin_with_what_is_known_before_anything_is_judged(
    history: Path,
    command: str,
    known: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(history)
    monkeypatch.setattr("hkgit.audit.commits.judge_range", stop)
    with pytest.raises(click.Abort):
        main.main([command, f"main~{COMMITS}..main"], standalone_mode=False)
    assert known in capsys.readouterr().out


def test_totals_of_stats_keep_no_rulings(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def watch(*given: Any, **options: Any) -> Iterator[Ruling]:
        return count_alive(judge_range(*given, **options), alive, every=4)

    gc.freeze()  # what other tests keep is not counted, and not searched
    alive: list[int] = []
    monkeypatch.chdir(history)
    monkeypatch.setattr("hkgit.audit.commits.judge_range", watch)
    main.main(["stats", f"main~{COMMITS}..main", "--json"], standalone_mode=False)
    assert len(alive) == COMMITS // 4
    assert 1 <= max(alive) < 4
