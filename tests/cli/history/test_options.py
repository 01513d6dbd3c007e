"""Columns, filters and schemas of `log`, `show`, `blame`, `stats`, on one history."""

import hashlib
import json
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hkgit.cli.schema import find_schema
from hkgit.edits import File
from hkgit.gate.policy.model import Policy
from tests.support.cases import cases
from tests.support.commits import applied, commit, joined, judge
from tests.support.orchard import Orchard
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo
from tests.support.running import Result, run

API = "src/orchard/api.py"


def hkgit(orchard: Orchard, *args: str, **env: str) -> Result:
    return run(*args, cwd=orchard.repo.path, env=env)


def log(orchard: Orchard, *args: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = hkgit(
        orchard, "log", "start..HEAD", "-n99", "--json", *args
    ).json()
    return listed


@pytest.mark.sampled
@cases(
    "args, subjects",
    {
        "an agent without its version": (
            ["--agent", "aider"],
            {"Tell the version", "Say which sort is missing"},
        ),
        "a glob, and a path": (["--agent", "aider/0.8*", API], {"Tell the version"}),
        "what it replays as": (["--agent", "gemini*", "--verdict", "mixed"], {"Skip empty crates"}),
        "no evidence": (["--verdict", "no evidence"], {"Answer the probe"}),
        "a verdict": (
            ["--verdict", "fail"],
            {
                "Answer the probe",
                "Skip empty crates",
                "Tell the version",
                "Say which sort is missing",
            },
        ),
        "a glob fits the whole author": (["--author", "mara@*"], set()),
        "an author": (["--author", "idris"], {"Nothing at all", "اشرح ما يباع"}),
        "since": (["--since", "2026-03-30T12:00Z"], {"Note review round 7"}),
        "until": (["--until", "2026-03-03T00:00Z"], {"Raise the tax to 7.5 %"}),
        "weak": (
            ["--weak"],
            {
                "Tell the version",
                "Say which sort is missing",
                "Skip empty crates",
                "Answer the probe",
            },
        ),
    },
)
def test_log_lists_what_is_asked_for(orchard: Orchard, args: list[str], subjects: set[str]) -> None:
    assert {each["subject"] for each in log(orchard, *args)} == subjects


def test_log_refuses_a_verdict_that_no_commit_can_have(orchard: Orchard) -> None:
    refused = hkgit(orchard, "log", "--verdict", "strikt")
    assert refused.code == 64
    assert "is not one of 'passes', 'fails', 'strict', " in refused.err


def test_log_follows_a_file_through_its_renames(orchard: Orchard) -> None:
    rows = hkgit(orchard, "log", "--follow", API, "--json").json()
    assert {"Begin", "Sell Santana"} <= {each["subject"] for each in rows}
    assert hkgit(orchard, "log", "--follow").code == 64


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("args", [["log", "start..HEAD"], ["stats", "start..HEAD"], ["blame", API]])
def test_rows_fit_the_terminal(orchard: Orchard, columns: int, args: list[str]) -> None:
    said = hkgit(orchard, *args, COLUMNS=str(columns)).out
    widths = [len(row) for row in said.splitlines()]
    assert max(widths) <= columns


def test_lines_that_no_entry_explains_are_weak(repo: Repo) -> None:
    """An agent's commit with an entry, and lines beside it: they pass for nobody's evidence."""
    repo.commit({"a.txt": "one\ntwo\nthree\n"}, "Begin")
    change = applied(repo, protocol(replace_range("a.txt", repo.read("a.txt"), 2, 2, "zwei")))
    change.files["a.txt"] = File(b"one\nzwei\nthree\nfour\n")
    commit(repo, change)
    rows = run("blame", "a.txt", "--json", cwd=repo.path).json()
    assert [row["weak"] for row in rows] == [False, False, False, True]
    assert rows[-1]["evidence"] == "unexplained"
    assert "unexplained" in run("blame", "a.txt", "--weak", cwd=repo.path).out
    stats = run("stats", "--json", cwd=repo.path).json()
    assert [row["weak"] for row in stats["by_agent"]] == [1]
    assert len(run("log", "--weak", "--json", cwd=repo.path).json()) == 1


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("log", ["log", "start..HEAD"]),
        ("show", ["show", "HEAD"]),
        ("show", ["show", "HEAD~16"]),
        ("blame", ["blame", API]),
        ("stats", ["stats", "start..HEAD"]),
        ("refusals", ["refusals"]),
        ("report", ["report", "start..HEAD"]),
        ("gate", ["verify", "start..HEAD"]),
        ("qa", ["qa", "start..HEAD"]),
    ],
)
def test_answers_fit_their_published_schemas(orchard: Orchard, name: str, args: list[str]) -> None:
    answer = json.loads(hkgit(orchard, *args, "--json").stdout)
    jsonschema.Draft202012Validator(find_schema(name)).validate(answer)


def test_nobody_is_known_by_an_entry_of_a_newer_hkgit(repo: Repo) -> None:
    repo.commit({"a.txt": "one\n"}, "Begin")
    newer = b'{"schema":99}\n'
    name = hashlib.sha256(newer).hexdigest()
    repo.commit({f".hkgit/ledger/{name[:2]}/{name[2:]}.json": newer, "a.txt": "two\n"}, "Later")
    [row] = run("log", "-n1", "--json", cwd=repo.path).json()
    assert (row["agents"], row["replay"]) == ([], "fail")
    jsonschema.Draft202012Validator(find_schema("log")).validate([row])
    lines = run("blame", "a.txt", "--json", cwd=repo.path).json()
    assert "by hand" not in str(lines)


SHALLOW = (
    "log",
    "stats",
    "blame a.txt",
    "show",
    "report HEAD~1..HEAD",
    "qa HEAD~1..HEAD",
    "attribution",
    "export --to ../tables",
    "sql 'select 1' HEAD~1..HEAD",
)


@pytest.mark.sampled
@pytest.mark.parametrize("words", SHALLOW)
def test_a_shallow_clone_is_said_to_be_one(repo: Repo, tmp_path: Path, words: str) -> None:
    args = shlex.split(words)
    for text in ("one\n", "two\n", "three\n"):
        repo.commit({"a.txt": text}, "Go on")
    place = tmp_path / "shallow"
    repo.git("clone", "-q", "--depth=2", repo.path.as_uri(), str(place))
    assert "this clone is shallow: git fetch --unshallow" in run(*args, cwd=place).err
    assert "shallow" not in run(*args, cwd=repo.path).err


def test_an_agent_of_two_entries_is_credited_once_whatever_its_case(repo: Repo) -> None:
    repo.commit({"a.txt": "one\ntwo\n", "b.txt": "one\n"}, "Begin")
    changes = []
    for agent, path in (("Robot/1", "a.txt"), ("robot/1", "b.txt")):
        change = applied(repo, protocol(replace_range(path, repo.read(path), 1, 1, "new")))
        change.entry["claims"]["agent"] = agent
        changes.append(change)
    commit(repo, joined(*changes))
    change = applied(repo, protocol(replace_range("a.txt", repo.read("a.txt"), 2, 2, "new")))
    change.entry["claims"]["agent"] = "ROBOT/1"
    commit(repo, change)
    stats = run("stats", "--json", cwd=repo.path).json()
    assert [(row["agent"], row["commits"]) for row in stats["by_agent"]] == [("robot", 2)]
    assert stats["agents"] == {"robot/1": 3}
    repo.git("reset", "-q", "--hard", "HEAD~1")
    [row] = run("log", "-n1", "--json", cwd=repo.path).json()
    assert [each.casefold() for each in row["agents"]] == ["robot/1"]
    for form in ("agent-trace", "assisted-by"):
        told = run("attribution", "HEAD", "--format", form, cwd=repo.path).out.splitlines()
        assert len(told) == 1, told
    log = run("attribution", "HEAD", "--format", "git-ai", cwd=repo.path).out
    assert len(json.loads(log.partition("---\n")[2])["sessions"]) == 1
    require = Policy(assisted_by="require")
    repo.git("commit", "-q", "--amend", "--no-edit", "--trailer", "Assisted-by: ROBOT/1")
    assert judge(repo, policy=require).passes
