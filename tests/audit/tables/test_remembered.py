"""Rows that a clone keeps: what they spare, and when they are not believed."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.history import make_history
from hkgit.cli.main import main
from hkgit.evidence.verdict import CandidateCommit
from hkgit.gate.judge import Gate
from hkgit.gate.ruling import Ruling
from tests.support.repos import Repo

COMMITS = 6


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made") / "short.git"
    make_history(root, COMMITS)
    return root


@pytest.fixture
def history(made: Path, tmp_path: Path) -> Path:
    """A bare repository of a first commit, which is open, and some that last."""
    return Path(shutil.copytree(made, tmp_path / "short.git"))


Count = Callable[..., tuple[int, str]]


@pytest.fixture
def count(
    history: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Count:
    """Run a command: how many commits are judged, and what it says."""
    judge, judged = Gate.judge, list[CandidateCommit]()

    def note(gate: Gate, candidate: CandidateCommit) -> Ruling:
        judged.append(candidate)
        return judge(gate, candidate)

    monkeypatch.setattr(Gate, "judge", note)
    monkeypatch.chdir(history)

    def begin(*words: str) -> tuple[int, str]:
        judged.clear()
        main.main(list(words), standalone_mode=False)
        return len(judged), capsys.readouterr().out

    return begin


def kept(history: Path) -> list[Path]:
    return [*(history / "hkgit/rows").glob("*.db")]


def test_the_second_run_judges_what_may_have_changed_alone(count: Count) -> None:
    judged, first = count("stats", "main", "--json")
    assert judged == COMMITS + 1
    assert count("stats", "main", "--json") == (1, first)
    assert count("stats", "main~2..main", "--json")[0] == 0


def test_questions_have_their_own_rows_with_files(count: Count) -> None:
    count("stats", "main")
    sql = "select count(*) as files from files"
    judged, said = count("sql", sql, "main", "--format", "csv")
    assert judged == COMMITS + 1
    assert count("sql", sql, "main", "--format", "csv") == (1, said)
    assert count("sql", sql, "main~1..main", "--format", "csv")[1] == "files\n1\n"


def test_another_policy_has_rows_of_its_own(history: Path, count: Count) -> None:
    count("stats", "main")
    repo = Repo(history)
    blob = repo.store(b"[gate]\nmode = 'report'\n")
    folder = repo.git("mktree", stdin=f"100644 blob {blob}\tconfig.toml\n".encode())
    tree = repo.git("mktree", stdin=f"040000 tree {folder}\t.hkgit\n".encode())
    tip = repo.git("commit-tree", tree, "-p", "main", "-m", "Report")
    repo.git("update-ref", "refs/heads/main", tip)
    assert count("stats", "main")[0] == COMMITS + 2
    assert len(kept(history)) == 2


def test_what_others_may_write_or_cannot_be_read_is_not_believed(
    history: Path, count: Count
) -> None:
    _, said = count("stats", "main", "--json")
    folder = history / "hkgit/rows"
    folder.chmod(0o777)
    assert count("stats", "main", "--json") == (COMMITS + 1, said)
    folder.chmod(0o700)
    folder.replace(history / "elsewhere")
    folder.symlink_to(history / "elsewhere")
    assert count("stats", "main", "--json") == (COMMITS + 1, said)
    folder.unlink()
    (history / "elsewhere").replace(folder)
    [path] = kept(history)
    path.write_bytes(b"garbage" * 1000)
    assert count("stats", "main", "--json") == (COMMITS + 1, said)
    assert count("stats", "main", "--json")[0] == 1


def test_what_cannot_be_kept_changes_no_answer(history: Path, count: Count) -> None:
    (history / "hkgit").write_text("in the way\n")
    assert count("stats", "main")[0] == COMMITS + 1
    (history / "hkgit").unlink()
    (history / "hkgit/rows").mkdir(parents=True)
    count("stats", "main")
    [path] = kept(history)
    path.unlink()
    path.mkdir()
    assert count("stats", "main")[0] == COMMITS + 1


def test_few_databases_stay(history: Path, count: Count, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hkgit.audit.tables.database._MOST", 2)
    for name in ("a", "b", "c"):
        Repo(history).git("config", "remote.origin.url", f"https://example.org/{name}")
        assert count("sql", "select 1", "main~1..main")[0] == 1
    assert len(kept(history)) == 2
