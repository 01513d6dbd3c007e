"""Who is asked and what an answer is worth: committed, with evidence, and for its own place."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hkgit.audit.questions import answer_questions, collect_range
from hkgit.gate.entrypoints.hook_scripts import HOOKS
from hkgit.gate.policy import parse_policy
from hkgit.git.repository import Repository
from hkgit.text.tags import compute_tag
from hkgit.workflows.setup import install
from tests.gate.conflicts.conftest import FILE, Desk
from tests.support.commits import AGENT, judge
from tests.support.repos import Repo
from tests.support.running import Result, run
from tests.support.serving import preload_hooks
from tests.support.sessions import TextSession as Session


def refuse(desk: Desk, times: int, line: int = 10) -> None:
    for _ in range(times):
        assert not desk.apply(desk.replace(line, line, "x", "read"))


def answer(desk: Desk, name: str) -> Result:
    return run("consult", "answer", name, "--decision", "apply", "-m", "Go", cwd=desk.repo.path)


def answer_all(desk: Desk) -> None:
    for path in desk.consults:
        answer(desk, path.stem)


@pytest.mark.parametrize("is_known", [True, False], ids=["committed question", "new question"])
def test_where_everybody_is_governed_an_answer_passes(desk: Desk, is_known: bool) -> None:
    refuse(desk, 3)
    if is_known:
        desk.repo.commit({}, "Ask")
    install(Repository.discover(desk.repo.path), HOOKS)
    preload_hooks(desk.repo)
    config = '[gate]\ngovern = "all"\n'
    desk.repo.write(".hkgit/config.toml", config)
    desk.repo.git("add", ".hkgit/config.toml", ".hkgit/.gitattributes")
    desk.repo.git("commit", "-qm", "Govern all", "--no-verify")
    answered = answer(desk, desk.consults[0].stem)
    assert answered.code == 0, answered.err
    assert desk.repo.status() == [], answered.err
    gate = run("gate", "--range", "HEAD~1..HEAD", cwd=desk.repo.path)
    assert gate.code == 0
    assert (
        judge(
            desk.repo, policy=parse_policy({"govern": "all", "consult": {"require": True}}, "test")
        ).passes
    ) is True


ALL = parse_policy({"govern": "all"}, "test")


def test_an_agent_may_ask_and_not_answer(desk: Desk) -> None:
    refuse(desk, 3)
    desk.repo.commit({}, "Ask", f"--author={AGENT}")
    asked = judge(desk.repo, policy=ALL)
    answer_all(desk)
    desk.repo.git("commit", "-q", "--amend", "--no-edit", f"--author={AGENT}")
    assert asked.passes is True
    assert judge(desk.repo, policy=ALL).rule == "blind"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"a.py": "code\n"}, id="something else with it"),
        pytest.param({".hkgit/consult/x.json": "{}"}, id="no CONSULT"),
        pytest.param({".hkgit/consult/x.sh": "rm\n"}, id="another file"),
    ],
)
def test_only_consults_may_be_changed_so(desk: Desk, change: dict[str, str]) -> None:
    refuse(desk, 3)
    desk.repo.commit(change, "Ask")
    assert judge(desk.repo, policy=ALL).rule == "blind"


def in_session(repo: Repo, *args: str) -> Result:
    return run(*args, "--session", "task", "--agent", "codex/1", cwd=repo.path)


def edit_and_ask(desk: Desk) -> None:
    """Three stale edits of one verse, then a good one of another, and all of it staged."""
    install(Repository.discover(desk.repo.path), HOOKS)
    preload_hooks(desk.repo)
    refuse(desk, 3)
    run("read", FILE, "--session", "task", cwd=desk.repo.path)
    single = ("--file", FILE, "--old", "verse 30\n", "--new", "verse thirty\n")
    assert in_session(desk.repo, "edit", *single).code == 0
    desk.repo.git("add", "-A")


def test_a_question_may_be_taken_into_a_commit_of_edits(desk: Desk) -> None:
    edit_and_ask(desk)
    desk.repo.git("commit", "-qm", "Change", f"--author={AGENT}")
    gate = run("gate", "--range", "HEAD~1..HEAD", cwd=desk.repo.path)
    assert gate.code == 0, gate.out + gate.err
    assert "strict" in gate.out, gate.out + gate.err
    assert desk.repo.git("show", "--format=", "--name-only", "HEAD", "--", ".hkgit/consult")


@pytest.mark.parametrize("path", [".hkgit/consult/x.json", "other.txt"])
def test_what_is_no_question_stays_left_over(desk: Desk, path: str) -> None:
    edit_and_ask(desk)
    desk.repo.write(path, "{}\n")
    desk.repo.git("add", "-A")
    with pytest.raises(AssertionError, match="no entry accounts") as refused:
        desk.repo.git("commit", "-qm", "Change", f"--author={AGENT}")
    [reason] = [line for line in str(refused.value).splitlines() if "no entry accounts" in line]
    assert path in reason


def test_a_question_that_was_asked_is_not_taken_away(desk: Desk) -> None:
    refuse(desk, 3)
    desk.repo.commit({}, "Ask")
    desk.repo.git("rm", "-qr", ".hkgit/consult")
    desk.repo.commit({}, "Remove")
    assert judge(desk.repo, policy=ALL).rule == "blind"


def test_an_answer_that_is_refused_leaves_the_question_as_it_was(desk: Desk) -> None:
    refuse(desk, 3)
    desk.repo.write_hook("pre-commit", "exit 1")
    [question] = desk.consults
    before = question.read_bytes()
    assert answer(desk, question.stem).code == 7
    assert question.read_bytes() == before
    assert desk.repo.status() == ["?? .hkgit/consult/"]


def test_an_answer_that_nobody_committed_is_none(desk: Desk) -> None:
    refuse(desk, 3)
    [question] = desk.consults
    forged = json.loads(question.read_bytes())
    by = "Ada Tester <ada@example.org>"
    given = {"decision": "apply", "message": "", "by": by, "time": 1}
    forged |= {"state": "answered", "answer": given}
    question.write_text(json.dumps(forged))
    refuse(desk, 1)
    assert "decided" not in desk.said[0]
    assert run("consult", "list", "--open", cwd=desk.repo.path).out
    assert answer(desk, question.stem).code == 0


def test_a_conflict_that_goes_on_after_its_answer_asks_again(desk: Desk) -> None:
    refuse(desk, 3)
    answer_all(desk)
    refuse(desk, 2)
    assert len(desk.consults) == 1
    refuse(desk, 1)
    opened = run("consult", "list", "--open", cwd=desk.repo.path).out.splitlines()
    assert len(desk.consults) == 2
    assert len(opened) == 1
    assert len(desk.open) == 1


def test_nobody_is_asked_where_hkgit_was_never_set_up(desk: Desk) -> None:
    desk.repo.commit({".hkgit/config.toml": None}, "Remove")
    refuse(desk, 4)
    assert desk.consults == []
    assert len(desk.open) == 1


def test_neighbouring_lines_are_places_of_their_own(desk: Desk) -> None:
    changed = desk.repo.read(FILE).replace(b"verse 20\nverse 21\n", b"one\ntwo\n")
    desk.repo.commit({FILE: changed}, "Two verses")
    for line in (20, 21, 20, 21):
        refuse(desk, 1, line)
    assert [len(each.tries) for each in desk.open] == [2, 2]


def test_edits_of_one_spec_are_places_of_their_own(desk: Desk) -> None:
    changed = desk.repo.read(FILE).replace(b"verse 20\nverse 21\n", b"one\ntwo\n")
    desk.repo.commit({FILE: changed}, "Two verses")
    for _ in range(2):
        desk.apply(*(desk.replace(line, line, "x", "read") for line in (20, 21)))
    assert [len(each.tries) for each in desk.open] == [2, 2]


def tagged(line: str, new: str) -> str:
    """A hashline edit of the line that said so."""
    name = compute_tag(line.encode())
    return json.dumps({"path": FILE, "hash_start": name, "hash_stop": name, "content": new})


def test_every_tag_is_a_place_of_its_own(desk: Desk) -> None:
    changed = desk.repo.read(FILE)
    for number in (15, 25, 35):
        changed = changed.replace(b"verse %d\n" % number, b"other %d\n" % number)
    desk.repo.commit({FILE: changed}, "Three verses")
    session = Session.open(desk.repo.path, "task", agent="codex/1")
    for number in (15, 25, 35, 15):
        assert not session.edit(tagged(f"verse {number}", "x"), format="hashline").ok
    assert sorted(len(each.tries) for each in desk.open) == [1, 1, 2]


SEARCH = f"{FILE}\n<<<<<<< SEARCH\nverse 3\nverse 4x\n=======\nverse 3\nx\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(tagged("verse that never was", "x"), id="a tag that never was"),
        pytest.param(
            json.dumps(
                {
                    "path": FILE,
                    "hash_start": compute_tag(b"verse 9"),
                    "hash_stop": compute_tag(b"verse 3"),
                    "content": "x",
                }
            ),
            id="tags in the wrong order",
        ),
        pytest.param(SEARCH, id="a line that never was"),
        pytest.param(
            json.dumps(
                {
                    "version": "1",
                    "operations": [
                        {
                            "op": "delete_range",
                            "path": FILE,
                            "start_line": 900,
                            "end_line": 901,
                            "expected_hash": "0" * 64,
                        }
                    ],
                }
            ),
            id="lines that never were",
        ),
        pytest.param(
            json.dumps(
                {
                    "version": "1",
                    "operations": [
                        {
                            "op": "delete_range",
                            "path": "none.txt",
                            "start_line": 1,
                            "end_line": 1,
                            "expected_hash": "0" * 64,
                        }
                    ],
                }
            ),
            id="a file that never was",
        ),
    ],
)
def test_an_edit_that_is_wrong_by_itself_is_no_conflict(desk: Desk, text: str) -> None:
    session = Session.open(desk.repo.path, "task", agent="codex/1")
    assert not session.edit(text).ok
    assert desk.open == []


def test_what_only_the_session_has_seen_can_be_in_conflict(desk: Desk) -> None:
    session = Session.open(desk.repo.path, "task", agent="codex/1")
    desk.repo.write(FILE, desk.repo.read(FILE).replace(b"verse 20\n", b"draft\n"))
    session.read(FILE)
    desk.repo.git("checkout", "-q", FILE)
    assert not session.edit(tagged("draft", "x"), format="hashline").ok
    assert len(desk.open) == 1


def test_qa_sees_questions_that_are_not_committed(desk: Desk, tmp_path: Path) -> None:
    refuse(desk, 3)
    repository = Repository.discover(desk.repo.path)
    policy = parse_policy({}, "test")

    def facts(end: str) -> list[str]:
        asked = collect_range(repository, (), policy, end)
        return [fact.what for point in answer_questions(asked) for fact in point.facts]

    assert any("is not committed" in what for what in facts(desk.repo.head))
    assert facts(desk.repo.git("rev-parse", "HEAD~1")) == []
    shutil.rmtree(desk.repo.path / ".hkgit" / "consult")
    assert facts(desk.repo.head) == []
