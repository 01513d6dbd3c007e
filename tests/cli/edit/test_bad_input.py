"""Specs and repositories that nothing can land of: a stable code, a reason, no trace."""

import os

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench, run
from tests.support.specs import (
    NEW,
    SOURCE,
    edit,
    harnesskit,
    protocol,
    replace_range,
    search_replace,
)

BIG = "x" * 10_000_000


def create(path: str, new_text: str = "x") -> dict[str, object]:
    return {"op": "create_file", "path": path, "new_text": new_text}


SPECS = {
    "blank": ("", 4, "it is empty"),
    "prose": ("Please change the file.\n", 4, "unknown dialect"),
    "not text": (b"\xff\xfe\x00", 4, "unknown dialect"),
    "cut short": ('{"version": "1", "operations": [', 4, "JSON ends too early"),
    "unknown operation": (protocol({"op": "replace_line", "path": SOURCE}), 4, "operations[0].op"),
    "no such file": (protocol(replace_range("nowhere.py", 1, 1, None, "x")), 1, "no such file"),
    "stale": (protocol(replace_range(SOURCE, 10**5, 10**5, "0123456789ab", "x")), 3, "lines"),
    "a directory's name": (protocol(create("src")), 3, "src"),
    "below a file": (protocol(create(f"{SOURCE}/x")), 4, SOURCE),
    "changes nothing": (protocol(replace_range("plain", 1, 1, None, "1")), 4, "changes nothing"),
    "more edits than an entry holds": (
        protocol(*[create(f"many/{n}", "") for n in range(1001)]),
        4,
        "edits 1-1001: the spec: 1001 edits are more",
    ),
}


@pytest.fixture(scope="module")
def odd(sources: Repo, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """One repository with a file of every kind for all: refusing changes nothing."""
    place = tmp_path_factory.mktemp("odd")
    repo = Repo(place / "repo")
    sources.git("clone", "-q", ".", str(repo.path))
    (repo.path / "link").symlink_to(SOURCE)
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head},module")
    Repo.init(repo.path / "module").commit({"a": "1"})
    repo.commit({"binary": b"a\0b\n", "plain": "1\n"}, "Add odd files")
    return make_bench(repo, place)


def expect_refusal(bench: Bench, spec: str | bytes, code: int, words: str) -> None:
    result = bench.expect_refusal(code, words, spec)
    assert result.out == ""
    assert len(result.err) < 2000


@pytest.mark.sampled
@cases(SPECS)
def test_a_spec_that_cannot_be_applied(
    spec: str | bytes, code: int, words: str, odd: Bench
) -> None:
    expect_refusal(odd, spec, code, words)


@pytest.mark.slow
def test_a_spec_of_ten_megabytes(odd: Bench) -> None:
    expect_refusal(odd, protocol(create("big", BIG)), 4, "Split")
    expect_refusal(odd, harnesskit(edit(BIG, "x")), 1, "not in the file")


FILES = {
    "nowhere.py": (1, "no such file"),
    "src": (4, "is a directory"),
    "module": (4, "is a submodule"),
    "module/a": (4, "module is a submodule"),
    "link": (4, "is a symbolic link"),
    "binary": (4, "is a binary file"),
}


def test_each_file_that_cannot_be_edited_is_told_why(odd: Bench) -> None:
    with odd.untouched():
        result = odd.apply(harnesskit(*(edit("a", "b", path) for path in FILES)), "--json")
    errors = {each["path"]: each["error"] for each in result.json()["edits"]}
    for path, (code, words) in FILES.items():
        assert errors[path]["exit_code"] == code, path
        assert words in errors[path]["what"], path


@cases(
    {
        "an unknown dialect": (("--format", "nonsense"), "Known dialects"),
        "another dialect than named": (("--format", "protocol"), "expected JSON"),
        "no such spec": (("missing",), "cannot be read"),
        "a directory as a spec": (("src",), "cannot be read"),
    },
)
def test_options_that_cannot_be(options: tuple[str, ...], words: str, bench: Bench) -> None:
    bench.expect_refusal(4, words, search_replace(), *options)


# Repositories

UNBORN = "git checkout -q --orphan unborn"
FORMAT = "git config core.repositoryFormatVersion 1; git config extensions.unheardOf true"
REPOSITORIES = {
    "no repository": ("mv .git not-git", (), 7, "is not in a git repository"),
    "an unborn branch": (UNBORN, (), 7, "no commit yet"),
    "a branch off nothing": (UNBORN, ("--branch", "topic"), 4, "no commit here yet"),
    "a detached HEAD": ("git checkout -q --detach", (), 7, "detached"),
    "no identity": ("git config user.useConfigOnly true", (), 7, "git config user.name NAME"),
    "a rewritten history": ("git rev-parse HEAD >.git/info/grafts", (), 7, "info/grafts rewrites"),
    "a file in place of the ledger": (
        "echo file >.hkgit; git add .hkgit; git commit -qm File",
        (),
        4,
        ".hkgit: is not a directory",
    ),
    "an unknown format": (FORMAT, (), 7, "unheardof"),
}


@cases(REPOSITORIES)
def test_a_repository_that_cannot_be_landed_in(
    make: str,
    options: tuple[str, ...],
    code: int,
    words: str,
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench.sh(make)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    bench.expect_refusal(code, words, search_replace(), *options)


def test_a_bare_repository_has_branches_to_land_on_and_no_checkout(bare: Bench) -> None:
    bare.expect_refusal(7, "bare", search_replace())
    assert bare.apply(search_replace(), "--branch", "main").code == 0
    assert NEW.encode() in bare.repo.show("main", SOURCE)


@cases(
    {
        "HEAD is garbage": (".git/HEAD", "HEAD"),
        "the configuration is garbage": (".git/config", "config"),
        "the branch is garbage": (".git/refs/heads/main", "main"),
    },
)
def test_a_damaged_repository_is_git_s_refusal(file: str, words: str, bench: Bench) -> None:
    bench.repo.write(file, "[garbage\n")
    result = bench.apply(search_replace())
    assert result.code == 7, result.err
    assert words in result.err, result.err
    assert list(bench.temporary.iterdir()) == []


def test_a_missing_object_is_said_to_be_missing(bench: Bench) -> None:
    blob = bench.repo.resolve(f"HEAD:{SOURCE}")
    (bench.repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    bench.expect_refusal(7, blob, search_replace())


def test_without_git_it_is_said_that_there_is_none(bench: Bench) -> None:
    spec = bench.write(search_replace())
    with bench.untouched():
        result = run("apply", spec, cwd=bench.repo.path, env={"PATH": str(bench.scratch)})
    assert (result.code, "no git program" in result.err) == (7, True)
