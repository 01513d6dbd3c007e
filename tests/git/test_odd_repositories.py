"""`hkgit apply` in repositories and surroundings that are odd, damaged or hostile."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from hkgit.git.facts import LOCAL_VARIABLES
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Result, run

SPEC = json.dumps({"file": "a", "old_text": "1\n", "new_text": "2\n"}).encode()


@pytest.fixture
def based(repo: Repo) -> Repo:
    repo.commit({"a": "0\n"}, "First")
    repo.commit({"a": "1\n", "b": "1\n"}, "Second")
    return repo


def apply(repo: Repo, *options: str, env: Mapping[str, str] | None = None) -> Result:
    return run("apply", "--stdin", *options, cwd=repo.path, stdin=SPEC, env=env)


# Signatures


@pytest.fixture
def gnupg() -> Iterator[Path]:
    """A home of GnuPG with a key that needs no passphrase; its path is short, as sockets want."""
    home = Path(tempfile.mkdtemp())
    command = ["gpg", "--homedir", str(home), "--batch", "--passphrase", "", "--quick-gen-key"]
    subprocess.run([*command, "ada@example.org", "ed25519"], check=True, capture_output=True)
    yield home
    subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=True)
    shutil.rmtree(home)


@pytest.mark.skipif(shutil.which("gpg") is None, reason="needs GnuPG")
def test_commits_are_signed_with_openpgp_where_the_user_signs(based: Repo, gnupg: Path) -> None:
    based.git("config", "commit.gpgSign", "true")
    based.git("config", "gpg.program", "gpg")
    based.git("config", "user.signingKey", "ada@example.org")
    env = {"GNUPGHOME": str(gnupg)}
    assert apply(based, env=env).code == 0
    based.git("verify-commit", "HEAD", env=env)
    assert list((based.path / ".git").rglob("*hkgit*")) == []


# Configuration and environment that would run or redirect something


NAMES_OF_PROGRAMS = (
    *("core.fsmonitor", "core.editor", "core.pager", "core.askPass", "core.sshCommand"),
    *("core.gitProxy", "core.alternateRefsCommand", "sequence.editor", "credential.helper"),
    *("diff.external", "diff.odd.textconv", "diff.odd.command", "merge.odd.driver"),
    *("pager.status", "pager.log", "alias.commit", "alias.status", "gpg.program"),
    *("trailer.hkgit-entry.command", "interactive.diffFilter", "browser.odd.cmd"),
)
"""Wherever git lets its configuration name a program."""


@pytest.mark.sampled
@cases(
    "args",
    {
        "apply": ("apply", "--stdin"),
        "apply --dry-run": ("apply", "--stdin", "--dry-run"),
        "edit": ("edit", "--stdin"),
        "read": ("read", "a"),
        "log": ("log",),
        "verify": ("verify", "HEAD~..HEAD"),
        "gate --staged": ("gate", "--staged"),
        "gate --range": ("gate", "--range", "HEAD~..HEAD"),
        "doctor": ("doctor", "--fix"),
    },
)
def test_no_configured_program_is_run(based: Repo, tmp_path: Path, args: tuple[str, ...]) -> None:
    """And no hook by what does not commit."""
    marker = tmp_path / "marker"
    for name in NAMES_OF_PROGRAMS:
        based.git("config", name, f"touch '{marker}'; false")
    based.write(".git/info/attributes", "* diff=odd merge=odd\n")
    for name in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        if args != ("apply", "--stdin"):
            based.write_hook(name, f"touch '{marker}'")
    result = run(*args, cwd=based.path, stdin=SPEC)
    assert result.code == 0, result.err
    assert not marker.exists(), result.err


ELSEWHERE = dict.fromkeys(LOCAL_VARIABLES, "/nowhere/else")
BARE = {"GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true"}
PROGRAMS = ("GIT_EDITOR", "GIT_PAGER", "PAGER", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND")


@cases(
    "environment",
    {
        "whatever git calls local": ELSEWHERE,
        "-c core.bare": {"GIT_CONFIG_PARAMETERS": "'core.bare'='true'"},
        "core.bare": {"GIT_CONFIG_COUNT": "1", **BARE},
        "programs": dict.fromkeys(PROGRAMS, "false"),
        "traces": {"GIT_TRACE": "1", "GIT_TRACE_SETUP": "2"},
        "ceilings": {"GIT_CEILING_DIRECTORIES": "/"},
        "another language": {"LANGUAGE": "de", "LC_ALL": "de_DE.UTF-8"},
    },
)
def test_the_environment_leads_nowhere_else(based: Repo, environment: Mapping[str, str]) -> None:
    based.write("b", "mine\n")
    based.write("untracked*", "mine\n")
    result = apply(based, env=environment)
    assert result.code == 0, result.err
    assert based.read("a") == b"2\n"
    assert based.status() == [" M b", "?? untracked*"]


# Damage


@cases(
    "damage",
    {
        "without the tree": lambda repo: repo.loose("HEAD^{tree}").unlink(),
        "without the blob": lambda repo: repo.loose("HEAD:a").unlink(),
        "a corrupt blob": lambda repo: repo.loose("HEAD:a").write_bytes(b"garbage"),
        "a corrupt index": lambda repo: repo.write(".git/index", b"garbage"),
        "corrupt packed refs": lambda repo: repo.shell(
            "git pack-refs --all; echo garbage >.git/packed-refs"
        ),
        "a file for the journals": lambda repo: repo.write(".git/hkgit", "in the way"),
        "a link to nowhere for them": lambda repo: repo.shell("ln -s /nowhere/x .git/hkgit"),
        "a lock on HEAD": lambda repo: repo.write(".git/HEAD.lock", ""),
    },
)
def test_in_a_damaged_repository_nothing_lands(
    based: Repo, damage: Callable[[Repo], object]
) -> None:
    damage(based)
    before = based.read(".git/HEAD"), based.read("a")
    result = apply(based)
    assert result.code == 7, result.err
    assert (based.read(".git/HEAD"), based.read("a")) == before
    assert not (based.path / ".git" / "worktrees").exists()
    assert not (based.path / ".git" / "refs" / "hkgit").exists()


def test_a_history_that_is_not_all_there_is_no_hindrance(based: Repo) -> None:
    based.loose("HEAD~").unlink()
    expect_edited(based)


def expect_edited(repo: Repo) -> None:
    """The edit lands, and the checkout follows."""
    assert apply(repo).code == 0
    assert repo.read("a") == b"2\n"
    assert repo.status() == []


@cases("options", {"shallow": ("--depth=1", "file://{}"), "borrowing": ("--shared", "{}")})
def test_a_clone_that_lacks_objects_of_its_own_is_edited(
    based: Repo, tmp_path: Path, options: tuple[str, str]
) -> None:
    before = based.git("count-objects")
    based.git("clone", "-q", *(each.format(based.path) for each in options), str(tmp_path / "new"))
    expect_edited(Repo(tmp_path / "new"))
    assert based.git("count-objects") == before


# Odd names


UNSPEAKABLE = ["new\nline", "tab\t", "caf\udce9"]
"""No spec can name these: control characters are refused, and specs are UTF-8."""
ODD = ['q"uote', "back\\slash", " blank ", "-dash", ":colon", "*"]


def test_files_with_odd_names_are_no_hindrance(based: Repo) -> None:
    based.commit(dict.fromkeys([*UNSPEAKABLE, *ODD], "1\n"), "Odd")
    for name in (*UNSPEAKABLE, *ODD[:2]):
        based.write(name, "mine\n")
    based.write("un\ntracked", "mine\n")
    before = based.git_bytes("status", "--porcelain", "-z")
    assert apply(based).code == 0
    assert based.read("a") == b"2\n"
    assert based.git_bytes("status", "--porcelain", "-z") == before


@pytest.mark.parametrize("name", ODD)
def test_a_file_with_an_odd_name_can_be_edited(based: Repo, name: str) -> None:
    based.commit({name: "1\n"}, "Odd")
    options = (f"--file={based.path / name}", "--old=1", "--new=2")
    result = run("apply", *options, cwd=based.path)
    assert result.code == 0, result.err
    assert based.read(name) == b"2\n", result.err
    assert based.status() == [], result.err
