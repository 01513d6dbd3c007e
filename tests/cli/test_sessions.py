"""Sessions on the command line: read, edit, undo, apply, in the words that a user types."""

from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench

TEXT = "".join(f"line {number}\n" for number in range(1, 31))
EDIT = ("--file", "a.py", "--old", "line 5\n", "--new", "five\n")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    repo = Repo.init(tmp_path / "repo")
    repo.commit({"a.py": TEXT, "b.py": TEXT}, "Begin")
    return make_bench(repo, tmp_path)


@cases(
    "option, env",
    {
        "named by an option": (("--session", "s"), {}),
        "by a variable": ((), {"HKGIT_SESSION": "s"}),
    },
)
def test_a_read_in_a_session_is_evidence_for_its_edits(
    bench: Bench, option: tuple[str, ...], env: dict[str, str]
) -> None:
    assert bench.run("read", "a.py:3-8", *option, "--json", env=env).json()["has_receipt"]
    answer = bench.run("edit", *EDIT, *option, "--json", env=env).json()
    assert answer["edits"][0]["evidence"] == "receipt"
    assert (answer["call"], answer["blind"]) == ("1", [])


@pytest.mark.parametrize("name", ["lock", "under-way", "state", "waiting"])
def test_a_session_may_have_any_name(bench: Bench, name: str) -> None:
    for command in (("read", "a.py"), ("edit", *EDIT), ("undo",)):
        done = bench.run(*command, "--session", name)
        assert done.code == 0, done.err
    assert name in bench.run("session", "list").out


def test_an_edit_by_a_person_is_committed_as_any_change(bench: Bench) -> None:
    """Without a session hkgit keeps the way back, and asks nothing of the commit."""
    bench.run("init")
    bench.repo.git("add", ".hkgit")
    bench.repo.git("commit", "-qm", "Guard")
    done = bench.run("edit", *EDIT)
    assert done.code == 0
    assert done.err == ""
    bench.repo.git("commit", "-qam", "Spell five")
    assert bench.run("gate", "--range", "HEAD~1..HEAD").code == 0
    assert bench.repo.show("HEAD", "a.py").splitlines()[4] == b"five"
    assert bench.repo.status() == []


def test_the_command_that_mends_a_blind_edit_mends_it(bench: Bench) -> None:
    said = bench.run("edit", *EDIT, "--session", "s").err
    back, read = (each.split()[1:] for each in said.partition("Fix: ")[2].split(" && "))
    assert bench.run(*back).code == 0
    assert bench.run(*read).out.endswith("5| line 5\n")


@cases("name, code", {"a path": ("../x", 4), "nothing": ("", 4), "a blank": ("a b", 4)})
def test_names_of_sessions_lead_nowhere(bench: Bench, name: str, code: int) -> None:
    assert bench.run("edit", *EDIT, "--session", name).code == code


def test_undo_takes_back_a_call_without_a_session_too(bench: Bench) -> None:
    bench.run("edit", *EDIT)
    assert bench.run("undo", "--json").json()["files"] == ["a.py"]
    assert bench.repo.read("a.py") == TEXT.encode()
    result = bench.run("undo")
    assert (result.code, "no call that can be undone" in result.err) == (4, True)


def test_undo_where_later_work_is_in_the_way_is_a_conflict(bench: Bench) -> None:
    bench.run("edit", *EDIT, "--session", "s")
    bench.repo.write("a.py", TEXT.replace("line 5", "mine"))
    result = bench.run("undo", "--session", "s", "--json")
    assert (result.code, result.json()["status"]) == (3, "conflict")
    assert bench.repo.read("a.py") == TEXT.replace("line 5", "mine").encode()


def test_the_calls_that_can_be_undone_are_listed(bench: Bench) -> None:
    bench.run("read", "a.py", "--session", "s")
    bench.run("edit", *EDIT, "--session", "s", "--agent", "tester/1")
    bench.run("edit", "--file", "b.py", "--old", "line 5", "--new", "5", "--session", "s")
    listed = bench.run("undo", "--session", "s", "--list").out
    assert listed == "1  a.py  1 edit by tester/1\n2  b.py  1 edit by unknown, 1 blind\n"


def test_apply_takes_the_receipts_of_a_session(bench: Bench) -> None:
    bench.run("read", "a.py", "--session", "s")
    bench.run("read", "b.py", "--session", "s")
    bench.repo.write("b.py", "changed since\n")
    result = bench.run("apply", *EDIT, "--session", "s", "--json")
    assert result.json()["edits"][0]["evidence"] == "receipt"


def test_a_limit_says_where_to_go_on_to_the_end(bench: Bench) -> None:
    result = bench.run("read", "a.py", "--limit", "10")
    assert result.out.count("\n") == 11
    assert "lines 1-10 of 30; go on at a.py:11-" in result.err
    assert bench.run("read", "a.py:29-").out.splitlines()[1:] == ["29| line 29", "30| line 30"]


def test_doctor_tells_of_a_call_that_died_and_takes_it_back(bench: Bench) -> None:
    bench.run("edit", *EDIT, "--session", "s")
    home = bench.repo.path / ".git/hkgit/sessions"
    state = home / "s/state.json"
    state.write_text(state.read_text().replace('"last":1', '"last":0'))
    (home / ".under-way").write_text("s")
    bench.repo.write("b.py", TEXT)
    found = bench.run("doctor", "--json")
    told = {"name": "session", "what": "call 1 of session s died half-written"}
    assert (found.code, told in found.json()["checks"]) == (7, True)
    fixed = bench.run("doctor", "--fix", "--json")
    assert (fixed.code, fixed.json()["status"]) == (0, "well")


def test_who_edits_without_a_session_is_told_that_it_would_not_count(bench: Bench) -> None:
    refused = bench.run("edit", *EDIT, "--agent", "tester/1")
    assert (refused.code, "--agent needs --session" in refused.err) == (64, True)
    assert bench.repo.status() == []
