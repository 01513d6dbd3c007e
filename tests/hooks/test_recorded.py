"""What commit-msg says of a commit with entries that pre-commit has judged, all but its message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hkgit.cli.remembering import is_known_to_pass, is_signed
from hkgit.git.repository import Repository
from hkgit.sessions.commit.messages import sign
from tests.support.commands import git, hkgit, start
from tests.support.repos import Repo

WORDS = "Say two\n\nBecause one is not enough.\n"


@pytest.fixture
def recorded(native: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A commit of an agent's session that pre-commit has recorded and judged."""
    monkeypatch.chdir(native.path)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "claude")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "noreply@anthropic.com")
    edit(native, "two", "2")
    hkgit(native, "gate", "--quiet", "--record", "--staged")
    return native


def edit(repo: Repo, old: str, new: str) -> None:
    """A staged edit of a session that has read the file."""
    hkgit(repo, "read", "app.py", "--session", "s")
    words = ("--file", "app.py", "--old", old, "--new", new)
    hkgit(repo, "edit", "--session", "s", *words)
    repo.git("add", "-A")


def test_the_entry_carries_what_was_refused_before_it(
    native: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "claude")
    absent = ("--file", "app.py", "--old", "nowhere", "--new", "2")
    hkgit(native, "edit", "--session", "s", *absent, code=1)
    edit(native, "two", "2")
    done, said = git(native, "commit", "-q", "-m", "Say two")
    assert done, said
    [entry] = json.loads(hkgit(native, "show", "--json"))["ledger"]
    assert [each["path"] for each in entry["claims"]["refusals"]] == ["app.py"]
    [refusal] = json.loads(hkgit(native, "refusals", "--json"))["refusals"]
    assert refusal["landed"] == native.head
    hkgit(native, "gate", "--range", "HEAD~1..HEAD")


@pytest.mark.parametrize(
    "template", [pytest.param("", id="-m"), pytest.param("# Please enter\n#\n", id="an editor")]
)
def test_plain_words_get_the_trailers_that_the_whole_way_writes(
    recorded: Repo, tmp_path: Path, template: str
) -> None:
    quick, slow = tmp_path / "quick", tmp_path / "slow"
    for place in (quick, slow):
        place.write_text(WORDS + ("\n" + template if template else ""))
    assert is_known_to_pass(str(quick))
    assert sign(Repository.discover(recorded.path, in_hook=True), slow)
    assert quick.read_text() == slow.read_text() != WORDS
    assert is_known_to_pass(str(quick))
    assert quick.read_text() == slow.read_text()
    hkgit(recorded, "gate", "--message-file", str(quick))


def test_prepare_commit_msg_writes_the_same(recorded: Repo, tmp_path: Path) -> None:
    message = tmp_path / "message"
    message.write_text(WORDS)
    assert is_signed(str(message))
    assert "Hkgit-Entry: sha256:" in message.read_text()


@pytest.mark.sampled
@pytest.mark.parametrize(
    "words",
    [
        pytest.param("", id="nothing"),
        pytest.param("\n\n", id="blanks"),
        pytest.param(f"{WORDS}\nCo-authored-by: Claude <a@b.c>\n", id="an agent beside"),
        pytest.param(f"This reverts commit {'0' * 40}.\n", id="a revert"),
        pytest.param(f"{WORDS}\nHkgit-Agent: me\n", id="a trailer of its own"),
        pytest.param(f"{WORDS}\nHkgit-Entry: sha256:{'0' * 64}\n", id="another entry"),
        pytest.param("hkgit-edit: x\n\nwords\n", id="a key above"),
        pytest.param("Say \u202etwo\n", id="a bidirectional control"),
        pytest.param("Sagt zwölf\n", id="letters of another alphabet"),
        pytest.param("one\n# a comment\ntwo\n", id="a comment between"),
        pytest.param("one\rtwo\n", id="a carriage return"),
    ],
)
def test_any_other_message_is_judged_and_left_alone(
    recorded: Repo, tmp_path: Path, words: str
) -> None:
    message = tmp_path / "message"
    message.write_bytes(words.encode())
    assert not is_known_to_pass(str(message))
    assert message.read_bytes() == words.encode()


def test_a_true_trailer_that_was_changed_is_judged(recorded: Repo, tmp_path: Path) -> None:
    message = tmp_path / "message"
    message.write_text(WORDS)
    assert is_known_to_pass(str(message))
    message.write_text(message.read_text().replace("Confidence: 1.00", "Confidence: 0.99"))
    assert not is_known_to_pass(str(message))
    hkgit(recorded, "gate", "--message-file", str(message), code=6)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"app.py": "one\n2\nthree\nby hand\n"}, id="more is staged"),
        pytest.param({"else.py": "x = 1\n"}, id="another file"),
    ],
)
def test_another_index_is_judged(recorded: Repo, tmp_path: Path, change: dict[str, str]) -> None:
    message = tmp_path / "message"
    message.write_text(WORDS)
    for path, text in change.items():
        recorded.write(path, text)
    recorded.git("add", "-A")
    assert not is_known_to_pass(str(message))


def test_another_name_or_parent_is_judged(
    recorded: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = tmp_path / "message"
    message.write_text(WORDS)
    with monkeypatch.context() as other:
        other.setenv("GIT_AUTHOR_NAME", "codex")
        assert not is_known_to_pass(str(message))
    tree = recorded.git("rev-parse", "HEAD^{tree}")
    made = recorded.git("commit-tree", tree, "-p", "HEAD", "-m", "Nothing")
    recorded.git("update-ref", "HEAD", made)
    assert not is_known_to_pass(str(message))


def test_git_commits_what_was_judged_once(recorded: Repo) -> None:
    done, said = git(recorded, "commit", "-q", "-m", "Say two")
    assert done, said
    shown = recorded.git("log", "-1", "--format=%B")
    assert shown.count("Hkgit-Entry: sha256:") == 1
    assert "strict" in hkgit(recorded, "gate", "--range", "HEAD^..HEAD")
    assert hkgit(recorded, "session", "list", "--json").count('"waiting": 0') == 1


def test_a_blind_edit_is_refused_and_taken_out_again(
    native: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "claude")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "noreply@anthropic.com")
    words = ("--session", "s", "--file", "app.py", "--old", "two", "--new", "2")
    hkgit(native, "edit", *words)
    native.git("add", "-A")
    done, said = git(native, "commit", "-q", "-m", "Blind")
    assert not done
    assert "blind" in said
    assert ".hkgit/ledger" not in native.git("ls-files")


def sign_by_shell(repo: Repo, message: Path) -> bool:
    """Whether the shell's own question let a message pass."""
    words = (".git/hkgit/ask", "message", str(message))
    return start("sh", *words, cwd=repo.path).returncode == 0


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("words", "is_signed_there"),
    [
        pytest.param("Say two\n", True, id="a subject"),
        pytest.param("Fix: say two\n", True, id="a subject like a trailer"),
        pytest.param(WORDS, True, id="a body"),
        pytest.param("Say two\n\nTwo: it is.\n\nAnd more.\n", True, id="a colon in the middle"),
        pytest.param("Say $(two) `3` \\n 'x' \"y\" %s\n", True, id="what shells expand"),
        pytest.param("Say two\n\nReviewed: yes\n", False, id="a trailer"),
        pytest.param("Say two\n\n(cherry picked from commit 1)\n", False, id="a cherry-pick"),
        pytest.param("Say two\n\n\n", False, id="blanks below"),
        pytest.param("\nSay two\n", False, id="a blank above"),
        pytest.param("Say two", False, id="no end"),
        pytest.param("Say two\n \n", False, id="a line of spaces"),
        pytest.param("Say two\n---\nmore\n", False, id="a line of dashes"),
        pytest.param("Say\ttwo\n", False, id="a tab"),
        pytest.param("Sagt zwölf\n", False, id="letters of another alphabet"),
        pytest.param("Say two\n\nHKGIT-x\n", False, id="a key"),
        pytest.param("Say two\n# Please enter\n", False, id="a comment"),
        pytest.param("", False, id="nothing"),
        pytest.param("Say two\n" + "more\n" * 40, False, id="a long one"),
    ],
)
def test_the_shell_signs_as_python_does_or_leaves_it_alone(
    recorded: Repo, tmp_path: Path, words: str, is_signed_there: bool
) -> None:
    quick, slow = tmp_path / "quick", tmp_path / "slow"
    for place in (quick, slow):
        place.write_text(words)
    assert sign_by_shell(recorded, quick) == is_signed_there
    if is_signed_there:
        assert is_known_to_pass(str(slow))
    assert quick.read_text() == slow.read_text()


@pytest.mark.sampled
@pytest.mark.parametrize(
    "change",
    [
        pytest.param("export GIT_AUTHOR_NAME=codex", id="another name"),
        pytest.param("export HKGIT_STATE=/elsewhere", id="another state"),
        pytest.param("echo more >>app.py; git add app.py", id="another tree"),
        pytest.param(
            "git commit-tree HEAD^{tree} -p HEAD -m x >x; git reset -q --soft $(cat x)",
            id="another parent",
        ),
        pytest.param("git checkout -q -b other", id="another branch"),
        pytest.param("git config core.commentChar ';'", id="another mark of comments"),
        pytest.param("git config core.commentString //", id="a mark of several letters"),
        pytest.param("sed -i 1s/^/9/ .git/hkgit/recorded", id="another hkgit"),
        pytest.param("sed -i 8,99d .git/hkgit/recorded", id="no trailers kept"),
        pytest.param("rm .git/hkgit/recorded", id="nothing kept"),
    ],
)
def test_the_shell_signs_only_what_pre_commit_judged(
    recorded: Repo, tmp_path: Path, change: str
) -> None:
    message = tmp_path / "message"
    message.write_text(WORDS)
    words = ("sh", "-c", f"{change}; exec sh .git/hkgit/ask message {message}")
    assert start(*words, cwd=recorded.path).returncode == 1
    assert message.read_text() == WORDS


def test_an_agent_in_its_own_shell_is_signed_there(
    recorded: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    message = tmp_path / "message"
    message.write_text(WORDS)
    assert sign_by_shell(recorded, message)
    assert "Hkgit-Entry: sha256:" in message.read_text()
    assert not sign_by_shell(recorded, message), "what is signed is looked at by Python"
