"""What the hooks remember of a person's commits: never more than the judge would say again."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from hkgit.cli.passed_commits import is_known_to_pass
from hkgit.evidence import entry
from hkgit.gate import trusted_policy
from hkgit.git import facts
from tests.support.cases import cases
from tests.support.commands import expect_pass, expect_refusal, hkgit, stage_line_two
from tests.support.repos import Repo, write_program

CLAUDE = "Co-authored-by: Claude <noreply@anthropic.com>"


@pytest.fixture
def known(native: Repo) -> Repo:
    """A clone that remembers a person's commit, with the next one staged."""
    stage_line_two(native, "1")
    expect_pass(native, "commit", "-q", "-m", "One")
    stage_line_two(native, "2")
    return native


def is_known(repo: Repo, monkeypatch: pytest.MonkeyPatch, words: str = "Words\n") -> bool:
    """Whether commit-msg, with this message, would ask no further."""
    message = repo.path.parent / "message"
    message.write_text(words)
    monkeypatch.chdir(repo.path)
    return is_known_to_pass(str(message))


def test_an_agents_commit_is_rejected_after_many_of_a_person(known: Repo) -> None:
    """Known by its message or by its name, and where the hook that would tell is gone."""
    expect_pass(known, "commit", "-q", "-m", "Two")
    stage_line_two(known, "3")
    assert "is an agent" in expect_refusal(known, "commit", "-q", "-m", f"Three\n\n{CLAUDE}")
    (known.path / ".git/hooks/commit-msg").unlink()
    expect_pass(known, "commit", "-q", "-m", "Three")
    known.git("config", "user.name", "claude")
    for text in "45":
        stage_line_two(known, text)
        assert "is an agent" in expect_refusal(known, "commit", "-q", "-m", text)


def test_the_places_are_those_that_the_judge_reads() -> None:
    assert facts.POLICIES == (trusted_policy.PYPROJECT, trusted_policy.CONFIG)
    assert facts.LEDGER == entry.LEDGER


def test_a_persons_next_commit_is_known(known: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_known(known, monkeypatch)
    monkeypatch.setenv("HKGIT_SESSION", "named")
    assert is_known(known, monkeypatch)


def started(
    repo: Repo, tmp_path: Path, *words: str, env: Mapping[str, str] | None = None
) -> list[str]:
    """What hooks ask of hkgit while git commits; it answers that all is well."""
    log = tmp_path / "log"
    program = write_program(tmp_path / "bin/hkgit", f'echo "$@" >>{log}')
    log.write_text("")
    path = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    expect_pass(repo, "commit", "-q", *words, env=path | dict(env or {}))
    return log.read_text().splitlines()


JUDGED = "gate --quiet --record --message-file .git/COMMIT_EDITMSG"


@pytest.mark.parametrize("words", [("-m", "Two"), ("-a", "--amend", "--no-edit")])
def test_a_persons_commit_asks_the_judge_once(
    known: Repo, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert started(known, tmp_path, *words) == [JUDGED]


@cases(
    "change, env",
    {
        "waiting": ("mkdir -p .git/hkgit/sessions; : >.git/hkgit/sessions/.waiting", {}),
        "sessions elsewhere": ("true", {"HKGIT_STATE": "/nowhere"}),
        "an agent's shell": ("true", {"CLAUDECODE": "1"}),
        "another commit-msg": ("echo true >.git/hooks/commit-msg", {}),
        "a commit-msg that git skips": ("chmod -x .git/hooks/commit-msg", {}),
    },
)
def test_pre_commit_asks_where_something_is_to_be_recorded_or_nobody_judges_later(
    known: Repo, tmp_path: Path, change: str, env: dict[str, str]
) -> None:
    known.shell(change)
    asked = started(known, tmp_path, "-m", "Two", env=env)
    assert asked[0] == "gate --quiet --record --staged"


def test_a_linked_worktree_remembers_too(
    native: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    side = native.linked(tmp_path / "side", "-b", "side")
    stage_line_two(side, "1")
    expect_pass(side, "commit", "-q", "-m", "One")
    stage_line_two(side, "2")
    monkeypatch.setenv("GIT_DIR", side.git("rev-parse", "--absolute-git-dir"))
    monkeypatch.setenv("GIT_WORK_TREE", str(side.path))
    assert is_known(side, monkeypatch)


@pytest.mark.sampled
@cases(
    "change, env",
    {
        "another branch": ("git checkout -q -b other", {}),
        "another name": ("git config user.email else@example.org", {}),
        "nothing staged": ("git reset -q", {}),
        "no branch": ("git checkout -q --detach", {}),
        "a merge": ("git rev-parse HEAD~1 >.git/MERGE_HEAD", {}),
        "grafts": ("mkdir -p .git/info; : >.git/info/grafts", {}),
        "the ledger": ("mkdir -p .hkgit/ledger/aa; : >.hkgit/ledger/aa/b; git add -A", {}),
        "author": ("true", {"GIT_AUTHOR_NAME": "claude"}),
        "committer": ("true", {"GIT_COMMITTER_NAME": "claude"}),
        "an agent's shell": ("true", {"CLAUDECODE": "1"}),
        "backend": ("true", {"HKGIT_GIT": "program"}),
        "transaction": ("true", {"HKGIT_TRANSACTION": "1"}),
        "a merge in the environment": ("true", {"GITHEAD_" + "0" * 40: "side"}),
    },
)
def test_whatever_the_judge_reads_is_asked_again(
    known: Repo, monkeypatch: pytest.MonkeyPatch, change: str, env: dict[str, str]
) -> None:
    known.shell(change)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert not is_known(known, monkeypatch)


@pytest.mark.sampled
@cases(
    "words, expected",
    {
        "plain": ("Just words\n", True),
        "an agent beside": (f"Words\n\n{CLAUDE}\n", False),
        "in capitals": (f"Words\n\n{CLAUDE.upper()}\n", False),
        "assisted": ("Words\n\nAssisted-by: Claude <a@b.c>\n", False),
        "generated": ("Words\n\nGenerated-by: x\n", False),
        "signed off": ("Words\n\nSigned-off-by: Ada <a@b.c>\n", True),
        "a revert": (f"This reverts commit {'0' * 40}.\n", False),
        "too long to read": ("x" * 70_000, False),
        "many lines": ("Words\n" * 40, True),
        "an agent below many lines": ("Words\n" * 40 + CLAUDE, False),
        "too many lines": ("Words\n" * 12_000, False),
        "an agent in the same line": (f"Signed-off-by: Ada {CLAUDE}", False),
        "no line end": ("Words", True),
    },
)
def test_a_message_that_may_decide_is_judged(
    known: Repo, monkeypatch: pytest.MonkeyPatch, words: str, expected: bool
) -> None:
    assert is_known(known, monkeypatch, words) is expected


@cases(
    "policy",
    {
        "everyone is governed": '[gate]\ngovern = "all"\n',
        "the name is an agent's": '[gate]\nagents = ["test*", "a*"]\n',
        "no verdict passes": '[gate]\nverdicts = ["strict"]\n',
    },
)
def test_a_new_policy_is_judged_again(
    known: Repo, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    known.git("reset", "-q", "--hard")
    known.write(".hkgit/config.toml", policy)
    known.git("commit", "-q", "-a", "--no-verify", "-m", "Be strict")
    stage_line_two(known, "3")
    assert not is_known(known, monkeypatch)


def test_what_was_rejected_is_not_remembered(native: Repo) -> None:
    native.write(".hkgit/config.toml", '[gate]\ngovern = "all"\n')
    native.git("commit", "-q", "-a", "--no-verify", "-m", "Be strict")
    for text in "12":
        stage_line_two(native, text)
        expect_refusal(native, "commit", "-q", "-m", "Blind")


def test_a_memory_that_cannot_be_kept_or_read_stops_no_commit(native: Repo) -> None:
    native.write(".git/hkgit", "in the way")
    stage_line_two(native, "1")
    expect_pass(native, "commit", "-q", "-m", "One")


def test_an_editor_of_several_lines_is_nobodys_name(
    known: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`git var -l` shows settings as they are, also those that look like its own lines."""
    person = known.git("var", "GIT_AUTHOR_IDENT")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "claude")
    monkeypatch.setenv("GIT_EDITOR", f"vi\nGIT_AUTHOR_IDENT={person}\n")
    assert not is_known(known, monkeypatch)


def test_no_range_is_judged_by_what_is_remembered(known: Repo) -> None:
    known.write(".git/hkgit/judged", b"nonsense\n" * 3)
    assert "1 commit" in hkgit(known, "gate", "--range", "HEAD~1..HEAD")
