"""The policy and the attributes that `hkgit init` writes, and those that were there."""

from __future__ import annotations

import tomllib
from pathlib import Path

from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.gate.policy.key_table import parse_policy
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import CONFIG
from hkgit.workflows.setup import POLICY, Action, plan_policy
from tests.support.cases import cases
from tests.support.commands import hkgit
from tests.support.repos import Repo
from tests.workflows.setup.initiating import files_of, init_steps


def test_the_policy_that_is_written_is_the_built_in_one() -> None:
    table = tomllib.loads(POLICY.decode())["gate"]
    assert parse_policy(table, CONFIG) == Policy(source=CONFIG)


def test_the_defaults_that_the_policy_shows_are_the_defaults() -> None:
    shown = POLICY.decode().partition("# The tiers of matching")[0]
    text = "\n".join(line.removeprefix("# ") for line in shown.splitlines() if " = " in line)
    table = tomllib.loads(text)
    assert len(table) == 5
    assert parse_policy(table, CONFIG) == Policy(source=CONFIG)


def test_the_examples_that_the_policy_shows_are_valid() -> None:
    shown = POLICY.decode().partition("# The tiers of matching")[2]
    marks = ("# tiers", "# since", "# [[", "# paths", "# names", "# keys")
    lines = (line.removeprefix("# ") for line in shown.splitlines() if line.startswith(marks))
    table = tomllib.loads("[gate]\n" + "\n".join(lines))["gate"]
    assert parse_policy(table, CONFIG).manual[0].names == ("Ada <ada@example.org>",)


@cases(
    "name, content",
    {
        "pyproject": ("pyproject.toml", '[tool.hkgit.gate]\ngovern = "all"\n'),
        "config": (CONFIG, '[gate]\ngovern = "all"\n'),
    },
)
def test_a_policy_that_is_there_is_left_alone(repo: Repo, name: str, content: str) -> None:
    path = repo.write(name, content)

    assert init_steps(repo)[name] == "kept"
    assert path.read_text() == content
    assert [name for name in ("pyproject.toml", CONFIG) if (repo.path / name).exists()] == [name]


def test_a_policy_that_cannot_be_read_stops_init_before_it_writes(repo: Repo) -> None:
    repo.write(CONFIG, "[gate]\nmode = 1\n")
    before = files_of(repo)

    hkgit(repo, "init", code=4)

    assert files_of(repo) == before


def test_remove_leaves_the_attributes_while_there_is_a_ledger(native: Repo) -> None:
    native.git("merge", "-q", "evidence")

    assert init_steps(native, "--remove")[ATTRIBUTES_PATH] == "kept"
    assert native.read(ATTRIBUTES_PATH) == ATTRIBUTES


def test_other_attributes_are_left_and_said(repo: Repo) -> None:
    repo.write(ATTRIBUTES_PATH, "* text\n")

    assert init_steps(repo, code=7)[ATTRIBUTES_PATH] == "blocked"
    assert repo.read(ATTRIBUTES_PATH) == b"* text\n"


def test_init_in_a_clone_with_autocrlf_knows_its_own_attributes(tmp_path: Path) -> None:
    place = tmp_path / ".hkgit" / ".gitattributes"
    place.parent.mkdir()
    place.write_bytes(ATTRIBUTES.replace(b"\n", b"\r\n"))
    step = next(each for each in plan_policy(tmp_path) if each.path == place)
    assert step.action is Action.KEPT
