"""`hkgit init`: what it writes, what it leaves alone, and that it takes back exactly its own."""

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.gate.entrypoints.hook_scripts import HOOKS, render_script
from hkgit.gate.policy.key_table import parse_policy
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import CONFIG
from hkgit.text.hashes import add_stamp
from hkgit.workflows.setup import POLICY, Action, plan_policy
from tests.support.cases import cases
from tests.support.commands import git, hkgit, install_framework, start
from tests.support.repos import Repo

pytestmark = pytest.mark.usefixtures("framework_home")
"""The framework keeps its things out of everybody's home."""


def files_of(repo: Repo) -> dict[str, bytes]:
    """Every file of the work tree, and every hook."""
    found = {}
    for path in sorted(repo.path.rglob("*")):
        name = path.relative_to(repo.path).as_posix()
        if path.is_file() and (not name.startswith(".git/") or name.startswith(".git/hooks/")):
            found[name] = path.read_bytes()
    return found


def init_steps(repo: Repo, *args: str, code: int = 0) -> dict[str, str]:
    """What `hkgit init` did with each file."""
    document = json.loads(hkgit(repo, "init", "--json", *args, code=code))
    return {step["path"]: step["action"] for step in document["steps"]}


def test_init_says_line_by_line_what_it_did_and_done_twice_it_is_done(repo: Repo) -> None:
    assert hkgit(repo, "init") == (
        "wrote   .hkgit/config.toml: the policy: every default, explained\n"
        "wrote   .hkgit/.gitattributes: git keeps the ledger byte for byte\n"
        "wrote   .git/hooks/pre-commit\n"
        "wrote   .git/hooks/prepare-commit-msg\n"
        "wrote   .git/hooks/commit-msg\n"
        "wrote   .git/hooks/post-commit\n"
        "wrote   .git/hooks/pre-push\n"
        "next    commit these files: the gate reads the policy from HEAD\n"
    )
    before = files_of(repo)
    assert set(init_steps(repo).values()) == {"kept"}
    assert files_of(repo) == before


def test_remove_takes_back_exactly_what_init_wrote(repo: Repo) -> None:
    repo.write_hook("post-commit", "true")
    before = files_of(repo)
    hkgit(repo, "init")

    hkgit(repo, "init", "--remove")

    assert files_of(repo) == before
    assert not (repo.path / ".hkgit").exists()
    assert hkgit(repo, "init", "--remove") == "nothing to do\n"


def test_init_below_the_root_sets_up_the_root(repo: Repo) -> None:
    below = repo.write("src/app.py", "").parent

    assert start("hkgit", "init", cwd=below).returncode == 0

    assert (repo.path / CONFIG).exists()


def test_one_hook_may_be_named(repo: Repo) -> None:
    steps = init_steps(repo, "--hook", "commit-msg")

    assert [name for name in steps if "hooks/" in name] == [".git/hooks/commit-msg"]
    hkgit(repo, "init", "--remove", "--hook", "pre-commit", code=64)


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg"])
def test_a_hook_of_somebody_else_stays_and_the_line_that_is_told_makes_it_a_gate(
    repo: Repo, name: str
) -> None:
    hook = repo.write_hook(name, "true")
    before = hook.read_bytes()

    said = hkgit(repo, "init", code=7)

    assert hook.read_bytes() == before
    assert "wrote   .git/hooks/prepare-commit-msg\n" in said
    told = f"blocked .git/hooks/{name}: it is not hkgit's; add this line to it: "
    line = said.partition(told)[2].splitlines()[0]
    hook.write_text(f"{hook.read_text()}{line}\necho went on\n")
    for other in {"pre-commit", "commit-msg"} - {name}:
        (hook.parent / other).unlink()
    repo.write("a", "a\n")
    repo.git("add", "a")

    done, said = git(repo, "commit", "-m", "Blind", env={"GIT_AUTHOR_NAME": "claude"})

    assert not done
    assert "went on" not in said


def test_a_hook_of_somebody_else_that_calls_the_gate_or_needs_its_input_is_no_failure(
    repo: Repo,
) -> None:
    repo.write_hook("pre-commit", "echo mine\nhkgit gate --staged || exit 1")
    repo.write_hook("pre-push", 'git lfs pre-push "$@"')

    steps = init_steps(repo)

    assert (steps[".git/hooks/pre-commit"], steps[".git/hooks/pre-push"]) == ("kept", "kept")


def test_a_link_in_place_of_a_hook_is_not_followed(repo: Repo) -> None:
    target = repo.write("hooks/pre-commit", render_script())
    link = repo.path / ".git/hooks/pre-commit"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)

    hkgit(repo, "init")

    assert link.is_symlink()
    assert target.read_bytes() == render_script()


def test_an_own_hook_that_is_not_executable_is_mended(repo: Repo) -> None:
    hkgit(repo, "init")
    hook = repo.path / ".git/hooks/commit-msg"
    hook.chmod(0o644)

    hkgit(repo, "init")

    assert hook.stat().st_mode & 0o111


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
    recorded = sys.executable.encode() in (directory / "pre-commit").read_bytes()
    assert recorded == (where == "absolute"), "others get what is in the work tree"


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


@pytest.fixture
def husky(repo: Repo) -> Repo:
    """A repository as `npx husky init` leaves it: git runs stubs, which run what stands above."""
    for name in (*HOOKS, "pre-rebase"):
        repo.write(f".husky/_/{name}", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"').chmod(0o755)
    repo.write(".husky/_/h", 's=$(dirname "$(dirname "$0")")/$(basename "$0")\n')
    with (repo.path / ".husky/_/h").open("a") as runner:
        runner.write('[ ! -f "$s" ] && exit 0\nsh -e "$s" "$@" || exit $?\n')
    repo.write(".husky/_/.gitignore", "*")
    repo.write(".husky/pre-commit", "echo npm test\n")
    repo.git("config", "core.hooksPath", ".husky/_")
    return repo


def test_with_husky_the_hooks_are_those_of_the_repository(husky: Repo) -> None:
    before = files_of(husky)
    said = hkgit(husky, "init", code=7)
    line = said.partition("blocked .husky/pre-commit: ")[2].partition("line to it: ")[2]
    hook = husky.path / ".husky/pre-commit"
    hook.write_text(hook.read_text() + line.splitlines()[0])

    assert set(init_steps(husky).values()) == {"kept"}
    assert "hook         pre-commit: calls hkgit\n" in hkgit(husky, "doctor")
    assert "hook         commit-msg: hkgit\n" in hkgit(husky, "doctor")
    husky.git("add", "-A")
    for name in ("claude", "Ada"):
        done, _ = git(husky, "commit", "-m", "Begin", env={"GIT_AUTHOR_NAME": name})
        assert done is (name == "Ada")
    hook.write_text("echo npm test\n")
    hkgit(husky, "init", "--remove")
    assert files_of(husky) == before


def test_hooks_that_were_written_before_husky_go_as_well(husky: Repo) -> None:
    husky.git("config", "--unset", "core.hooksPath")
    hkgit(husky, "init")
    husky.git("config", "core.hooksPath", ".husky/_")
    assert (husky.path / ".git/hooks/pre-commit").is_file()
    assert "removed .git/hooks/pre-commit\n" in hkgit(husky, "init", "--remove")
    assert not (husky.path / ".git/hooks/pre-commit").exists()


def test_in_a_linked_worktree_the_hooks_are_those_of_the_repository_and_sessions_go_once(
    repo: Repo,
) -> None:
    repo.commit({"a": "a\n"})
    repo.git("worktree", "add", "-q", "../linked")
    linked = Repo(repo.path.parent / "linked")
    hkgit(linked, "init")
    assert (repo.path / ".git/hooks/pre-commit").exists()
    for each in (repo, linked):
        hkgit(each, "read", "a", "--session", "s")

    assert hkgit(linked, "init", "--remove").count("the state of s\n") == 2


# Where it cannot be done


def test_without_a_checkout_it_is_refused(tmp_path: Path) -> None:
    for place in (Repo(tmp_path), Repo.init(tmp_path / "bare", bare=True)):
        hkgit(place, "init", code=7)


# The policy and the attributes


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
    {
        "pyproject": ("pyproject.toml", '[tool.hkgit.gate]\ngovern = "all"\n'),
        "config": (CONFIG, '[gate]\ngovern = "all"\n'),
    },
)
def test_a_policy_that_is_there_is_left_alone(name: str, content: str, repo: Repo) -> None:
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


# What an earlier wording of hkgit wrote

HOOK = ".git/hooks/commit-msg"


def write_hook(repo: Repo, *, extra: str = "") -> str:
    text = add_stamp("#!/bin/sh\n# as it was worded once\n\npython=''\nexec hkgit gate --once\n")
    path = repo.write(HOOK, text.replace("python=''", "python=/old/python") + extra)
    path.chmod(0o755)
    return HOOK


def write_policy(repo: Repo, *, extra: str = "") -> str:
    repo.write(
        CONFIG, add_stamp("# As it was worded once.\n\n[gate]\n# mode = 'enforce'\n") + extra
    )
    return CONFIG


WRITERS = [write_hook, write_policy]


@pytest.mark.parametrize("write", WRITERS)
def test_init_renews_it_and_takes_it_away(repo: Repo, write: Callable[..., str]) -> None:
    name = write(repo)

    assert init_steps(repo)[name] == "wrote"
    renewed = files_of(repo)
    assert b"once" not in renewed[name]
    assert init_steps(repo)[name] == "kept"
    assert files_of(repo) == renewed

    write(repo)
    hkgit(repo, "init", "--remove")
    assert b"hkgit" not in files_of(repo).get(name, b"")


@pytest.mark.parametrize("write", WRITERS)
def test_what_somebody_changed_since_stays(repo: Repo, write: Callable[..., str]) -> None:
    name = write(repo, extra="# mine\n")
    before = files_of(repo)[name]

    assert init_steps(repo)[name] == "kept"
    assert files_of(repo)[name] == before
    assert init_steps(repo, "--remove")[name] == "kept"
    assert files_of(repo)[name] == before


def test_doctor_names_an_earlier_hook_as_hkgits_own(repo: Repo) -> None:
    write_hook(repo)
    assert "hook         commit-msg: hkgit\n" in hkgit(repo, "doctor")
    write_hook(repo, extra="npm test\n")
    assert "hook         commit-msg: calls hkgit\n" in hkgit(repo, "doctor")
