"""The automatic merge is a function of the commits, and of nothing around them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hkgit.errors import Unverifiable
from hkgit.git.repository import Repository
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo

LINES = "".join(f"line {number}\n" for number in range(20))
Files = dict[str, str | bytes | None]
OURS: Files = {"f": "top\n" + LINES}
THEIRS: Files = {"f": LINES + "end\n"}
Merged = tuple[Repo, tuple[str, str], str]


def diverge(
    repo: Repo, ours: Files = OURS, theirs: Files = THEIRS, base: Files | None = None
) -> tuple[str, str]:
    """Two commits on `main` and `side` with a common parent."""
    repo.commit({"f": LINES} if base is None else base)
    repo.git("checkout", "-q", "-b", "side")
    second = repo.commit(theirs)
    repo.git("checkout", "-q", "main")
    return repo.commit(ours), second


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Merged:
    """Two commits that merge cleanly, and the tree of that; to be read alone."""
    repo = Repo.init(tmp_path_factory.mktemp("merged") / "repo")
    parents = diverge(repo)
    return repo, parents, str(automatic_merge(repo, parents))


def automatic_merge(repo: Repo, parents: Sequence[str]) -> str | None:
    return open_repository(repo).automatic_merge(parents)


def merged_by_git(repo: Repo, *others: str) -> str:
    repo.git("merge", "-q", "--no-ff", "--no-edit", *others)
    return repo.tree()


@pytest.mark.usefixtures("each_backend")
def test_it_is_the_tree_that_git_merge_makes(repo: Repo) -> None:
    parents = diverge(repo, theirs=THEIRS | {"new": "x"})
    assert automatic_merge(repo, parents) == merged_by_git(repo, "side")


def test_a_rename_on_one_side_is_followed(repo: Repo) -> None:
    parents = diverge(repo, {"f": None, "g": LINES})
    assert automatic_merge(repo, parents) == merged_by_git(repo, "side")


def test_an_octopus_is_merged_one_head_after_the_other(repo: Repo) -> None:
    one, two = diverge(repo)
    repo.git("checkout", "-q", "-b", "third", "HEAD~")
    three = repo.commit({"new": "x"})
    repo.git("checkout", "-q", "main")
    assert automatic_merge(repo, (one, two, three)) == merged_by_git(repo, "side", "third")


def test_a_conflict_gives_no_tree(repo: Repo) -> None:
    parents = diverge(repo, {"f": "ours\n"}, {"f": "theirs\n"})
    assert automatic_merge(repo, parents) is None


def test_histories_that_never_met_can_be_merged(repo: Repo) -> None:
    first = repo.commit({"a": "1"})
    repo.git("checkout", "-q", "--orphan", "alone")
    repo.git("rm", "-rfq", ".")
    second = repo.commit({"b": "1"})
    opened = open_repository(repo)
    merged = opened.automatic_merge((first, second))
    assert merged == opened.write_tree(repo.tree(first), {"b": opened.snapshot(second).get("b")})


@pytest.mark.parametrize("where", [".gitattributes", ".git/info/attributes"])
def test_attributes_of_the_checkout_do_not_change_it(repo: Repo, where: str) -> None:
    parents = diverge(repo, {"f": "ours\n"}, {"f": "theirs\n"})
    repo.write(where, "f merge=union\n")
    assert automatic_merge(repo, parents) is None
    merged_by_git(repo, "side")  # git itself is taken in


@cases(
    "options",
    {
        "directory renames": ("merge.directoryRenames", "true"),
        "no renames": ("merge.renames", "false"),
        "no renames in diffs": ("diff.renames", "false"),
        "a default driver": ("merge.default", "union"),
    },
)
def test_configuration_does_not_change_it(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, str]
) -> None:
    base: Files = {"old/a": LINES, "old/b": LINES + "b\n", "f": LINES}
    moved: Files = {"old/a": None, "old/b": None, "new/a": LINES, "new/b": LINES + "b\n"}
    parents = diverge(repo, moved | THEIRS, OURS | {"old/c": "c"}, base)
    before = automatic_merge(repo, parents)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    repo.git("config", *options)
    repo.git("config", "--global", *options)
    after = automatic_merge(repo, parents)
    assert before is not None
    assert after == before
    assert "old/c" in open_repository(repo).snapshot("side").paths()


def test_the_environment_does_not_change_it(
    merged: Merged, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, parents, tree = merged
    for name in ("DIR", "INDEX_FILE", "OBJECT_DIRECTORY", "CONFIG_COUNT", "CONFIG_PARAMETERS"):
        monkeypatch.setenv(f"GIT_{name}", "/nowhere/else")
    monkeypatch.setenv("GIT_ATTR_SOURCE", "HEAD")
    monkeypatch.setenv("GIT_TEST_MERGE_ALGORITHM", "recursive")
    assert automatic_merge(repo, parents) == tree


def test_nothing_is_written_to_the_repository(merged: Merged) -> None:
    repo, parents, tree = merged
    before = sorted((repo.path / ".git").rglob("*"))
    assert automatic_merge(repo, parents) == tree
    assert sorted((repo.path / ".git").rglob("*")) == before
    assert repo.git("cat-file", "-t", tree, check=False) == ""


def test_objects_are_borrowed_through_alternates_of_alternates(
    merged: Merged, tmp_path: Path
) -> None:
    repo, parents, tree = merged
    repo.git("clone", "-q", "--shared", "--bare", str(repo.path), str(tmp_path / "one: two"))
    repo.git("clone", "-q", "--shared", str(tmp_path / "one: two"), str(tmp_path / 'th"ree'))
    third = Repository.discover(tmp_path / 'th"ree')
    assert third.automatic_merge(parents) == tree


def test_a_history_that_is_not_all_here_is_unverifiable(repo: Repo, tmp_path: Path) -> None:
    one, two = diverge(repo)
    repo.git("update-ref", "refs/heads/second", two)
    url = f"file://{repo.path}"
    repo.git("clone", "-q", "--depth=1", "--no-single-branch", url, str(tmp_path / "shallow"))
    with pytest.raises(Unverifiable, match="beyond the history of a shallow clone"):
        Repository.discover(tmp_path / "shallow").automatic_merge((one, two))


def test_a_shallow_clone_is_deep_enough_when_it_holds_the_merge_base(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit()
    parents = diverge(repo)
    url = f"file://{repo.path}"
    repo.git("clone", "-q", "--depth=2", "--no-single-branch", url, str(tmp_path / "shallow"))
    merged = Repository.discover(tmp_path / "shallow").automatic_merge(parents)
    assert merged == merged_by_git(repo, "side")
