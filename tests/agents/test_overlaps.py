"""Two sessions write one file before the hook of either: none claims what may be another's."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.agents.begun_calls import LASTS
from hkgit.applying.planner import Options
from hkgit.sessions.edit_session import EditSession
from tests.agents.streaming import Talk, change
from tests.agents.two_sessions import added
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import preload_hooks

TEXT = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.init(tmp_path_factory.mktemp("governed") / "repo")
    run("init", cwd=repo.path)
    preload_hooks(repo)
    repo.commit({"x.py": TEXT.encode()})
    return repo


@pytest.fixture
def shared(template: Repo, tmp_path: Path) -> Repo:
    """A governed checkout in which two conversations have read one file."""
    repo = template.copy(tmp_path / "repo")
    for name in ("one", "two"):
        Talk(repo.path, name).read("x.py")
    return repo


def _begin(repo: Repo, name: str, pair: tuple[str, str]) -> Callable[..., str]:
    """Tell of an edit that a session begins; what tells of its end."""
    return Talk(repo.path, name).begin_edit("x.py", *pair)


def _write(repo: Repo, *pairs: tuple[str, str]) -> None:
    change(repo.path / "x.py", *pairs)


def _judge(repo: Repo) -> str:
    repo.git("commit", "-qam", "Both")
    judged = run("gate", "--range", "HEAD~1..HEAD", cwd=repo.path)
    assert judged.code == 0, judged.out
    return judged.out


FIRST, SECOND = ("a = 1", "a = 10"), ("d = 4", "d = 40")
BOTH = {"claude-one": {"a = 10"}, "claude-two": {"d = 40"}}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["in order", "the later one first"])
@pytest.mark.parametrize(
    ("pre", "recorded"),
    [("both before", {}), ("between", {"claude-two": {"d = 40"}}), ("after", BOTH)],
)
def test_of_two_edits_at_once_that_is_recorded_which_alone_leads_there(
    pre: str, recorded: dict[str, set[str]], order: tuple[int, int], shared: Repo
) -> None:
    """Of the other it is told at once how it is committed."""
    shared.commit({".hkgit/config.toml": '[gate]\naccept = ["hash", "receipt", "late"]\n'})
    said = []
    one = _begin(shared, "one", FIRST)
    if pre != "both before":
        _write(shared, FIRST)
    if pre == "after":
        order = (1, 1)
        said.append(one())
    two = _begin(shared, "two", SECOND)
    _write(shared, *((FIRST, SECOND) if pre == "both before" else (SECOND,)))
    said += [(one, two)[at]() for at in order]
    assert added(shared) == recorded
    lost = [each for each in said if "x.py: was changed by another session" in each]
    assert len(lost) == 2 - len(recorded)
    assert all("redo -m MESSAGE :/x.py" in each for each in lost)


def test_an_edit_begins_with_what_another_has_recorded_meanwhile(shared: Repo) -> None:
    ends = _begin(shared, "one", FIRST), _begin(shared, "two", SECOND)
    for end, pair in zip(ends, (FIRST, SECOND), strict=True):
        _write(shared, pair)
        end()
    assert added(shared) == BOTH


def test_what_a_person_changes_between_two_calls_of_a_session_is_of_neither(shared: Repo) -> None:
    one = _begin(shared, "one", FIRST)
    _write(shared, ("e = 5", "e = 50"))
    two = _begin(shared, "one", SECOND)
    _write(shared, SECOND)
    two()
    _write(shared, FIRST)
    one()
    assert added(shared) == {"claude-one": {"a = 10", "d = 40"}}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["in order", "the later one first"])
def test_an_edit_on_top_of_anothers_whole_file_is_nobodys(
    order: tuple[int, int], shared: Repo
) -> None:
    path = str(shared.path / "x.py")
    one = Talk(shared.path, "one").begin("Write", file_path=path, content="k = 1\nl = 2\n")
    two = _begin(shared, "two", ("l = 2", "l = 20"))
    (shared.path / "x.py").write_text("k = 1\nl = 20\n", newline="")
    said = [(one, two)[at]() for at in order]
    assert all("x.py: was changed by another session in the meantime" in each for each in said)
    assert added(shared) == {}


def test_what_no_call_explains_is_claimed_by_none(shared: Repo) -> None:
    """Two edits, and a formatter that has changed the lines of both: whose they are is not told."""
    one, two = _begin(shared, "one", FIRST), _begin(shared, "two", SECOND)
    _write(shared, ("a = 1", "a=10"), ("d = 4", "d=40"))
    one()
    two()
    assert added(shared) == {}
    shared.git("add", "x.py")
    _begin(shared, "one", ("e = 5", "e = 50"))()  # no edit: nothing is made up
    assert added(shared) == {}


def test_of_a_call_that_failed_nothing_is_claimed(shared: Repo) -> None:
    """Its hook runs all the same; what stands there another session has written."""
    one, two = _begin(shared, "one", FIRST), _begin(shared, "two", SECOND)
    _write(shared, SECOND)
    one()
    two()
    assert added(shared) == {"claude-two": {"d = 40"}}
    assert "verdict strict" in _judge(shared)


def test_an_edit_of_hkgits_tool_meanwhile_stays_that_sessions(shared: Repo) -> None:
    one = _begin(shared, "one", FIRST)
    _write(shared, FIRST)
    other = EditSession.open(shared.path, "by-hkgit")
    text = json.dumps({"file_path": "x.py", "old_string": "d = 4", "new_string": "d = 40"})
    assert other.edit_all([other.parse(text, "text-editor")], Options()).ok
    assert "by-hkgit" in one()
    assert added(shared) == {"by-hkgit": {"d = 40"}}


def test_what_another_session_writes_within_moments_is_no_formatters(shared: Repo) -> None:
    one = _begin(shared, "one", FIRST)
    _write(shared, FIRST)
    one()
    two = _begin(shared, "two", SECOND)
    _write(shared, SECOND)
    _begin(shared, "one", ("e = 5", "e = 50"))  # settles what formatters have done since
    two()
    assert added(shared) == {"claude-one": {"a = 10"}, "claude-two": {"d = 40"}}


def test_what_somebody_changes_before_the_tool_reads_is_theirs(shared: Repo) -> None:
    """While a permission is asked for, say: Claude Code tells how its tool has found the file."""
    call = _begin(shared, "one", FIRST)
    _write(shared, SECOND)
    found = (shared.path / "x.py").read_text()
    _write(shared, FIRST)
    call({"originalFile": found})
    assert added(shared) == {"claude-one": {"a = 10"}}


@pytest.mark.parametrize("said", ["", "a = 10\n", TEXT, "d = 4\n"])
def test_an_original_that_does_not_lead_there_counts_for_nothing(said: str, shared: Repo) -> None:
    call = _begin(shared, "one", FIRST)
    _write(shared, ("a = 1", "a=10"))
    call({"originalFile": said})
    assert added(shared) == {"claude-one": {"a=10"}}


def test_a_copy_of_another_call_is_no_evidence(shared: Repo) -> None:
    """A call that failed leaves its copy; what a person writes then is no later call's work."""
    _begin(shared, "one", ("nowhere", "there"))
    _write(shared, SECOND)
    _write(shared, ("e = 5", "e=5"))
    given = {"file_path": str(shared.path / "x.py"), "old_string": "a = 1", "new_string": "a = 10"}
    Talk(shared.path, "one").tell("after", "Edit", **given)
    assert added(shared) == {}


def test_a_call_of_another_session_that_failed_is_in_the_way_for_a_while_only(
    shared: Repo,
) -> None:
    """No hook tells of its end; a formatter's work on an edit is recorded again after that."""
    _begin(shared, "two", ("nowhere", "there"))
    for copy in shared.path.glob(".git/hkgit/sessions/claude-two/aside/*.json"):
        long_ago = time.time() - LASTS - 10
        os.utime(copy, (long_ago, long_ago))
    one = _begin(shared, "one", FIRST)
    _write(shared, ("a = 1", "a=10"))
    one()
    assert added(shared) == {"claude-one": {"a=10"}}
