"""An edit refused again and again leaves a question; a person answers it, and its agent hears."""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hkgit.cli.schema import find_schema
from hkgit.dialects import parse
from hkgit.errors import InvalidInput
from hkgit.evidence.refusal_log import ASKED_AFTER, DECISIONS, Consult, Decision, RefusalLog
from hkgit.workflows.application import apply
from hkgit.workflows.target import ApplyRequest
from tests.support.entries import DIGEST
from tests.support.objects import open_repository
from tests.support.planning import replace_range
from tests.support.repos import Repo
from tests.support.running import Result, run
from tests.support.specs import protocol

FILE = "poem.txt"
POEM = b"".join(b"verse %d\n" % number for number in range(1, 41))
ADA = "Ada Tester <ada@example.org>"


@dataclass
class Desk:
    """An agent that edits a poem with `hkgit apply`, and what was said of conflicts last."""

    repo: Repo
    agent: str = "codex/1"
    said: list[str] = field(default_factory=list)

    def replace(self, start: int, end: int, new: str, rev: str = "HEAD") -> dict[str, object]:
        """An edit of the file's lines as a revision has them."""
        return replace_range(FILE, self.repo.show(rev, FILE), start, end, new)

    def spec(self, *operations: dict[str, object]) -> str:
        return protocol(*operations, agent=self.agent)

    def apply(self, *operations: dict[str, object]) -> bool:
        """Whether a spec lands."""
        spec = replace(parse(self.spec(*operations)), digest=DIGEST)
        request = ApplyRequest((spec,), agent=self.agent)
        result = apply(open_repository(self.repo), request)
        self.said = list(result.conflicts)
        return bool(result.landed)

    @property
    def consults(self) -> list[Consult]:
        return RefusalLog.of(self.repo.path / ".git").find_consults()


@pytest.fixture
def desk(repo: Repo) -> Desk:
    """The poem, and a line of it that somebody has changed since it was read."""
    repo.commit({FILE: POEM}, "Write")
    repo.git("tag", "read")
    repo.commit({FILE: POEM.replace(b"verse 10\n", b"verse ten\n")}, "Spell the tenth verse")
    repo.commit({"other.txt": "x\n"}, "Elsewhere")
    return Desk(repo)


def _refused(desk: Desk, times: int) -> None:
    for _ in range(times):
        assert not desk.apply(desk.replace(10, 10, "x", "read"))


def _answer(desk: Desk, *words: str, name: str = "Ada Tester", **more: str) -> Result:
    env = {"GIT_AUTHOR_NAME": name, "GIT_COMMITTER_NAME": name, **more}
    return run("consult", *words, cwd=desk.repo.path, env=env)


def _claims(desk: Desk) -> list[dict[str, Any]]:
    """The refusals that the entry of the last commit claims."""
    listed = desk.repo.git("show", "--format=", "--name-only", "HEAD", "--", ".hkgit/ledger")
    claims: dict[str, Any] = json.loads(desk.repo.show("HEAD", listed.strip()))["claims"]
    found: list[dict[str, Any]] = claims["refusals"]
    return found


def test_the_advice_after_so_many_tries_answers_the_question(desk: Desk) -> None:
    """The command is pasted as it was printed and decides nothing; one of those it shows does."""
    _refused(desk, 1)
    commit = desk.repo.git("rev-parse", "--short", "HEAD~1")
    assert desk.said == [f"{FILE}: last changed by {commit} Spell the tenth verse"]
    assert desk.consults == []
    _refused(desk, ASKED_AFTER - 1)
    [asked] = desk.consults
    assert desk.said[0].endswith(f"a person has to decide: hkgit consult {asked[0].id}")
    shown = _answer(desk, asked[0].id)
    assert desk.consults == [asked]
    pasted = re.findall(r"^ +hkgit consult (.*)$", shown.out, re.MULTILINE)
    assert pasted == [f"{asked[0].id} --decision {each}" for each in DECISIONS]
    answered = _answer(desk, *pasted[1].split(), "-m", "Not now")
    assert answered.code == 0, answered.err
    assert desk.consults[0][0].id == asked[0].id
    assert desk.consults[0][0].decided == Decision("drop", ADA, "Not now")
    _refused(desk, 1)
    assert desk.said[0].endswith(f"{ADA} decided: drop (Not now)")


def test_tries_with_edit_and_apply_count_together(desk: Desk) -> None:
    _refused(desk, 2)
    spec = desk.spec(desk.replace(10, 10, "x", "read"))
    said = run("edit", "-", cwd=desk.repo.path, stdin=spec.encode())
    assert said.code == 3
    assert "refused 3 times, so a person has to decide: hkgit consult " in said.err


def test_the_entry_that_lands_says_what_was_decided(desk: Desk) -> None:
    _refused(desk, 3)
    _answer(desk, desk.consults[0][0].id[:6], "--decision", "apply")
    assert desk.apply(desk.replace(10, 10, "x"))
    decided = {"decision": "apply", "by": ADA, "message": ""}
    assert [each["decided"] for each in _claims(desk)] == [decided] * 3
    assert desk.consults == []


def test_after_an_answer_as_many_tries_ask_again(desk: Desk) -> None:
    _refused(desk, 3)
    _answer(desk, desk.consults[0][0].id, "--decision", "rewrite")
    _refused(desk, 2)
    assert [each[0].decided is None for each in desk.consults] == [False]
    _refused(desk, 1)
    assert [each[0].decided is None for each in desk.consults] == [False, True]


ODD = {"time": "x", "agent": 5, "status": [], "tries": None, "decided": {"by": 1}, "landed": 0}


def test_what_is_damaged_in_the_record_is_left_out(desk: Desk) -> None:
    _refused(desk, 1)
    log = RefusalLog.of(desk.repo.path / ".git")
    [good] = log.read()
    said = json.loads(log.path.read_bytes())
    odd = [{key: value} for key, value in ODD.items()] + [{"time": 10**17}, {"time": -1}]
    lines = [json.dumps(said | {"id": f"{at}"} | each) for at, each in enumerate(odd)]
    log.path.write_text("\n".join([*lines, "[]", "5", "{", json.dumps(said), ""]))
    assert log.read() == [good]
    for command in ("refusals", "consult", "stats"):
        assert run(command, cwd=desk.repo.path).code == 0


NO_ANSWERS = {
    "no id": (["ffffff", "--decision", "drop"], "Ada", 4, "is not the id of a question"),
    "an agent": (
        ["{}", "--decision", "drop"],
        "Claude",
        4,
        "Claude <ada@example.org>: is an agent",
    ),
    "in an agent's shell": (["{}", "--decision", "drop"], "Ada", 4, "Claude Code: is an agent"),
    "no question": (["--decision", "drop"], "Ada", 64, "Name a question"),
    "no decision": (["{}", "--decision", "maybe"], "Ada", 64, "maybe"),
    "a reason for none": (["{}", "-m", "Not now"], "Ada", 64, "name the --decision as well"),
}


def test_what_is_no_answer_is_refused_and_a_question_is_answered_once(desk: Desk) -> None:
    _refused(desk, 3)
    asked = desk.consults[0][0].id
    for kind, (words, name, code, says) in NO_ANSWERS.items():
        shell = {"CLAUDECODE": "1"} if "shell" in kind else {}
        said = _answer(desk, *(each.format(asked) for each in words), name=name, **shell)
        assert said.code == code
        assert says in said.err
    assert desk.consults[0][0].decided is None
    assert [_answer(desk, asked, "--decision", "apply").code for _ in range(2)] == [0, 4]
    with pytest.raises(InvalidInput, match="was answered by Ada"):
        RefusalLog.of(desk.repo.path / ".git").decide(desk.consults[0], Decision("drop", ADA))


def test_other_refusals_ask_nobody(desk: Desk) -> None:
    wrong = json.dumps({"file": FILE, "old_text": "prose", "new_text": "x"})
    for _ in range(4):
        assert run("edit", "-", cwd=desk.repo.path, stdin=wrong.encode()).code != 0
    assert desk.consults == []
    assert run("consult", cwd=desk.repo.path).out == "nothing was asked here\n"


def test_questions_are_listed_and_shown(desk: Desk) -> None:
    _refused(desk, 3)
    listed = run("consult", cwd=desk.repo.path).out
    assert listed.endswith(f"  {FILE}  refused 3 times to codex/1  open\n")
    shown = run("consult", desk.consults[0][0].id, cwd=desk.repo.path).out
    assert shown.startswith(listed)
    assert shown.count("stale: ") == 3
    document = run("consult", "--json", cwd=desk.repo.path).json()
    assert [len(each["tries"]) for each in document["consults"]] == [3]
    refusals = run("refusals", "--json", cwd=desk.repo.path).json()
    Draft202012Validator(find_schema("refusals")).validate(refusals)
