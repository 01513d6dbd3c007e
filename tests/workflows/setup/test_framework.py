"""`hkgit init` where the pre-commit framework has the hooks: a few lines in its configuration."""

from __future__ import annotations

import pytest

from hkgit.gate.entrypoints.hook_scripts import HOOKS
from hkgit.workflows.framework_hooks import render_block
from tests.support.commands import hkgit, start
from tests.support.repos import Repo
from tests.workflows.setup.initiating import files_of, init_steps

YAML = ".pre-commit-config.yaml"

CONFIGS = [
    pytest.param(b"repos:\n- repo: meta\n  hooks:\n  - id: identity\n", id="flush"),
    pytest.param(b"repos:\n  - repo: meta\n    hooks: [{id: identity}]\n", id="indented"),
    pytest.param(
        b"# Ours\n\nfail_fast: true\nrepos:   # all\n\n    # first\n    - repo: meta\n"
        b"      hooks:\n        - id: identity   # \xc3\xa9\n\nexclude: ^docs/",
        id="comments, blank lines, no line end at the end",
    ),
    pytest.param(b"repos:\r\n  - repo: meta\r\n    hooks:\r\n      - id: identity\r\n", id="CRLF"),
    pytest.param(
        b"default_install_hook_types: [pre-commit]\nrepos:\n  -\n    repo: meta\n"
        b"    hooks:\n      - id: identity\n",
        id="hook types of its own",
    ),
]


EMPTY = [
    pytest.param(b"fail_fast: true\nrepos: []  # none yet\nexclude: ^docs/\n", id="an empty list"),
    pytest.param(b"repos: []\r\n", id="an empty list, CRLF"),
]


@pytest.mark.parametrize("config", [*CONFIGS, *EMPTY])
def test_remove_gives_the_configuration_back_byte_for_byte(repo: Repo, config: bytes) -> None:
    repo.write(YAML, config)
    before = files_of(repo)
    hkgit(repo, "init")
    assert repo.read(YAML) != config

    hkgit(repo, "init", "--remove")

    assert files_of(repo) == before


@pytest.mark.sampled
@pytest.mark.parametrize("config", [*CONFIGS, *EMPTY])
def test_the_configuration_that_init_leaves_is_valid(repo: Repo, config: bytes) -> None:
    repo.write(YAML, config)
    hkgit(repo, "init")

    done = start("pre-commit", "validate-config", cwd=repo.path)

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("config", CONFIGS)
def test_every_line_of_the_configuration_stays_in_its_order(repo: Repo, config: bytes) -> None:
    repo.write(YAML, config)

    hkgit(repo, "init")

    lines = iter(repo.read(YAML).splitlines(keepends=True))
    assert all(line in lines for line in config.splitlines(keepends=True))


@pytest.mark.parametrize("config", [*CONFIGS, *EMPTY])
def test_init_twice_changes_no_configuration(repo: Repo, config: bytes) -> None:
    repo.write(YAML, config)
    hkgit(repo, "init")
    before = files_of(repo)

    assert set(init_steps(repo).values()) == {"kept"}
    assert files_of(repo) == before


def test_init_asks_the_framework_for_no_stage_but_pre_commit(repo: Repo) -> None:
    repo.write(YAML, "repos:\n- repo: meta\n  hooks: [{id: identity}]\n")

    said = hkgit(repo, "init")

    assert "next    run: pre-commit install\n" in said
    written = [name for name in files_of(repo) if name.startswith(".git/hooks/")]
    names = ["pre-commit.hkgit" if name == "pre-commit" else name for name in HOOKS]
    assert sorted(written) == sorted(f".git/hooks/{name}" for name in names)


@pytest.mark.parametrize(
    "config",
    [
        pytest.param('{"repos": [{"repo": "meta"}]}\n', id="JSON"),
        pytest.param("fail_fast: true\n", id="no list"),
    ],
)
def test_a_configuration_that_cannot_be_added_to_is_left_and_the_lines_are_said(
    repo: Repo, config: str
) -> None:
    repo.write(YAML, config)

    said = hkgit(repo, "init", code=7)

    assert repo.read(YAML) == config.encode()
    assert "- {id: hkgit-gate, " in said


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param("repo: https://a.example/x\n  rev: v1\n  hooks: [{id: hkgit-gate}]", id="id"),
        pytest.param(
            "repo: local\n  hooks: [{id: x, name: x, entry: hkgit gate, language: system}]",
            id="call",
        ),
    ],
)
def test_a_configuration_that_runs_the_gate_already_is_left_alone(repo: Repo, entry: str) -> None:
    config = f"repos:\n- {entry}\n"
    repo.write(YAML, config)

    assert init_steps(repo)[YAML] == "kept"
    assert repo.read(YAML) == config.encode()


def test_lines_between_the_markers_that_were_changed_are_left_and_said(repo: Repo) -> None:
    repo.write(YAML, "repos:\n- repo: meta\n  hooks: [{id: identity}]\n")
    hkgit(repo, "init")
    changed = repo.read(YAML).replace(b"name: hkgit", b"name: the gate")
    repo.write(YAML, changed)

    said = hkgit(repo, "init", "--remove")

    assert f"kept    {YAML}: the lines between its markers are yours" in said
    assert b"name: the gate" in repo.read(YAML)


def test_lines_of_another_version_are_renewed_and_taken_back(repo: Repo) -> None:
    theirs = "repos:\n  - repo: meta\n    hooks: [{id: identity}]\n"
    block = render_block("- repo: local\n  hooks: [{id: hkgit-gate}]\n", "  ", "\n")
    older = theirs.replace("repos:\n", f"repos:\n{block}", 1)
    repo.write(YAML, older)

    assert init_steps(repo)[YAML] == "wrote"
    assert repo.read(YAML).count(b"hkgit-gate") == 1
    assert b"pre-commit.hkgit" in repo.read(YAML)

    repo.write(YAML, older)
    hkgit(repo, "init", "--remove")
    assert repo.read(YAML).decode() == theirs
