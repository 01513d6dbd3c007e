"""A commit with entries: pre-commit records and judges it, commit-msg its message."""

import json

import pytest

from tests.support.cases import cases
from tests.support.commands import expect_pass, expect_refusal, hkgit
from tests.support.repos import Repo


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
    expect_pass(native, "commit", "-q", "-m", "Say two")
    [entry] = json.loads(hkgit(native, "show", "--json"))["ledger"]
    assert [each["path"] for each in entry["claims"]["refusals"]] == ["app.py"]
    [refusal] = json.loads(hkgit(native, "refusals", "--json"))["refusals"]
    assert refusal["landed"] == native.head
    hkgit(native, "gate", "--range", "HEAD~1..HEAD")


@cases(
    "policy, words",
    {
        "in its own file, -m": (".hkgit/config.toml", ("-m", "Say two")),
        "in pyproject.toml, an editor": ("pyproject.toml", ("-e", "-m", "Say two")),
    },
)
def test_the_agent_is_named_as_the_policy_asks(
    native: Repo, monkeypatch: pytest.MonkeyPatch, policy: str, words: tuple[str, ...]
) -> None:
    table = "gate" if policy.startswith(".") else "tool.hkgit.gate"
    (native.path / ".hkgit/config.toml").unlink()
    native.write(policy, f"[{table}]\nassisted_by = 'require'\n")
    native.git("add", "-A")
    native.git("commit", "-q", "-n", "-m", "Name agents")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "claude")
    monkeypatch.setenv("GIT_EDITOR", "true")
    edit(native, "two", "2")
    expect_pass(native, "commit", "-q", *words)
    assert "Assisted-by: " in native.git("log", "-1", "--format=%B")
    hkgit(native, "gate", "--range", "HEAD^..HEAD")


def test_a_message_is_judged_whatever_pre_commit_has_said(
    native: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "claude")
    edit(native, "two", "2")
    native.write_hook("prepare-commit-msg", 'printf "\\nHkgit-Entry: sha256:%064d\\n" 0 >>"$1"')
    assert "Hkgit-Entry" in expect_refusal(native, "commit", "-q", "-m", "Say two")
    assert ".hkgit/ledger" not in native.git("ls-files")
