"""`hkgit apply` in repositories and surroundings that are odd, damaged or hostile."""

from __future__ import annotations

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


def with_openpgp(repo: Repo, gnupg: Path) -> dict[str, str]:
    repo.git("config", "user.signingKey", "ada@example.org")
    return {"GNUPGHOME": str(gnupg)}


@pytest.mark.parametrize("program", [name for name in ("gpg",) if shutil.which(name)])
def test_commits_are_signed_with_openpgp_where_the_user_signs(
    based: Repo, gnupg: Path, program: str
) -> None:
    based.git("config", "commit.gpgSign", "true")
    based.git("config", "gpg.program", program)
    env = with_openpgp(based, gnupg)
    assert apply(based, env=env).code == 0
    based.git("verify-commit", "HEAD", env=env)
    assert list((based.path / ".git").rglob("*hkgit*")) == []


# Configuration and environment that would run or redirect something


def hostile(repo: Repo, marker: Path) -> None:
    """Configuration that names a program wherever git lets it."""
    evil = f"touch '{marker}'; false"
    for name in (
        "core.fsmonitor",
        "core.editor",
        "core.pager",
        "core.askPass",
        "core.sshCommand",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "sequence.editor",
        "diff.external",
        "diff.odd.textconv",
        "diff.odd.command",
        "merge.odd.driver",
        "credential.helper",
        "pager.status",
        "pager.log",
        "alias.commit",
        "alias.status",
        "gpg.program",
        "trailer.hkgit-entry.command",
        "interactive.diffFilter",
        "browser.odd.cmd",
    ):
        repo.git("config", name, evil)
    repo.write(".git/info/attributes", "* diff=odd merge=odd\n")


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
    hostile(based, marker)
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


def test_a_repository_of_somebody_else_is_not_trusted(based: Repo) -> None:
    head = based.head
    result = apply(based, env={"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    assert result.code == 7
    assert "dubious ownership" in result.err
    assert based.head == head


# Damage


def removed(repo: Repo, rev: str) -> None:
    """Take an object out of the repository."""
    found = repo.resolve(rev)
    (repo.path / ".git" / "objects" / found[:2] / found[2:]).unlink()


def without_the_parent(repo: Repo) -> None:
    removed(repo, "HEAD~")


def without_the_tree(repo: Repo) -> None:
    removed(repo, "HEAD^{tree}")


def without_the_blob(repo: Repo) -> None:
    removed(repo, "HEAD:a")


def with_a_corrupt_blob(repo: Repo) -> None:
    found = repo.resolve("HEAD:a")
    place = repo.path / ".git" / "objects" / found[:2] / found[2:]
    place.chmod(0o644)
    place.write_bytes(b"garbage")


def with_a_corrupt_index(repo: Repo) -> None:
    repo.write(".git/index", b"garbage")


def with_a_corrupt_packed_refs(repo: Repo) -> None:
    repo.git("pack-refs", "--all")
    repo.write(".git/packed-refs", b"garbage\n")


def with_a_directory_for_the_journals(repo: Repo) -> None:
    repo.write(".git/hkgit", "a file where the directory would be")


def with_a_lock_on_head(repo: Repo) -> None:
    repo.write(".git/HEAD.lock", "")


@pytest.mark.parametrize(
    "damage",
    [
        without_the_tree,
        without_the_blob,
        with_a_corrupt_blob,
        with_a_corrupt_index,
        with_a_corrupt_packed_refs,
        with_a_directory_for_the_journals,
        with_a_lock_on_head,
    ],
)
def test_in_a_damaged_repository_nothing_lands(based: Repo, damage: Callable[[Repo], None]) -> None:
    damage(based)
    before = (based.path / ".git" / "HEAD").read_bytes(), based.read("a")
    result = apply(based)
    assert (result.code, (based.path / ".git" / "HEAD").read_bytes(), based.read("a")) == (
        7,
        *before,
    ), result.err
    assert not (based.path / ".git" / "worktrees").exists()
    assert not (based.path / ".git" / "refs" / "hkgit").exists()


def test_a_history_that_is_not_all_there_is_no_hindrance(based: Repo) -> None:
    without_the_parent(based)
    assert apply(based).code == 0
    assert based.read("a") == b"2\n"
    assert based.status() == []


def test_a_shallow_clone_can_be_landed_in(based: Repo, tmp_path: Path) -> None:
    based.git("clone", "-q", "--depth=1", f"file://{based.path}", str(tmp_path / "shallow"))
    shallow = Repo(tmp_path / "shallow")
    assert apply(shallow).code == 0
    assert shallow.read("a") == b"2\n"
    assert shallow.status() == []


def test_borrowed_objects_are_read_and_own_ones_written(based: Repo, tmp_path: Path) -> None:
    based.git("clone", "-q", "--shared", str(based.path), str(tmp_path / "borrower"))
    borrower = Repo(tmp_path / "borrower")
    before = based.git("count-objects")
    assert apply(borrower).code == 0
    assert borrower.read("a") == b"2\n"
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
