"""Paths that lead out of the work tree, into `.git` or `.hkgit/`: refused, and nothing changed."""

from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench
from tests.support.specs import SOURCE, edit, harnesskit, protocol

OUTSIDE = ["../out.py", "src/../../out.py", "/etc/hkgit.conf", "C:/out.py", r"..\out.py", "//h/s"]
GIT = [
    ".git/config",
    ".git",
    ".GIT/config",
    "src/.git/config",
    ".git./config",
    ".git /config",
    ".git::$INDEX_ALLOCATION/config",
    "git~1/config",
    ".g\u200cit/config",
    r".git\config",
]
OWN = [".hkgit/config.toml", ".hkgit/ledger/00/00.json", ".HKGIT/x", "hkgit~1/x", ".hkgit"]
ODD = [".", "..", "src//x.py", "src/./x.py", "src/x.py/", "src/\x1b[2J", "src/\x00", "x" * 300]
THROUGH_LINKS = ["link/x.py", "link/errors.py", "out-link/x.py", "out-link"]
NOT_PORTABLE = ["aux.py", "src/con", "a:b", "dot.", "blank "]

PATHS = [*OUTSIDE, *GIT, *OWN, *ODD, *THROUGH_LINKS, *NOT_PORTABLE]


@pytest.fixture(scope="module")
def linked(sources: Repo, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """With links to a directory inside and to one outside."""
    place = tmp_path_factory.mktemp("paths")
    repo = Repo(place / "repo")
    sources.git("clone", "-q", ".", str(repo.path))
    (place / "outside").mkdir()
    (repo.path / "link").symlink_to("src")
    (repo.path / "out-link").symlink_to("../outside")
    repo.commit(message="Add links")
    return make_bench(repo, place)


@pytest.mark.parametrize("command", ["apply", "edit"])
def test_a_spec_that_would_create_them_is_told_so_of_each(linked: Bench, command: str) -> None:
    spec = linked.write(harnesskit(*(edit("", "x\n", path) for path in PATHS)))
    with linked.untouched():
        result = linked.run(command, spec, "--json")
    assert result.code == 4
    told = zip(PATHS, result.json()["edits"], strict=True)
    assert [path for path, each in told if each["status"] != "invalid"] == []


def test_nothing_is_moved_there_either(linked: Bench) -> None:
    targets = ["c:/x", ".git/hooks/pre-commit", ".hkgit/config.toml", "out-link/x.py"]
    moves: list[dict[str, object]] = [
        {"op": "rename_file", "path": SOURCE, "new_path": target} for target in targets
    ]
    with linked.untouched():
        answer = linked.apply(protocol(*moves), "--json").json()
    assert [told["status"] for told in answer["edits"]] == ["invalid"] * len(targets)


@cases(
    "options",
    {
        "a path of the command line": ("--file", "../outside/x.py"),
        "one through a link": ("--file", "out-link/x.py"),
        "one into .git": ("--file", ".git/x"),
    },
)
@pytest.mark.parametrize("command", ["apply", "edit"])
def test_a_path_of_the_command_line_leads_nowhere_else(
    linked: Bench, command: str, options: tuple[str, ...]
) -> None:
    with linked.untouched():
        result = linked.run(command, *options, "--old", "", "--new", "x\n")
    assert result.code == 4
    assert list((linked.repo.path.parent / "outside").iterdir()) == []


def test_the_git_directory_of_a_linked_worktree_is_out_of_reach(
    linked: Bench, tmp_path: Path
) -> None:
    worktree = tmp_path / "worktree"
    linked.repo.git("worktree", "add", "-q", "--detach", str(worktree))
    pointer = (worktree / ".git").read_bytes()
    spec = linked.write(harnesskit(edit("gitdir: ", "gitdir: /tmp/", ".git")))
    assert linked.run("edit", spec, cwd=worktree).code == 4
    assert (worktree / ".git").read_bytes() == pointer


@pytest.mark.parametrize("command", ["apply", "edit"])
def test_nothing_is_written_through_a_link_that_took_the_place_of_a_directory(
    bench: Bench, command: str
) -> None:
    outside = bench.scratch / "outside"
    (bench.repo.path / "src").rename(outside)
    (bench.repo.path / "src").symlink_to(outside)
    before = {path.name: path.read_bytes() for path in outside.iterdir()}
    bench.run(command, bench.write(harnesskit(edit())))
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == before
