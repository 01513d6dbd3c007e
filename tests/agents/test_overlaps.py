"""Calls of two sessions at once: each is recorded with what is surely its own, or nothing.

The commands are words of a program of one's own, which tell nothing; the test does their work. The
words of an edit say what is its own.
"""

import itertools
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hkgit.agents import shell_changes
from hkgit.agents.begun_calls import LASTS, BegunCall, find_lost, note_lost
from hkgit.agents.shown_readings import is_harmless
from hkgit.applying.planner import Options
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.homes import list_candidates
from tests.agents.streaming import Talk, change
from tests.agents.two_sessions import BOTH, FIRST, ONE, SECOND, TEXT, TWO, added, play, tell
from tests.support.cases import cases
from tests.support.commands import git, loaded_path
from tests.support.commits import TAKES_LATE
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import guard


@cases(
    "order, recorded",
    {
        "one after the other": ("1a12b2", BOTH),
        "the second within the first, which has written before": ("1a2b21", {}),
        "the second within the first, which writes after": ("12b2a1", {}),
        "the first has written when the second begins": ("1a2b12", {}),
        "the second writes when the first has ended": ("12a1b2", {}),
        "both at once": ("12ab12", {}),
        "both at once, ended the other way round": ("12ba21", {}),
    },
)
def test_each_command_is_recorded_with_what_is_surely_its_own(
    order: str, recorded: dict[str, set[str]], shared: Repo
) -> None:
    play(shared, order)
    assert added(shared) == recorded


def _interleave() -> Iterator[str]:
    for places_of_one in itertools.combinations(range(6), 3):
        one, two = iter("1a1"), iter("2b2")
        yield "".join(next(one if at in places_of_one else two) for at in range(6))


def test_in_no_order_is_anything_recorded_that_is_anothers(shared: Repo) -> None:
    """All orders, each with a file and two sessions of its own."""
    orders = [each for each in _interleave() if each.startswith("1")]
    shared.commit({f"{order}.py": TEXT for order in orders})
    told = ""
    for order in orders:
        own = {"1": ("one", ONE), "2": ("two", TWO)}
        begun: set[str] = set()
        for step in order:
            if step in "ab":
                change(shared.path / f"{order}.py", own["1" if step == "a" else "2"][1])
                continue
            stage = "after" if step in begun else "before"
            told += tell(shared, f"{own[step][0]}-{order}", stage, f"./{own[step][0]} {order}.py")
            begun.add(step)
    found = added(shared)
    wrong = {
        name: lines
        for name, lines in found.items()
        if not lines <= ({"a = 10"} if "one" in name else {"g = 60"})
    }
    assert wrong == {}
    assert len(found) >= 3
    for order in orders:  # what is recorded by nobody is told
        assert {f"claude-one-{order}", f"claude-two-{order}"} <= {*found} or f"{order}.py" in told


def test_the_model_is_told_which_files_are_nobodys(shared: Repo) -> None:
    tell(shared, "one", "before", "./one")
    tell(shared, "two", "before", "./two")
    change(shared.path / "x.py", ONE)
    tell(shared, "three", "before", "./three")
    change(shared.path / "y.py", TWO)
    said = tell(shared, "one", "after", "./one")
    assert added(shared) == {}
    assert "x.py, y.py: changed while this command ran and one of another session, " in said
    assert "claude-two" in said


@cases("command, recorded", {"it only looks": ("cat x.py", FIRST), "another": ("./two", {})})
def test_what_a_command_changes_while_another_runs(
    command: str, recorded: dict[str, set[str]], shared: Repo
) -> None:
    said = play(shared, "12a21", ("./one x.py", command))
    assert added(shared) == recorded
    assert ("another session" in said) != bool(recorded)


@pytest.mark.parametrize(
    "command",
    [
        "cat x.py",
        "sleep 600",
        "sed -n 1,5p x.py | head -3",
        "git log -3 2>/dev/null; grep -rn a . 2>&1 | wc -l",
        "bash -lc 'cat x.py && ls'",
        "git log --pretty=%h --oneline",
    ],
)
def test_a_command_that_only_looks_is_harmless(command: str) -> None:
    assert is_harmless(command)


@pytest.mark.parametrize(
    "command",
    [
        "cat x.py >y.py",
        "sed -i s/a/b/ x.py",
        "find . -name x.py -exec touch {} +",
        "git checkout x.py",
        "cat $(./two)",
        "sort -o x.py x.py",
        "bash -c './two'",
        "sed -n '1,2p;w y.py' x.py",
        "sed -n 1,2p x.py -i",
        """find . -e"xec" touch {} +""",
        "git grep -nO./two a",
        "git log --outp=x.py",
        "rg --hostname-bin=./two --hyperlink-format=file://{host}{path} a",
        "echo 'a",
    ],
)
def test_any_other_may_have_changed_what_changed_meanwhile(command: str) -> None:
    assert not is_harmless(command)


def test_a_command_that_never_ended_is_in_the_way_for_a_while_only(shared: Repo) -> None:
    play(shared, "2")
    for place in shared.path.glob(".git/hkgit/sessions/claude-two/aside/shell-*.json"):
        long_ago = time.time() - LASTS - 10
        os.utime(place, (long_ago, long_ago))
    play(shared, "1a1")
    assert added(shared) == FIRST


def test_files_that_come_and_go_meanwhile_are_nobodys(shared: Repo) -> None:
    for name in ("one", "two"):
        tell(shared, name, "before", f"./{name}")
    (shared.path / "y.py").unlink()
    shared.write("new.py", TEXT)
    assert "y.py, new.py: changed" in tell(shared, "one", "after", "./one")
    assert "y.py, new.py: changed" in tell(shared, "two", "after", "./two")
    assert added(shared) == {}


@pytest.mark.parametrize("order", [1, -1])
def test_of_the_notes_in_several_homes_the_latest_counts(order: int, shared: Repo) -> None:
    first, last = [*list_candidates(shared.path)][::order]
    for home, name in ((first, "claude-first"), (last, "claude-last")):
        home.mkdir(parents=True, exist_ok=True)
        note_lost(home / name, ["x.py"])
        time.sleep(0.005)
    assert find_lost(shared.path)["x.py"][1] == "claude-last"


def test_the_advice_commits_what_is_nobodys_with_evidence(shared: Repo) -> None:
    run("init", cwd=shared.path)
    shared.commit({"dir/z.py": TEXT, ".hkgit/config.toml": TAKES_LATE})
    tell(shared, "one", "before", "./one")
    change(shared.path / "x.py", ONE)
    tell(shared, "two", "before", "./two")
    change(shared.path / "x.py", TWO)
    (shared.path / "y.py").unlink()
    shared.write("new.py", TEXT)
    said = tell(shared, "one", "after", "./one")
    assert added(shared) == {}
    shared.git("add", "-A")
    agent = {"CLAUDECODE": "1"}
    assert git(shared, "commit", "-qm", "Both", env=agent)[0] is False
    advice = said.rpartition("run: ")[2].replace("MESSAGE", "Both")
    environment = os.environ | agent | loaded_path()
    subprocess.run(["sh", "-c", advice], cwd=shared.path / "dir", env=environment, check=True)
    judged = run("gate", "--range", "HEAD~1..HEAD", cwd=shared.path)
    assert judged.code == 0, judged.out
    assert "verdict strict" in judged.out


def test_no_command_is_advised_where_the_policy_takes_no_late_evidence(shared: Repo) -> None:
    tell(shared, "one", "before", "./one")
    change(shared.path / "x.py", ONE)
    tell(shared, "two", "before", "./two")
    change(shared.path / "x.py", TWO)
    said = tell(shared, "one", "after", "./one")
    assert "make the change again in a session that reads first" in said
    assert "redo" not in said


def test_sessions_that_have_recorded_nothing_since_are_not_read(
    shared: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checkouts have hundreds of them: each was read once for each file that had changed."""
    play(shared, "2b2")
    tell(shared, "one", "before", "./one")
    for name in ("m", "n"):
        shared.write(name, TEXT)
    loads: list[str] = []
    load = SessionJournal.load

    def count(journal: SessionJournal) -> SessionJournal:
        loads.append(journal.folder.name)
        return load(journal)

    monkeypatch.setattr(SessionJournal, "load", count)
    tell(shared, "one", "after", "./one")
    assert {*loads} == {"claude-one"}


@pytest.mark.parametrize(
    "command", ["cat >x.py <<'EOF'\na = 1\nEOF", "sed -i 's/a/z/' x.py", "./one"]
)
def test_what_changes_while_another_sessions_command_runs_is_nobodys(
    command: str, shared: Repo
) -> None:
    """Whatever the words of the command say."""
    tell(shared, "two", "before", "pytest")
    tell(shared, "one", "before", command)
    change(shared.path / "x.py", ONE)
    assert "not recorded: x.py" in tell(shared, "one", "after", command)
    tell(shared, "two", "after", "pytest")
    assert added(shared) == {}


def test_two_hooks_that_run_at_once_record_nothing_that_is_anothers(
    shared: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One ends between the looks of the other: at the files, and at who else is at work."""
    find_work = shell_changes.find_work

    def find_then_end_the_other(root: Path, call: BegunCall) -> shell_changes.ShellWork:
        work = find_work(root, call)
        if call.folder.name == "claude-one":
            tell(shared, "two", "after", "./two x.py")
        return work

    play(shared, "12ab")
    monkeypatch.setattr(shell_changes, "find_work", find_then_end_the_other)
    assert "another session, claude-two" in tell(shared, "one", "after", "./one x.py")
    assert added(shared) == {}


def edit(repo: Repo, stage: str) -> str:
    """Tell the hook of an edit by session two."""
    given = {"file_path": str(repo.path / "x.py"), "old_string": TWO[0], "new_string": TWO[1]}
    return Talk(repo.path, "two").tell(stage, "Edit", **given)


@cases(
    "order, recorded",
    {
        "at once": ("2ab21", {}),
        "at once, the command ends first": ("2ab12", {}),
        "the command has written before": ("a2b21", SECOND),
        "the command writes when the edit is recorded": ("2b2a1", SECOND),
    },
)
def test_an_edit_while_anothers_command_runs_is_the_edits(
    order: str, recorded: dict[str, set[str]], shared: Repo
) -> None:
    """Where its words lead to what stands there; what the command did is nobody's, and told."""
    command, said = "./one x.py", {"one": "", "two": ""}
    tell(shared, "one", "before", command)
    stages = iter(("before", "after"))
    for step in order:
        if step in "ab":
            change(shared.path / "x.py", ONE if step == "a" else TWO)
        elif step == "2":
            said["two"] = edit(shared, next(stages))
        else:
            said["one"] = tell(shared, "one", "after", command)
    assert added(shared) == recorded
    assert "not recorded: x.py: changed while this command ran and one of another" in said["one"]
    assert ("not recorded: x.py: was changed by another session" in said["two"]) != bool(recorded)


@cases(
    "command, recorded",
    {
        "which does not name the file": ("pytest", {"claude-two": {"g=60"}}),
        "which names the file": ("./one x.py", {}),
    },
)
def test_an_edit_that_is_formatted_while_anothers_command_runs(
    command: str, recorded: dict[str, set[str]], shared: Repo
) -> None:
    tell(shared, "one", "before", command)
    edit(shared, "before")
    change(shared.path / "x.py", (TWO[0], "g=60"))
    said = edit(shared, "after")
    advice = "make the change again in a session that reads first, or let a person commit it."
    assert said.endswith(advice) is (recorded == {})
    tell(shared, "one", "after", command)
    assert added(shared) == recorded


@pytest.mark.parametrize("command", ["pytest", "./one x.py"])
def test_what_comes_behind_anothers_edit_is_nobodys(command: str, shared: Repo) -> None:
    """It may be the work of a formatter that follows the edit."""
    tell(shared, "one", "before", command)
    edit(shared, "before")
    change(shared.path / "x.py", TWO)
    edit(shared, "after")
    change(shared.path / "x.py", ONE)
    assert "not recorded: x.py" in tell(shared, "one", "after", command)
    assert added(shared) == SECOND


@pytest.fixture
def both_read(shared: Repo) -> Repo:
    """Both conversations have read the file that they edit."""
    for name in ("one", "two"):
        Talk(shared.path, name).read("x.py")
    return shared


def _begin(repo: Repo, name: str, pair: tuple[str, str]) -> Callable[..., str]:
    """Tell of an edit that a session begins; what tells of its end."""
    return Talk(repo.path, name).begin_edit("x.py", *pair)


def _write(repo: Repo, *pairs: tuple[str, str]) -> None:
    change(repo.path / "x.py", *pairs)


@cases(
    "order, recorded",
    {
        "both begin before either writes": ("12ab12", {}),
        "the later one ends first": ("12ab21", {}),
        "the second begins when the first has written": ("1a2b12", SECOND),
        "and ends first": ("1a2b21", SECOND),
        "the second begins when the first has ended": ("1a12b2", BOTH),
        "the first is recorded before the second writes": ("12a1b2", BOTH),
        "the first fails, and its hook runs all the same": ("12b12", SECOND),
    },
)
def test_of_edits_at_once_that_is_recorded_which_alone_leads_there(
    order: str, recorded: dict[str, set[str]], both_read: Repo
) -> None:
    """Of the other it is told at once how it is committed; what is recorded has its evidence."""
    guard(both_read, {".hkgit/config.toml": TAKES_LATE})
    edits = {"1": ("one", ONE), "2": ("two", TWO)}
    ends: dict[str, Callable[..., str]] = {}
    said = []
    for step in order:
        if step in "ab":
            _write(both_read, ONE if step == "a" else TWO)
        elif step in ends:
            said.append(ends[step]())
        else:
            ends[step] = _begin(both_read, *edits[step])
    assert added(both_read) == recorded
    lost = [each for each in said if "x.py: was changed by another session" in each]
    assert len(lost) == 2 - len(recorded)
    assert all("redo -m MESSAGE :/x.py" in each for each in lost)
    if recorded == BOTH or "a" not in order:
        both_read.git("commit", "-qam", "Work")
        judged = run("gate", "--range", "HEAD~1..HEAD", cwd=both_read.path)
        assert "verdict strict" in judged.out


def test_what_a_person_changes_between_two_calls_of_a_session_is_of_neither(
    both_read: Repo,
) -> None:
    one = _begin(both_read, "one", ONE)
    _write(both_read, ("d = 3", "d = 30"))
    two = _begin(both_read, "one", TWO)
    _write(both_read, TWO)
    two()
    _write(both_read, ONE)
    one()
    assert added(both_read) == {"claude-one": {"a = 10", "g = 60"}}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["in order", "the later one first"])
def test_an_edit_on_top_of_anothers_whole_file_is_nobodys(
    order: tuple[int, int], both_read: Repo
) -> None:
    path = str(both_read.path / "x.py")
    one = Talk(both_read.path, "one").begin("Write", file_path=path, content="k = 1\nl = 2\n")
    two = _begin(both_read, "two", ("l = 2", "l = 20"))
    (both_read.path / "x.py").write_text("k = 1\nl = 20\n", newline="")
    said = [(one, two)[at]() for at in order]
    assert all("x.py: was changed by another session in the meantime" in each for each in said)
    assert added(both_read) == {}


def test_what_no_call_explains_is_claimed_by_none(both_read: Repo) -> None:
    """Two edits, and a formatter that has changed the lines of both: whose they are is not told."""
    one, two = _begin(both_read, "one", ONE), _begin(both_read, "two", TWO)
    _write(both_read, ("a = 0", "a=10"), ("g = 6", "g=60"))
    one()
    two()
    assert added(both_read) == {}
    both_read.git("add", "x.py")
    _begin(both_read, "one", ("d = 3", "d = 30"))()  # no edit: nothing is made up
    assert added(both_read) == {}


def test_an_edit_of_hkgits_tool_meanwhile_stays_that_sessions(both_read: Repo) -> None:
    one = _begin(both_read, "one", ONE)
    _write(both_read, ONE)
    other = EditSession.open(both_read.path, "by-hkgit")
    text = json.dumps({"file_path": "x.py", "old_string": "g = 6", "new_string": "g = 60"})
    assert other.edit_all([other.parse(text, "text-editor")], Options()).ok
    assert "by-hkgit" in one()
    assert added(both_read) == {"by-hkgit": {"g = 60"}}


def test_what_another_session_writes_within_moments_is_no_formatters(both_read: Repo) -> None:
    one = _begin(both_read, "one", ONE)
    _write(both_read, ONE)
    one()
    two = _begin(both_read, "two", TWO)
    _write(both_read, TWO)
    _begin(both_read, "one", ("d = 3", "d = 30"))  # settles what formatters have done since
    two()
    assert added(both_read) == BOTH


def test_what_somebody_changes_before_the_tool_reads_is_theirs(both_read: Repo) -> None:
    """While a permission is asked for, say: Claude Code tells how its tool has found the file."""
    call = _begin(both_read, "one", ONE)
    _write(both_read, TWO)
    found = (both_read.path / "x.py").read_text()
    _write(both_read, ONE)
    call({"originalFile": found})
    assert added(both_read) == FIRST


@pytest.mark.parametrize("said", ["", "a = 10\n", TEXT, "g = 6\n"])
def test_an_original_that_does_not_lead_there_counts_for_nothing(
    said: str, both_read: Repo
) -> None:
    call = _begin(both_read, "one", ONE)
    _write(both_read, ("a = 0", "a=10"))
    call({"originalFile": said})
    assert added(both_read) == {"claude-one": {"a=10"}}


def test_a_copy_of_another_call_is_no_evidence(both_read: Repo) -> None:
    """A call that failed leaves its copy; what a person writes then is no later call's work."""
    _begin(both_read, "one", ("nowhere", "there"))
    _write(both_read, TWO)
    _write(both_read, ("d = 3", "d=3"))
    given = {
        "file_path": str(both_read.path / "x.py"),
        "old_string": "a = 0",
        "new_string": "a = 10",
    }
    Talk(both_read.path, "one").tell("after", "Edit", **given)
    assert added(both_read) == {}


def test_a_call_of_another_session_that_failed_is_in_the_way_for_a_while_only(
    both_read: Repo,
) -> None:
    """No hook tells of its end; a formatter's work on an edit is recorded again after that."""
    _begin(both_read, "two", ("nowhere", "there"))
    for copy in both_read.path.glob(".git/hkgit/sessions/claude-two/aside/*.json"):
        long_ago = time.time() - LASTS - 10
        os.utime(copy, (long_ago, long_ago))
    one = _begin(both_read, "one", ONE)
    _write(both_read, ("a = 0", "a=10"))
    one()
    assert added(both_read) == {"claude-one": {"a=10"}}
