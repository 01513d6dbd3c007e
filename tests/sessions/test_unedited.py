"""Files that are not what git stores: behind a filter, or left out of a sparse checkout."""

from pathlib import Path

import pytest

from hkgit.errors import InvalidInput
from hkgit.sessions.answers import EditReport
from tests.sessions.committing import Work, replacing
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.sessions import TextSession

CREATE = '{"version": "1", "operations": [{"op": "create_file", "path": "%s", "new_text": "x\\n"}]}'


def refusal(report: EditReport) -> str:
    [outcome] = report.outcomes
    assert isinstance(outcome.error, InvalidInput), outcome.error
    return str(outcome.error)


def behind(work: Work, where: Path, said: str) -> Work:
    """The file a.py with attributes that are said somewhere, and a filter that git knows."""
    work.repo.git("config", "filter.up.clean", "tr a-z A-Z")
    work.repo.git("config", "filter.up.smudge", "tr A-Z a-z")
    where.parent.mkdir(parents=True, exist_ok=True)
    where.write_text(f"a.py {said}\n")
    return work


WHERE = {
    "of the tree": lambda repo: repo.path / ".gitattributes",
    "of the repository": lambda repo: repo.path / ".git" / "info" / "attributes",
    "of a file that settings name": lambda repo: repo.path.parent / "named",
    "of a file that settings of the worktree name": lambda repo: repo.path.parent / "named",
}


@pytest.mark.parametrize("said", ["filter=up", "working-tree-encoding=UTF-16"])
@pytest.mark.parametrize("where", list(WHERE))
def test_an_edit_behind_a_filter_is_refused(work: Work, where: str, said: str) -> None:
    place = WHERE[where](work.repo)
    if "worktree" in where:
        work.repo.git("config", "extensions.worktreeConfig", "true")
    if "settings" in where:
        scope = ("--worktree",) if "worktree" in where else ()
        work.repo.git("config", *scope, "core.attributesFile", str(place))
    before = behind(work, place, said).repo.read("a.py")
    assert said.partition("=")[2] in refusal(work.desk.edit(replacing("line 3", "LINE 3")))
    assert work.repo.read("a.py") == before
    assert work.desk.edit(replacing("line 3", "LINE 3", "b.py")).ok


def test_a_new_file_behind_a_filter_is_refused(work: Work) -> None:
    work.repo.write(".gitattributes", "*.bin filter=up\n")
    assert "goes through the filter up" in refusal(work.desk.edit(CREATE % "new.bin"))
    assert not (work.repo.path / "new.bin").exists()


def test_apply_calls_what_a_filter_makes_no_uncommitted_change(work: Work) -> None:
    behind(work, work.repo.path / ".gitattributes", "filter=up")
    work.repo.git("add", "--renormalize", ".")
    work.repo.commit({}, "Filter")
    args = ("--file", "a.py", "--old", "line 3\n", "--new", "x\n")
    result = run("apply", *args, cwd=work.repo.path)
    assert result.code == 4
    assert "goes through the filter up" in result.err
    assert "uncommitted" not in result.err


@pytest.fixture
def sparse(repo: Repo) -> Repo:
    repo.commit({"in/a": "1\n2\n", "out/b": "1\n2\n"}, "Begin")
    repo.git("sparse-checkout", "set", "in")
    return repo


@pytest.mark.parametrize(
    "spec", [replacing("2", "two", "out/b"), CREATE % "out/b"], ids=["edited", "created"]
)
def test_what_a_sparse_checkout_leaves_out_is_not_overwritten(sparse: Repo, spec: str) -> None:
    assert "not in this sparse checkout" in refusal(TextSession(sparse.path, "s").edit(spec))
    assert sparse.status() == []


def test_what_a_sparse_checkout_leaves_out_is_edited_as_is_said(sparse: Repo) -> None:
    result = run("read", "out/b", cwd=sparse.path)
    assert result.code == 4
    assert "not in this sparse checkout" in result.err
    read = run("read", "--rev", "HEAD", "out/b", "--json", cwd=sparse.path).json()
    expect = ("--expect", f"out/b:1-2={read['range_hash']}")
    edit = ("--file", "out/b", "--old", "2\n", "--new", "two\n")
    assert run("apply", *edit, *expect, cwd=sparse.path).code == 0
    assert sparse.show("HEAD", "out/b") == b"1\ntwo\n"
    assert sparse.status() == []
    sparse.git("sparse-checkout", "add", "out")
    assert TextSession(sparse.path, "s").edit(replacing("two", "2", "out/b")).ok
    assert sparse.status() == [" M out/b"]
