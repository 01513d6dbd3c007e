"""`hkgit redo`, the advice at a refused commit, wherever that commit was to be made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import AGENT, git, loaded_path, start
from tests.support.repos import Repo
from tests.support.running import run

TAKES_LATE = '[gate]\naccept = ["hash", "receipt", "late"]\n'


@pytest.fixture
def guarded(repo: Repo) -> Repo:
    """A guarded repository with a branch whose merge conflicts in one file."""
    repo.commit({"a.txt": "one\n", "b.txt": "b\n", "kept.txt": "k\n"}, "Begin")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"a.txt": "side\n", "new.txt": "n\n"}, "Change the side")
    repo.git("checkout", "-q", "main")
    repo.write(".gitattributes", "*.f filter=up\n")
    assert run("init", "-q", cwd=repo.path).code == 0
    repo.write(".hkgit/config.toml", TAKES_LATE)
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Guard")
    return repo


def paste(repo: Repo, command: str) -> None:
    """Run a command as a shell takes it; it succeeds."""
    done = start("sh", "-c", command, cwd=repo.path, env=loaded_path())
    assert done.returncode == 0, done.stdout + done.stderr


def follow(repo: Repo, *command: str) -> str:
    """What the hook has refused, made as its last line says; the answer of the gate of HEAD."""
    done, said = git(repo, *command, env=AGENT | {"GIT_COMMITTER_NAME": "claude"})
    assert not done, said
    paste(repo, said.partition("mend: ")[2].splitlines()[0])
    return run("gate", "--range", "HEAD^..HEAD", cwd=repo.path).out


def test_on_no_branch_the_commit_is_made_there(guarded: Repo) -> None:
    guarded.git("checkout", "-q", "--detach")
    guarded.write("a.txt", "two\n")

    said = follow(guarded, "commit", "-qam", "Write two")

    assert "replay strict" in said
    assert guarded.git("rev-parse", "HEAD^") == guarded.git("rev-parse", "main")


def test_in_a_merge_what_resolves_its_conflicts_is_kept(guarded: Repo) -> None:
    guarded.commit({"a.txt": "main\n"}, "Change it here")
    guarded.git("merge", "side", check=False)
    guarded.write("a.txt", "both\n")
    guarded.write("kept.txt", "not staged\n")
    guarded.git("add", "a.txt")

    said = follow(guarded, "commit", "-qm", "Merge it")

    assert "replay merge" in said
    assert guarded.git("log", "-1", "--format=%s %p").startswith("Merge branch 'side'")
    assert len(guarded.git("log", "-1", "--format=%p").split()) == 2
    assert guarded.git("show", "HEAD:a.txt") == "both"
    assert guarded.git("status", "--porcelain") == " M kept.txt"


def test_what_comes_beside_a_merge_is_a_commit_after_it(guarded: Repo) -> None:
    guarded.git("merge", "--no-commit", "side")
    guarded.write("b.txt", "besides\n")
    guarded.git("rm", "-q", "kept.txt")
    guarded.git("add", "-A")

    said = follow(guarded, "commit", "-qm", "Merge it, and more")

    assert "replay strict" in said
    assert guarded.git("show", "HEAD:b.txt") == "besides"
    assert guarded.git("status", "--porcelain") == ""
    assert len(guarded.git("log", "-1", "--format=%p", "HEAD^").split()) == 2


def test_what_settings_make_of_a_diff_changes_no_advice(guarded: Repo) -> None:
    for name, value in (("diff.external", "true"), ("color.ui", "always"), ("diff.context", "0")):
        guarded.git("config", name, value)
    guarded.write(".git/info/attributes", "a.txt -diff\n")
    guarded.write("a.txt", "two\n")
    assert "replay strict" in follow(guarded, "commit", "-qam", "Write two")
    guarded.write("a.txt", "three\n")
    guarded.git("commit", "-q", "--no-verify", "-am", "Write three", env=AGENT)

    said = run("gate", "--range", "HEAD^..HEAD", cwd=guarded.path).out
    paste(guarded, said.partition("mend: ")[2].splitlines()[0])

    assert run("gate", "--range", "HEAD~2..HEAD", cwd=guarded.path).code == 0
    assert guarded.git("log", "-1", "--format=%s") == "Write three"


def test_a_part_of_a_merge_is_no_commit(guarded: Repo) -> None:
    guarded.commit({"a.txt": "main\n"}, "Change it here")
    guarded.git("merge", "side", check=False)
    guarded.git("checkout", "--theirs", "a.txt")
    guarded.git("add", "a.txt")

    refused = run("redo", "a.txt", cwd=guarded.path)

    assert (refused.code, "a part of a merge" in refused.err) == (7, True)
    assert guarded.git("rev-parse", "MERGE_HEAD") == guarded.git("rev-parse", "side")


def test_a_cherry_picked_commit_keeps_its_message(guarded: Repo) -> None:
    guarded.commit({"a.txt": "main\n"}, "Change it here")
    guarded.git("cherry-pick", "side", check=False)
    guarded.write("a.txt", "both\n")
    guarded.git("add", "a.txt")

    assert "replay strict" in follow(guarded, "-c", "core.editor=true", "cherry-pick", "--continue")
    assert guarded.git("log", "-1", "--format=%s") == "Change the side"


COMMANDS = ["log", "show", "stats", "redo", "blame x", "gate --range HEAD~1..HEAD"]


@pytest.mark.parametrize("command", COMMANDS)
def test_where_nothing_is_committed_yet_the_advice_is_to_begin(repo: Repo, command: str) -> None:
    repo.write("x", "x\n")
    refused = run(*command.split(), cwd=repo.path)
    assert refused.code in (4, 7)
    paste(repo, refused.err.partition("Make a first commit: ")[2].splitlines()[0])


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("path", "text", "advice"),
    [
        pytest.param("a.txt", b"one\r\n", "a person", id="other line ends"),
        pytest.param("a.txt", b"\xef\xbb\xbfone\n", "a person", id="a byte order mark"),
        pytest.param(".hkgit/notes", b"one\n", "a person", id="hkgit's own"),
        pytest.param("A.txt", b"one\n", "another name", id="a twin"),
        pytest.param("a:b", b"one\n", "another name", id="not portable"),
        pytest.param("a.txt", b"\xe2\x80\xaeone\n", "take those", id="unseen characters"),
        pytest.param("a.f", b"one\n", "a person", id="a filtered file"),
    ],
)
def test_what_no_edit_can_say_is_left_to_people_from_the_start(
    guarded: Repo, path: str, text: bytes, advice: str
) -> None:
    guarded.git("config", "filter.up.clean", "tr a-z A-Z")
    guarded.write(path, text)
    guarded.git("add", "-A")
    staged = guarded.git("write-tree")

    done, said = git(guarded, "commit", "-qm", "Change it", env=AGENT)

    assert not done
    assert advice in said.partition("mend: git status  # the change is kept")[2]
    refused = run("redo", cwd=guarded.path)
    assert refused.code in (1, 4, 6), refused.out
    assert guarded.git("write-tree") == staged
    assert guarded.git("log", "-1", "--format=%s") == "Guard"


MIXED = b"one\r\ntwo\nthree\r\n"


@pytest.mark.parametrize("text", [b"one\ntwo\n2\nthree\r\n", b"one\r\ntwo\r\n2\r\nthree\r\n"])
def test_line_ends_changed_in_a_mixed_file_are_left_to_people(guarded: Repo, text: bytes) -> None:
    guarded.commit({"a.txt": MIXED}, "Mix them")
    guarded.write("a.txt", text)

    done, said = git(guarded, "commit", "-qam", "Change it", env=AGENT)

    assert not done
    assert "a person" in said.partition("mend: git status  # the change is kept")[2]


def test_in_a_mixed_file_the_advice_is_followed_as_in_any(guarded: Repo) -> None:
    guarded.commit({"a.txt": MIXED}, "Mix them")
    guarded.write("a.txt", MIXED.replace(b"two\n", b"two!\n2\n"))

    assert "replay strict" in follow(guarded, "commit", "-qam", "Change it")
    assert guarded.show("HEAD", "a.txt") == MIXED.replace(b"two\n", b"two!\n2\n")


@pytest.mark.parametrize(("text", "floor"), [("1\nTWO\n3\n4\n", 0.9), ("1\n2\nnew\n3\n4\n", 0.2)])
def test_where_tightness_counts_few_lines_stand_around_a_change(
    guarded: Repo, text: str, floor: float
) -> None:
    policy = f"{TAKES_LATE}min_tightness = {floor}\n"
    guarded.commit({"a.txt": "1\n2\n3\n4\n", ".hkgit/config.toml": policy}, "Ask for tightness")
    guarded.write("a.txt", text)

    assert "replay strict" in follow(guarded, "commit", "-qam", "Change it")


def test_where_receipts_alone_are_accepted_nothing_is_made_again(guarded: Repo) -> None:
    guarded.commit({".hkgit/config.toml": '[gate]\naccept = ["receipt"]\n'}, "Ask for receipts")
    guarded.write("a.txt", "two\n")

    done, said = git(guarded, "commit", "-qam", "Change it", env=AGENT)

    assert not done
    assert "in a session that reads first" in said.partition("the change is kept")[2]


def test_a_commit_that_lacks_line_ends_which_were_staged_is_not_made(guarded: Repo) -> None:
    guarded.write("a.txt", b"two\r\n")
    guarded.git("add", "a.txt")

    refused = run("redo", cwd=guarded.path)

    assert (refused.code, "a.txt: changes line ends" in refused.err) == (4, True)
    assert guarded.git("status", "--porcelain") == "M  a.txt"
    assert guarded.git("branch", "--format=%(refname:short)").split() == ["main", "side"]


def test_a_bare_repository_is_not_told_to_commit(tmp_path: Path) -> None:
    bare = Repo.init(tmp_path / "bare", bare=True)
    log, redo = (run(command, cwd=bare.path) for command in ("log", "redo"))
    assert (log.code, "Push a first commit" in log.err) == (4, True)
    assert (redo.code, "in a clone" in redo.err) == (7, True)
