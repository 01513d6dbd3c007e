"""`hkgit init`: what it writes, what it leaves alone, and that it takes back exactly its own."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from hkgit.git.hooks import HOOKS, MARK, script
from hkgit.policy import CONFIG, Policy, parse_policy
from hkgit.replay.added import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.setup.policy_file import POLICY
from tests.hooks.commands import git, hkgit, install_framework, start
from tests.repos import Repo

YAML = ".pre-commit-config.yaml"

CONFIGS = [
    pytest.param(b"repos:\n- repo: meta\n  hooks:\n  - id: identity\n", id="flush"),
    pytest.param(b"repos:\n  - repo: meta\n    hooks: [{id: identity}]\n", id="indented"),
    pytest.param(
        b"# Ours\n\nfail_fast: true\nrepos:   # all\n\n    # first\n    - repo: meta\n"
        b"      hooks:\n        - id: identity   # \xc3\xa9\n\nexclude: ^docs/",
        id="comments, blank lines, no line end at the end",
    ),
    pytest.param(
        b"repos:\r\n  - repo: meta\r\n    hooks:\r\n      - id: identity\r\n", id="CRLF"
    ),
    pytest.param(
        b"default_install_hook_types: [pre-commit]\nrepos:\n  -\n    repo: meta\n"
        b"    hooks:\n      - id: identity\n",
        id="hook types of its own",
    ),
]


def _files(repo: Repo) -> dict[str, bytes]:
    """Every file of the work tree, and every hook."""
    found = {}
    for path in sorted(repo.path.rglob("*")):
        name = path.relative_to(repo.path).as_posix()
        if path.is_file() and (not name.startswith(".git/") or name.startswith(".git/hooks/")):
            found[name] = path.read_bytes()
    return found


def _steps(repo: Repo, *args: str, code: int = 0) -> dict[str, str]:
    """What `hkgit init` did with each file."""
    document = json.loads(hkgit(repo, "init", "--json", *args, code=code))
    return {step["path"]: step["action"] for step in document["steps"]}


# Plain git hooks


def test_init_says_line_by_line_what_it_did(repo: Repo) -> None:
    assert hkgit(repo, "init") == (
        "wrote   .hkgit/config.toml: the policy: every default, explained\n"
        "wrote   .hkgit/.gitattributes: git keeps the ledger byte for byte\n"
        "wrote   .git/hooks/pre-commit\n"
        "wrote   .git/hooks/pre-merge-commit\n"
        "wrote   .git/hooks/prepare-commit-msg\n"
        "wrote   .git/hooks/commit-msg\n"
        "wrote   .git/hooks/post-commit\n"
        "wrote   .git/hooks/pre-push\n"
        "next    commit these files: the gate reads the policy from HEAD\n"
    )


def test_init_twice_changes_nothing(repo: Repo) -> None:
    hkgit(repo, "init")
    before = _files(repo)

    assert set(_steps(repo).values()) == {"kept"}
    assert _files(repo) == before


def test_remove_takes_back_exactly_what_init_wrote(repo: Repo) -> None:
    repo.write_hook("post-commit", "true")
    before = _files(repo)
    hkgit(repo, "init")

    hkgit(repo, "init", "--remove")

    assert _files(repo) == before
    assert not (repo.path / ".hkgit").exists()


def test_remove_without_init_has_nothing_to_do(repo: Repo) -> None:
    assert hkgit(repo, "init", "--remove") == "nothing to do\n"


def test_init_below_the_root_sets_up_the_root(repo: Repo) -> None:
    below = repo.write("src/app.py", "").parent

    assert start("hkgit", "init", cwd=below).returncode == 0

    assert (repo.path / CONFIG).exists()


def test_init_in_a_linked_worktree_installs_the_hooks_of_the_repository(repo: Repo) -> None:
    repo.commit({"a": "a\n"})
    repo.git("worktree", "add", "-q", "../linked")

    hkgit(Repo(repo.path.parent / "linked"), "init")

    assert (repo.path / ".git/hooks/pre-commit").exists()


def test_one_hook_may_be_named(repo: Repo) -> None:
    steps = _steps(repo, "--hook", "commit-msg")

    assert [name for name in steps if "hooks/" in name] == [".git/hooks/commit-msg"]


@pytest.mark.parametrize("name", ["pre-commit", "pre-merge-commit", "commit-msg"])
def test_a_hook_of_somebody_else_stays_and_its_owner_is_told_the_line(
    repo: Repo, name: str
) -> None:
    hook = repo.write_hook(name, "echo mine")
    before = hook.read_bytes()

    said = hkgit(repo, "init", code=7)

    assert hook.read_bytes() == before
    assert f"blocked .git/hooks/{name}: it is not hkgit's; add this line to it: hkgit " in said


def test_the_line_that_is_told_makes_the_hook_a_gate(repo: Repo) -> None:
    hook = repo.write_hook("pre-commit", "true")
    line = hkgit(repo, "init", code=7).partition("add this line to it: ")[2].splitlines()[0]
    hook.write_text(f"{hook.read_text()}{line}\necho went on\n")
    repo.write("a", "a\n")
    repo.git("add", "a")

    done, said = git(repo, "commit", "-m", "Blind", env={"GIT_AUTHOR_NAME": "claude"})

    assert not done
    assert "went on" not in said


def test_the_other_hooks_are_installed_beside_that_of_somebody_else(repo: Repo) -> None:
    repo.write_hook("pre-commit", "echo mine")

    assert _steps(repo, code=7)[".git/hooks/commit-msg"] == "wrote"


def test_a_hook_of_somebody_else_that_calls_the_gate_is_fine(repo: Repo) -> None:
    repo.write_hook("pre-commit", "echo mine\nhkgit gate --staged || exit 1")

    assert _steps(repo)[".git/hooks/pre-commit"] == "kept"


def test_a_pre_push_hook_of_somebody_else_stays_and_is_no_failure(repo: Repo) -> None:
    repo.write_hook("pre-push", 'git lfs pre-push "$@"')

    assert _steps(repo)[".git/hooks/pre-push"] == "kept"


def test_a_link_in_place_of_a_hook_is_not_followed(repo: Repo) -> None:
    target = repo.write("hooks/pre-commit", script("pre-commit"))
    link = repo.path / ".git/hooks/pre-commit"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)

    hkgit(repo, "init")

    assert link.is_symlink()
    assert target.read_bytes() == script("pre-commit")


def test_an_own_hook_that_is_not_executable_is_mended(repo: Repo) -> None:
    hkgit(repo, "init")
    hook = repo.path / ".git/hooks/commit-msg"
    hook.chmod(0o644)

    hkgit(repo, "init")

    assert hook.stat().st_mode & 0o111


def test_remove_leaves_a_hook_that_was_changed(repo: Repo) -> None:
    hkgit(repo, "init")
    hook = repo.path / ".git/hooks/pre-commit"
    hook.write_text(hook.read_text() + "npm test\n")

    assert _steps(repo, "--remove")[".git/hooks/pre-commit"] == "kept"
    assert hook.exists()


def test_remove_finds_the_hooks_that_the_framework_moved_aside(repo: Repo) -> None:
    hkgit(repo, "init")
    install_framework(repo)

    hkgit(repo, "init", "--remove")

    assert not list((repo.path / ".git/hooks").glob("*.legacy"))


# Where the hooks are


@pytest.mark.parametrize("where", [".githooks", "absolute"])
def test_the_repositorys_hooks_path_is_respected(repo: Repo, where: str) -> None:
    directory = repo.path.parent / "hooks" if where == "absolute" else repo.path / where
    repo.git("config", "core.hooksPath", str(directory) if where == "absolute" else where)

    hkgit(repo, "init")

    assert sorted(path.name for path in directory.iterdir()) == sorted(HOOKS)


def test_hooks_that_all_of_somebodys_repositories_run_are_not_written(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "everywhere"
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\n    hooksPath = {shared.as_posix()}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))

    said = hkgit(repo, "init", code=7)

    assert "every repository of yours uses it; add this line to it: hkgit gate" in said
    assert not shared.exists()


# The policy


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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("pyproject.toml", '[tool.hkgit.gate]\ngovern = "all"\n', id="pyproject"),
        pytest.param(CONFIG, '[gate]\ngovern = "all"\n', id="config"),
    ],
)
def test_a_policy_that_is_there_is_left_alone(repo: Repo, name: str, content: str) -> None:
    path = repo.write(name, content)

    assert _steps(repo)[name] == "kept"
    assert path.read_text() == content
    assert [name for name in ("pyproject.toml", CONFIG) if (repo.path / name).exists()] == [name]


def test_a_policy_that_cannot_be_read_stops_init_before_it_writes(repo: Repo) -> None:
    repo.write(CONFIG, "[gate]\nmode = 1\n")
    before = _files(repo)

    hkgit(repo, "init", code=4)

    assert _files(repo) == before


def test_remove_leaves_a_policy_that_was_changed(repo: Repo) -> None:
    hkgit(repo, "init")
    repo.write(CONFIG, POLICY + b'govern = "all"\n')

    assert _steps(repo, "--remove")[CONFIG] == "kept"
    assert (repo.path / CONFIG).exists()


def test_remove_leaves_the_attributes_while_there_is_a_ledger(native: Repo) -> None:
    native.git("merge", "-q", "evidence")

    assert _steps(native, "--remove")[ATTRIBUTES_PATH] == "kept"
    assert native.read(ATTRIBUTES_PATH) == ATTRIBUTES


def test_other_attributes_are_left_and_said(repo: Repo) -> None:
    repo.write(ATTRIBUTES_PATH, "* text\n")

    assert _steps(repo, code=7)[ATTRIBUTES_PATH] == "blocked"
    assert repo.read(ATTRIBUTES_PATH) == b"* text\n"


# The pre-commit framework


@pytest.mark.parametrize("config", CONFIGS)
def test_remove_gives_the_configuration_back_byte_for_byte(repo: Repo, config: bytes) -> None:
    repo.write(YAML, config)
    before = _files(repo)
    hkgit(repo, "init")
    assert repo.read(YAML) != config

    hkgit(repo, "init", "--remove")

    assert _files(repo) == before


@pytest.mark.parametrize("config", CONFIGS)
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


@pytest.mark.parametrize("config", CONFIGS)
def test_init_twice_changes_no_configuration(repo: Repo, config: bytes) -> None:
    repo.write(YAML, config)
    hkgit(repo, "init")
    before = _files(repo)

    assert set(_steps(repo).values()) == {"kept"}
    assert _files(repo) == before


def test_init_leaves_the_hooks_to_the_framework_and_says_how_to_install_them(repo: Repo) -> None:
    repo.write(YAML, "repos:\n- repo: meta\n  hooks: [{id: identity}]\n")

    said = hkgit(repo, "init")

    command = " ".join(["pre-commit install", *(f"-t {name}" for name in HOOKS)])
    assert f"next    run: {command}\n" in said
    assert not [name for name, content in _files(repo).items() if MARK.encode() in content]


@pytest.mark.parametrize(
    "config",
    [
        pytest.param("repos: []\n", id="an empty list"),
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
    assert "- id: hkgit-gate-message\n" in said


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

    assert _steps(repo)[YAML] == "kept"
    assert repo.read(YAML) == config.encode()


def test_lines_between_the_markers_that_were_changed_are_left_and_said(repo: Repo) -> None:
    repo.write(YAML, "repos:\n- repo: meta\n  hooks: [{id: identity}]\n")
    hkgit(repo, "init")
    changed = repo.read(YAML).replace(b"entry: hkgit gate", b"entry: uv run hkgit gate")
    repo.write(YAML, changed)

    said = hkgit(repo, "init", "--remove")

    assert f"kept    {YAML}: lines between its markers are yours" in said
    assert b"entry: uv run hkgit gate" in repo.read(YAML)


def test_one_hook_of_the_framework_may_be_named_and_is_taken_back(repo: Repo) -> None:
    config = "repos:\n- repo: meta\n  hooks: [{id: identity}]\n"
    repo.write(YAML, config)
    hkgit(repo, "init", "--hook", "commit-msg")
    assert b"hkgit-gate-message" in repo.read(YAML)
    assert b"id: hkgit-gate\n" not in repo.read(YAML)

    hkgit(repo, "init", "--remove")

    assert repo.read(YAML) == config.encode()


# Where it cannot be done


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    hkgit(Repo.init(tmp_path / "bare", bare=True), "init", code=7)


def test_outside_a_repository_it_is_refused(tmp_path: Path) -> None:
    hkgit(Repo(tmp_path), "init", code=7)


def test_remove_and_hook_do_not_go_together(repo: Repo) -> None:
    hkgit(repo, "init", "--remove", "--hook", "pre-commit", code=64)
