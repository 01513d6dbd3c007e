"""After so many tries a person is asked, with all that they need; their answer is committed."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from hkgit.audit.reports.mending import mend
from hkgit.edits import File, MappingSnapshot
from hkgit.errors import InvalidInput
from hkgit.gate.conflicts.consulting import read_allowed_tries, read_consults_of
from hkgit.gate.policy import parse_policy
from hkgit.git.repository import Repository
from hkgit.text.schemas import load_schema
from tests.gate.conflicts.conftest import FILE, Desk
from tests.support.commits import AGENT, judge
from tests.support.keys import made_key
from tests.support.running import Result, run, script

REQUIRED = parse_policy({"consult": {"require": True}}, "test")


def _refused(desk: Desk, times: int) -> None:
    for _ in range(times):
        assert not desk.apply(desk.replace(10, 10, "x", "read"))


def _answer(desk: Desk, decision: str = "apply", name: str = "Ada Tester") -> Result:
    [consult] = desk.consults
    env = {"GIT_AUTHOR_NAME": name, "GIT_COMMITTER_NAME": name}
    return run(
        "consult",
        "answer",
        consult.stem,
        "--decision",
        decision,
        "-m",
        "Go on",
        cwd=desk.repo.path,
        env=env,
    )


@pytest.mark.parametrize(
    ("config", "tries"),
    [
        pytest.param(None, 3, id="three by default"),
        pytest.param("[consult]\nafter = 1\n", 1, id="as configured"),
    ],
)
def test_so_many_tries_make_a_consult(desk: Desk, config: str | None, tries: int) -> None:
    if config is not None:
        desk.repo.commit({".hkgit/config.toml": config}, "Configure")
    _refused(desk, tries - 1)
    assert desk.consults == []
    _refused(desk, 1)
    [consult] = desk.consults
    assert f"hkgit consult answer {consult.stem}" in desk.said[0]


def test_a_consult_holds_all_that_a_person_needs(desk: Desk) -> None:
    _refused(desk, 3)
    [path] = desk.consults
    document = json.loads(path.read_bytes())
    conflict = document["conflict"]
    assert document["state"] == "open"
    assert document["answer"] is None
    assert conflict["expected"]["text"] == "verse 10\n"
    assert conflict["found"]["text"] == "verse ten\n"
    assert '"new_lines": ["x"]' in conflict["edit"]
    assert [cause["subject"] for cause in document["between"]] == ["Spell the tenth verse"]
    assert len(conflict["tries"]) == 3


@pytest.mark.parametrize("is_answered", [False, True], ids=["open", "answered"])
def test_its_schema_is_published(desk: Desk, is_answered: bool) -> None:
    _refused(desk, 3)
    if is_answered:
        _answer(desk)
    [path] = desk.consults
    Draft202012Validator(load_schema("consult")).validate(json.loads(path.read_bytes()))


def test_further_tries_leave_it_as_it_is(desk: Desk) -> None:
    _refused(desk, 3)
    before = [path.read_bytes() for path in desk.consults]
    _refused(desk, 1)
    assert [path.read_bytes() for path in desk.consults] == before


def test_an_answer_is_a_commit_of_that_file_alone(desk: Desk) -> None:
    _refused(desk, 3)
    desk.repo.write("staged.txt", "x\n")
    desk.repo.git("add", "staged.txt")
    assert _answer(desk).code == 0
    [consult] = desk.consults
    name = consult.relative_to(desk.repo.path).as_posix()
    assert desk.repo.git("show", "--format=%s", "--name-only", "HEAD").split("\n\n") == [
        f"Answer CONSULT {consult.stem}: apply",
        name,
    ]
    assert desk.repo.status() == ["A  staged.txt"]


def test_it_is_answered_once(desk: Desk) -> None:
    _refused(desk, 3)
    assert [_answer(desk).code, _answer(desk, "drop").code] == [0, 4]


def test_an_agent_does_not_answer(desk: Desk) -> None:
    _refused(desk, 3)
    refused = _answer(desk, name="Claude")
    assert refused.code == 4
    assert "is an agent" in refused.err


def test_the_edit_that_lands_then_says_that_a_person_was_asked(desk: Desk) -> None:
    _refused(desk, 3)
    _answer(desk)
    assert desk.apply(desk.replace(11, 11, "x"))
    assert [(claim["tries"], claim["resolution"]) for claim in desk.claims] == [(3, "consulted")]


def _rules(desk: Desk) -> list[str]:
    return [finding.rule for finding in judge(desk.repo, policy=REQUIRED).findings]


def test_without_an_answer_it_does_not(desk: Desk) -> None:
    _refused(desk, 3)
    desk.repo.commit({}, "Ask")
    assert desk.apply(desk.replace(11, 11, "x"))
    assert [claim["resolution"] for claim in desk.claims] == ["reapplied"]


def test_a_try_after_the_answer_hears_of_it(desk: Desk) -> None:
    _refused(desk, 3)
    _answer(desk, "drop")
    _refused(desk, 1)
    assert desk.said[0].endswith("Ada Tester <ada@example.org> decided: drop")


def test_the_gate_names_the_command_that_lets_it_go_on(desk: Desk) -> None:
    _refused(desk, 3)
    [path] = desk.consults
    desk.apply(desk.replace(11, 11, "x"))
    command = mend(judge(desk.repo, policy=REQUIRED))
    assert f"hkgit consult answer {path.stem} --decision apply" in command
    found = {"PATH": os.pathsep.join((str(script("hkgit").parent), os.environ["PATH"]))}
    desk.repo.git("-c", f"alias.pasted=!{command.partition('  #')[0]}", "pasted", env=found)
    assert judge(desk.repo, policy=REQUIRED).passes
    assert b"verse 9\nx\nverse 11\n" in desk.repo.read(FILE)


def test_a_policy_may_want_an_answer_before_the_edit_goes_on(desk: Desk) -> None:
    _refused(desk, 3)
    assert desk.apply(desk.replace(11, 11, "x"))
    assert _rules(desk) == ["consult"]


def test_an_open_consult_holds_up_other_edits_of_its_file(desk: Desk) -> None:
    _refused(desk, 3)
    desk.repo.commit({}, "Ask")
    assert Desk(desk.repo, "aider/2").apply(desk.replace(30, 30, "y"))
    assert _rules(desk) == ["consult"]


def test_with_a_person_s_answer_it_passes(desk: Desk) -> None:
    _refused(desk, 3)
    _answer(desk)
    desk.apply(desk.replace(11, 11, "x"))
    assert _rules(desk) == []


def test_an_answer_that_an_agent_committed_is_none(desk: Desk) -> None:
    _refused(desk, 3)
    _answer(desk)
    desk.repo.git("commit", "-q", "--amend", "--no-edit", f"--author={AGENT}")
    desk.apply(desk.replace(11, 11, "x"))
    assert _rules(desk) == ["consult"]


@pytest.mark.parametrize(
    ("is_signed", "rules"),
    [pytest.param(True, [], id="signed"), pytest.param(False, ["consult"], id="not signed")],
)
def test_where_the_policy_has_the_role_its_key_signs_the_answer(
    desk: Desk, tmp_path: Path, is_signed: bool, rules: list[str]
) -> None:
    key = made_key(tmp_path / "key")
    desk.repo.git("config", "gpg.format", "ssh")
    desk.repo.git("config", "user.signingKey", str(key))
    desk.repo.git("config", "commit.gpgSign", str(is_signed).lower())
    _refused(desk, 3)
    _answer(desk)
    desk.apply(desk.replace(11, 11, "x"))
    signers = f"ada@example.org {key.with_suffix('.pub').read_text()}"
    policy = replace(REQUIRED, roles={"answer": ("ada@example.org",)}, signers=signers)
    assert [finding.rule for finding in judge(desk.repo, policy=policy).findings] == rules


def test_by_default_nobody_has_to_be_asked(desk: Desk) -> None:
    _refused(desk, 3)
    desk.apply(desk.replace(11, 11, "x"))
    assert judge(desk.repo).passes


@pytest.mark.parametrize(
    "after", ["0", "-1", "true", '"3"', "[]"], ids=["zero", "negative", "a flag", "text", "a list"]
)
def test_a_count_that_is_none_is_refused(after: str) -> None:
    config = File(f"[consult]\nafter = {after}\n".encode())
    with pytest.raises(InvalidInput, match=r"consult\.after"):
        read_allowed_tries(MappingSnapshot({".hkgit/config.toml": config}))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"conflict": {}}', id="half a record"),
        pytest.param(b"[" * 100_000, id="nested deep"),
        pytest.param(b" " * 2**21, id="huge"),
    ],
)
def test_a_file_that_is_no_consult_is_said_to_be_none(desk: Desk, data: bytes) -> None:
    commit = desk.repo.commit({".hkgit/consult/x.json": data}, "Forge")
    with pytest.raises(InvalidInput, match=r"consult/x\.json"):
        list(read_consults_of(Repository.discover(desk.repo.path), commit))
