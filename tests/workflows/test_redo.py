"""`hkgit redo`, the advice at a refused commit, wherever that commit was to be made."""

import re
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.commands import AGENT, dying_at, git, loaded_path, start
from tests.support.commits import TAKES_LATE
from tests.support.repos import Repo
from tests.support.running import run


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.init(tmp_path_factory.mktemp("guarded") / "repo")
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


@pytest.fixture
def guarded(template: Repo, tmp_path: Path) -> Repo:
    """A guarded repository with a branch whose merge conflicts in one file."""
    return template.copy(tmp_path / "repo")


def paste(repo: Repo, command: str) -> None:
    """Run a command as a shell takes it; it succeeds."""
    done = start("sh", "-c", command, cwd=repo.path, env=loaded_path())
    assert done.returncode == 0, done.stdout + done.stderr


CLAUDE = AGENT | {"GIT_COMMITTER_NAME": "claude"}


def follow(repo: Repo, *command: str, env: dict[str, str] = CLAUDE) -> str:
    """What the hook has refused, made as its last line says; the answer of the gate of HEAD."""
    done, said = git(repo, *command, env=env)
    assert not done, said
    paste(repo, said.partition("fix: ")[2].splitlines()[0])
    return run("gate", "--range", "HEAD^..HEAD", cwd=repo.path).out


def test_it_stays_the_agents_whom_git_named_for_that_commit_also_on_no_branch(
    guarded: Repo,
) -> None:
    guarded.git("checkout", "-q", "--detach")
    guarded.write("a.txt", "two\n")
    author = ("-c", "user.name=Claude Code", "-c", "user.email=noreply@anthropic.com")
    assert "replay strict" in follow(guarded, *author, "commit", "-qam", "Write two", env={})
    shown = guarded.git("log", "-1", "--format=%an <%ae>%n%(trailers:key=Hkgit-Agent)")
    assert shown == "Claude Code <noreply@anthropic.com>\nHkgit-Agent: Claude Code"
    assert guarded.resolve("HEAD^") == guarded.resolve("main")


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
    paste(guarded, said.partition("fix: ")[2].splitlines()[0])

    assert run("gate", "--range", "HEAD~2..HEAD", cwd=guarded.path).code == 0
    assert guarded.git("log", "-1", "--format=%s") == "Write three"


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
def test_a_filtered_file_is_recorded_as_git_stores_it(guarded: Repo) -> None:
    guarded.git("config", "filter.up.clean", "tr a-z A-Z")
    guarded.write("a.f", "one\n")
    guarded.git("add", "a.f")
    assert run("redo", "-m", "Add it", cwd=guarded.path).code == 0
    assert guarded.show("HEAD", "a.f") == b"ONE\n"
    assert "verdict strict" in run("gate", "--range", "HEAD~1..HEAD", cwd=guarded.path).out


@cases(
    {
        "other line ends": ("a.txt", b"one\r\n", "a person"),
        "a byte order mark": ("a.txt", b"\xef\xbb\xbfone\n", "a person"),
        "hkgit's own": (".hkgit/notes", b"one\n", "Only hkgit writes"),
        "a twin": ("A.txt", b"one\n", "Choose a name"),
        "not portable": ("a:b", b"one\n", "Name a file"),
        "unseen characters": ("a.txt", b"\xe2\x80\xaeone\n", "Remove it"),
    },
)
def test_what_no_edit_can_say_is_left_to_people(
    path: str, text: bytes, advice: str, guarded: Repo
) -> None:
    guarded.write(path, text)
    guarded.git("add", "-A")
    staged = guarded.git("write-tree")

    done, said = git(guarded, "commit", "-qm", "Change it", env=AGENT)

    assert not done
    refused = start("sh", "-c", said.partition("fix: ")[2].splitlines()[0], cwd=guarded.path)
    assert refused.returncode in (1, 4, 6), refused.stdout
    assert advice in refused.stderr
    assert guarded.git("write-tree") == staged
    assert guarded.git("log", "-1", "--format=%s") == "Guard"


MIXED = b"one\r\ntwo\nthree\r\n"
MIX = r"printf 'one\r\ntwo\nthree\r\n' >a.txt && git commit -qnam 'Mix them'"
PART_OF_MERGE = (
    "echo main >a.txt && git commit -qnam 'Change it here';"
    " git merge side; git checkout --theirs a.txt && git add a.txt"
)
ASK_FOR_RECEIPTS = """\
printf '[gate]\\naccept = ["receipt"]\\n' >.hkgit/config.toml
git commit -qnam 'Ask for receipts' && echo two >a.txt
"""


@cases(
    {
        "a part of a merge": (PART_OF_MERGE, ["a.txt"], 7, "a part of a merge"),
        "of nothing": ("true", [], 4, "hkgit redo: nothing is staged"),
        "of what is no commit": ("true", ["nope"], 4, "nope: names no commit, and nothing is"),
        "of one path and no other": (
            "echo two >a.txt",
            ["HEAD", "a.txt"],
            7,
            "'HEAD' did not match any file",
        ),
        "an empty message": ("echo two >a.txt", ["-m", " "], 4, "--message: is empty"),
        "a link": ("ln -s a.txt link && git add link", [], 4, "link: is a symbolic link"),
        "of another branch": ("true", ["side"], 7, "is not in the history of HEAD"),
        "not accepted": (ASK_FOR_RECEIPTS, [], 6, "in a session that reads first"),
        "line ends": (r"printf 'two\r\n' >a.txt", [], 4, "a.txt: changes line ends"),
        "fewer in a mixed file": (
            MIX + r"; printf 'one\ntwo\n2\nthree\r\n' >a.txt",
            [],
            4,
            "a person",
        ),
        "more in it": (MIX + r"; printf 'one\r\ntwo\r\n2\r\nthree\r\n' >a.txt", [], 4, "a person"),
    },
)
def test_what_is_not_made_again_stays_as_it_is_and_the_reason_is_said(
    prepare: str, words: list[str], code: int, said: str, guarded: Repo
) -> None:
    start("sh", "-c", prepare, cwd=guarded.path)
    head, before = guarded.head, guarded.status()

    refused = run("redo", *words, cwd=guarded.path)

    assert (refused.code, said in refused.err) == (code, True), refused.err
    assert (guarded.head, guarded.status()) == (head, before)
    assert guarded.git("branch", "--format=%(refname:short)").split() == ["main", "side"]


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


def test_what_a_session_edited_keeps_its_evidence_beside_what_is_late(guarded: Repo) -> None:
    run("read", "b.txt", "--session", "s", cwd=guarded.path)
    edited = ("--session", "s", "--file", "b.txt", "--old", "b", "--new", "B")
    assert run("edit", *edited, cwd=guarded.path).code == 0
    guarded.write("a.txt", "two\n")
    guarded.write("kept.txt", "not staged\n")
    guarded.git("add", "a.txt", "b.txt")

    done = run("redo", "-m", "Both", "--agent", "claude/1", cwd=guarded.path)

    assert done.code == 0, done.err
    shown = run("show", "--json", cwd=guarded.path).json()["ledger"]
    found = {(edit["path"], edit["evidence"]) for entry in shown for edit in entry["edits"]}
    assert found == {("a.txt", "late"), ("b.txt", "receipt")}
    assert run("gate", "--range", "HEAD^..HEAD", cwd=guarded.path).code == 0
    assert guarded.git("status", "--porcelain") == " M kept.txt"


def test_paths_are_named_from_where_the_user_is(guarded: Repo) -> None:
    guarded.write("sub/a.txt", "1\n")
    guarded.write("a.txt", "two\n")
    guarded.git("add", "-A")

    done = run("redo", "a.txt", "--agent", "claude/1", cwd=guarded.path / "sub")

    assert done.code == 0, done.err
    assert guarded.show("HEAD", "sub/a.txt") == b"1\n"
    assert guarded.git("status", "--porcelain") == "M  a.txt"


@pytest.mark.sampled
@pytest.mark.parametrize("at", ["worktree", "commit", "update-ref", "restore", "reset"])
def test_a_crash_loses_nothing_that_is_staged(guarded: Repo, at: str) -> None:
    guarded.write("a.txt", "two\n")
    guarded.git("add", "a.txt")

    interrupted = start("hkgit", "redo", "-m", "x", cwd=guarded.path, env=dying_at(guarded, at))

    assert interrupted.returncode != 0
    run("redo", "-m", "x", cwd=guarded.path)
    assert run("gate", "--range", "HEAD^..HEAD", cwd=guarded.path).code == 0
    assert guarded.show("HEAD", "a.txt") == b"two\n"
    assert guarded.git("status", "--porcelain") == ""
    assert guarded.git("for-each-ref", "refs/hkgit") == ""


def test_a_bare_repository_is_not_told_to_commit(tmp_path: Path) -> None:
    bare = Repo.init(tmp_path / "bare", bare=True)
    log, redo = (run(command, cwd=bare.path) for command in ("log", "redo"))
    assert (log.code, "Push a first commit" in log.err) == (4, True)
    assert (redo.code, "in a clone" in redo.err) == (7, True)


def past_the_hooks(repo: Repo, policy: str = TAKES_LATE) -> str:
    """An agent's commit without evidence, with one after it; return the former."""
    repo.commit({".hkgit/config.toml": policy}, "Say what counts")
    repo.write("a.txt", "two\n")
    repo.write("new.txt", "new\n")
    repo.git("add", "-A")
    dated = AGENT | {"GIT_AUTHOR_DATE": "2020-02-02T02:02:02Z"}
    words = "Write two\n\nAt length.\n\nCo-authored-by: Claude <noreply@anthropic.com>"
    repo.git("commit", "-q", "--no-verify", "-m", words, env=dated)
    made = repo.head
    repo.commit({"later.txt": "later\n"}, "Later", "--no-verify")
    return made


WHO = "--format=%an <%ae> %ad %cn <%ce> %cd%n%s%n%b"


def who(repo: Repo, commit: str) -> str:
    """Author, committer, dates and message of a commit, less the trailers of hkgit."""
    said = repo.git("log", "-1", WHO, commit)
    return "\n".join(line for line in said.splitlines() if not line.startswith("Hkgit-")).strip()


def test_a_commit_is_made_again_and_all_else_stays(guarded: Repo) -> None:
    """In other circumstances too: see `tests/audit/reports/test_mending_kinds.py`."""
    made = past_the_hooks(guarded)
    branches = guarded.git("branch", "--format=%(refname)")
    guarded.write("later.txt", "not staged\n")
    guarded.write("staged.txt", "staged\n")
    guarded.git("add", "staged.txt")
    before = guarded.status()

    done = run("redo", made, cwd=guarded.path)

    assert done.code == 0, done.err
    assert run("gate", "--range", "HEAD~2..HEAD", cwd=guarded.path).code == 0
    assert who(guarded, "HEAD~1") == who(guarded, made)
    assert guarded.git("diff", "--name-only", made, "HEAD~1").split()[0].startswith(".hkgit/")
    assert "late=2" in guarded.git("log", "-1", "--format=%B", "HEAD~1")
    assert guarded.status() == before
    assert guarded.git("branch", "--format=%(refname)") == branches
    head = guarded.head
    again = run("redo", made, cwd=guarded.path)
    assert (again.code, "passes as it is" in again.out) == (0, True)
    assert guarded.head == head


def test_under_the_default_policy_nothing_made_afterwards_passes(guarded: Repo) -> None:
    made = past_the_hooks(guarded, "[gate]\n")
    head, before = guarded.head, guarded.status()

    refused = run("redo", made, cwd=guarded.path)

    assert refused.code == 6
    assert "its evidence is late" in refused.err
    assert "accept `late` in the policy" in refused.err
    assert (guarded.head, guarded.status()) == (head, before)


def test_while_a_rebase_waits_no_commit_is_made_again(guarded: Repo) -> None:
    made = past_the_hooks(guarded)
    guarded.git("rebase", "side", check=False)
    assert (guarded.path / ".git/rebase-merge").exists()
    head = guarded.head

    refused = run("redo", made, cwd=guarded.path)

    assert (refused.code, "a rebase is under way" in refused.err) == (7, True)
    assert guarded.head == head


def test_a_shallow_clone_says_what_it_lacks(guarded: Repo, tmp_path: Path) -> None:
    made = past_the_hooks(guarded)
    clone = Repo(tmp_path / "clone")
    guarded.git("clone", "-q", "--depth=2", guarded.path.as_uri(), str(clone.path))
    refused = run("redo", made, cwd=clone.path)
    assert refused.code in (4, 7), refused.out
    assert "--unshallow" in refused.err


def test_no_rejection_prints_a_hash(guarded: Repo) -> None:
    """Who passes a hash has had the lines before him."""
    past_the_hooks(guarded)
    guarded.write("a.txt", "three\n")
    done, staged = git(guarded, "commit", "-qam", "Write three", env=AGENT)
    assert not done
    for said in (staged, run("gate", "--range", "HEAD~2..HEAD", cwd=guarded.path).out):
        assert re.search("fix: .*hkgit redo ", said)
        assert not re.findall(r"--expect|\b[0-9a-f]{64}\b", said)
