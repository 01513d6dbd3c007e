"""circumstances.py: what a repository may be in while somebody works in it."""

from collections.abc import Callable

from tests.support.repos import Repo


def with_a_dirty_tree(repo: Repo) -> Repo:
    """Where every file that git has is as it was, but for those of people who are at work."""
    *_, first, last = repo.git("ls-files", "*.md", "*.sh").split()
    for name in (first, last):
        repo.write(name, repo.read(name) + b"echo changed\n")
    repo.write("staged.md", b"staged\n")
    repo.git("add", "staged.md", last)
    repo.write("untracked.md", b"untracked\n")
    return repo


def in_a_rebase(repo: Repo) -> Repo:
    """The last commit is being edited."""
    repo.git("rebase", "-q", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i 1s/pick/edit/"})
    assert repo.git("branch", "--show-current") == ""
    return repo


def in_a_linked_worktree(repo: Repo) -> Repo:
    repo.git("checkout", "-q", "--detach")
    linked = Repo(repo.path.parent / "linked")
    repo.git("worktree", "add", "-q", str(linked.path), "main")
    return linked


def in_a_shallow_clone(repo: Repo, start: str = "HEAD") -> Repo:
    """A clone that has a commit and what came after it."""
    clone = Repo(repo.path.parent / "shallow")
    deep = len(repo.git("rev-list", "--first-parent", f"{start}..HEAD").split()) + 1
    repo.git("clone", "-q", f"--depth={deep}", repo.path.as_uri(), str(clone.path))
    for name in ("gpg.format", "user.signingKey"):
        value = repo.git("config", "--get", name, check=False)
        if value:
            clone.git("config", name, value)
    return clone


AS_IT_IS, SHA_256 = "as it is", "SHA-256"

CIRCUMSTANCES: dict[str, Callable[[Repo], Repo]] = {
    AS_IT_IS: lambda repo: repo,
    "dirty": with_a_dirty_tree,
    "rebase": in_a_rebase,
    "linked": in_a_linked_worktree,
    "shallow": in_a_shallow_clone,
    SHA_256: lambda repo: repo,  # git makes it so: `GIT_DEFAULT_HASH`
}


def take_turns(name: str) -> str:
    """Choose a circumstance for a test by its name, so that many tests meet them all."""
    return [*CIRCUMSTANCES][sum(map(ord, name)) % len(CIRCUMSTANCES)]
