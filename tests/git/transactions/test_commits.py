"""The commit in the temporary worktree: as `git commit` makes it, and as planned."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.errors import GitRefused
from hkgit.gate.entrypoints.hook_scripts import render_script
from hkgit.git.objects import Commit
from hkgit.git.transaction.worktree import commit_worktree, temporary_worktree
from hkgit.workflows.worktree_commit import find_foreign_hooks
from tests.support.cases import cases
from tests.support.keys import public, sign_with
from tests.support.objects import open_repository
from tests.support.repos import IDENTITY, Repo

Make = Callable[..., Commit]


@pytest.fixture
def make(repo: Repo) -> Make:
    """Commits file `a` with content `2` through a temporary worktree."""
    repo.commit({"a": "1", "b": "1", "hooks/pre-commit": "#!/bin/sh\n"})

    def commit(message: bytes = b"Subject\n", *, full: bool = False) -> Commit:
        opened = open_repository(repo)
        tree = opened.write_tree(repo.tree(), {"a": File(b"2")})
        with temporary_worktree(opened, repo.head, tree, ["a"], full=full) as worktree:
            return opened.commit(commit_worktree(opened, worktree, message))

    return commit


def test_the_commit_is_the_planned_one(repo: Repo, make: Make) -> None:
    made = make()
    assert made.parents == (repo.head,)
    assert repo.show(made.id, "a") == b"2"
    assert made.author == IDENTITY
    assert made.committer == IDENTITY
    assert made.time == 1714979289


@cases(
    "message",
    {
        "paragraphs": b"Subject\n\nBody\n\nHkgit-Base: x\n",
        "what cleaning up would take": b"# not a comment\n\n  indented  \n\n\n",
        "scissors": b"x\n" + b"-" * 24 + b" >8 " + b"-" * 24 + b"\ny\n",
        "UTF-8": "Été\n".encode(),
        "no line end": b"no line end",
    },
)
def test_the_message_is_verbatim(repo: Repo, make: Make, message: bytes) -> None:
    repo.git("config", "commit.cleanup", "strip")
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    assert make(message).message == message


def test_author_and_committer_are_those_of_the_environment(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Alan")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "alan@example.org")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Grace")
    made = make()
    assert made.author == "Alan <alan@example.org>"
    assert made.committer == "Grace <ada@example.org>"


def test_the_identity_may_hang_on_where_the_repository_lies(repo: Repo, make: Make) -> None:
    repo.write(".git/work", "[user]\n\tname = At Work\n")
    repo.git("config", f"includeIf.gitdir:{repo.path}/.path", str(repo.path / ".git" / "work"))
    assert make().author == "At Work <ada@example.org>"


@pytest.mark.usefixtures("each_backend")
def test_a_commit_is_signed_where_the_user_signs(repo: Repo, make: Make, key: Path) -> None:
    sign_with(repo, key)
    repo.git("config", "commit.gpgSign", "true")
    signer = open_repository(repo).verify_signature(make().id, f"ada@example.org {public(key)}")
    assert signer == "ada@example.org"


def test_a_signature_that_cannot_be_made_is_told(repo: Repo, make: Make) -> None:
    repo.git("config", "gpg.format", "ssh")
    repo.git("config", "user.signingKey", "/nowhere/key")
    repo.git("config", "commit.gpgSign", "true")
    with pytest.raises(GitRefused, match=r"git commit: .*nowhere"):
        make()


# Hooks


def test_hooks_know_who_makes_the_commit_and_the_language_of_the_user(
    repo: Repo, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    repo.write_hook("pre-commit", f'echo "$HKGIT_TRANSACTION $LC_ALL" > "{repo.path}/said"')
    make()
    assert repo.read("said") == b"1 C.UTF-8\n"


def test_a_hook_may_add_to_the_message(repo: Repo, make: Make) -> None:
    repo.write_hook("commit-msg", "echo 'Change-Id: I1' >> \"$1\"")
    assert make(b"Subject\n\n").message == b"Subject\n\nChange-Id: I1\n"


def test_what_a_commit_under_way_needs_is_kept_from_gc(repo: Repo, make: Make) -> None:
    for name in ("pre-commit", "post-commit"):
        repo.write_hook(name, "git gc -q --prune=now")
    assert repo.show(make().id, "a") == b"2"


def test_a_hook_that_changes_files_is_refused_by_name(repo: Repo, make: Make) -> None:
    repo.write_hook("pre-commit", "echo formatted > a; echo new > c; git add a c")
    with pytest.raises(GitRefused, match="a hook changed what was to be committed: a, c"):
        make(full=True)


def test_a_hook_that_commits_is_refused(repo: Repo, make: Make) -> None:
    again = '[ -n "$AGAIN" ] || AGAIN=1 git commit -q --allow-empty -m again'
    repo.write_hook("post-commit", again)
    with pytest.raises(GitRefused, match="a hook made its own commits"):
        make()


def test_a_relative_path_of_hooks_means_those_of_the_checkout(repo: Repo, make: Make) -> None:
    repo.git("config", "core.hooksPath", "hooks")
    repo.write("hooks/pre-commit", "#!/bin/sh\necho 'of the checkout'; exit 1\n").chmod(0o755)
    with pytest.raises(GitRefused, match="of the checkout"):
        make()


def test_a_tree_that_changes_nothing_is_no_commit(repo: Repo, make: Make) -> None:
    repo.commit({"a": "2"})
    with pytest.raises(GitRefused, match="nothing"):
        make()


OWN = render_script().decode().removeprefix("#!/bin/sh\n").removesuffix("\n")


@cases(
    "name, body, mode, found",
    {
        "somebody's": ("pre-commit", "exit 0", 0o755, ["pre-commit"]),
        "after the commit": ("post-commit", "exit 0", 0o755, ["post-commit"]),
        "not executable": ("pre-commit", "exit 0", 0o644, []),
        "hkgit's own": ("pre-commit", OWN, 0o755, []),
        "hkgit's, and more": ("pre-commit", OWN + "\nmake", 0o755, ["pre-commit"]),
        "not run by commit": ("pre-push", "exit 0", 0o755, []),
    },
)
def test_hooks_that_need_every_file_are_found(
    repo: Repo, name: str, body: str, mode: int, found: list[str]
) -> None:
    repo.write_hook(name, body).chmod(mode)
    assert find_foreign_hooks(open_repository(repo)) == found


def test_hooks_are_looked_for_where_the_configuration_says(repo: Repo) -> None:
    repo.write_hook("pre-commit", "exit 0")
    repo.git("config", "core.hooksPath", "hooks")
    repo.write("hooks/commit-msg", "#!/bin/sh\n").chmod(0o755)
    assert find_foreign_hooks(open_repository(repo)) == ["commit-msg"]


# The command that verifies
