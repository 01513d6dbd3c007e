"""`hkgit read`: lines with the hash to quote, and what is no answer."""

import hashlib
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench, run

LATIN = "café\n".encode("latin-1")
FILES: dict[str, str | bytes | None] = {
    "sub/a.py": "one\ntwo\nthree\n",
    "a.py:1": "a colon in its name\n",
    "crlf.py": b"one\r\ntwo\r\nthree\r\n",
    "bom.py": b"\xef\xbb\xbfone\ntwo\nthree\n",
    "latin.txt": LATIN,
    "open-ended": "one\ntwo",
    "odd": b"one\rstill one\x0c\ntwo\n",
    "empty": b"",
    "x": "ex\nwhy\n",
    "wide": "\n".join(f"line {n}" for n in range(1, 12)) + "\n",
    ".hkgit/config.toml": "[gate]\n",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """One repository for all: reading changes nothing."""
    place = tmp_path_factory.mktemp("read")
    repo = Repo.init(place / "repo")
    repo.commit({"sub/a.py": "old one\n", "gone.py": "was here\n"}, "Begin")
    (repo.path / "link").symlink_to("sub/a.py")
    (repo.path / "linked").symlink_to("sub")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head},module")
    Repo.init(repo.path / "module").commit({"a": "1"})
    repo.commit({**FILES, "gone.py": None}, "Go on")
    return make_bench(repo, place)


def digest(*lines: bytes) -> str:
    return hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()


@cases(
    {
        "a range": (
            "sub/a.py:2-3",
            f"sub/a.py:2-3 of 3  {digest(b'two', b'three')}\n2| two\n3| three\n",
        ),
        "numbers in a column": (
            "wide:9-10",
            f"wide:9-10 of 11  {digest(b'line 9', b'line 10')}\n 9| line 9\n10| line 10\n",
        ),
        "an empty file": ("empty", f"empty:1-0 of 0  {digest()}\n"),
        "the range it has": ("empty:1-0", f"empty:1-0 of 0  {digest()}\n"),
        "a name of one letter": ("x:1", f"x:1-1 of 2  {digest(b'ex')}\n1| ex\n"),
    },
)
def test_text_is_the_range_with_its_hash_and_numbered_lines(
    target: str, expected: str, bench: Bench
) -> None:
    assert bench.run("read", target).out == expected


@cases(
    {
        "whole file": ("sub/a.py", 1, 3, 3, ["one", "two", "three"], None),
        "one line": ("sub/a.py:2", 2, 2, 3, ["two"], None),
        "a range": ("sub/a.py:2-3", 2, 3, 3, ["two", "three"], None),
        "clamped": ("sub/a.py:2-99", 2, 3, 3, ["two", "three"], None),
        "CRLF is no text": ("crlf.py:1-2", 1, 2, 3, ["one", "two"], None),
        "byte order mark is no text": ("bom.py:1", 1, 1, 3, ["one"], None),
        "not UTF-8": ("latin.txt", 1, 1, 1, ["caf\ufffd"], [LATIN[:-1]]),
        "no line end at the end": ("open-ended", 1, 2, 2, ["one", "two"], None),
        "lone CR and form feed are text": ("odd", 1, 2, 2, ["one\rstill one\x0c", "two"], None),
        "empty file": ("empty", 1, 0, 0, [], None),
        "a name like a range": ("a.py:1", 1, 1, 1, ["a colon in its name"], None),
        "hkgit's own files": (".hkgit/config.toml", 1, 1, 1, ["[gate]"], None),
    },
)
def test_json_has_the_keys_of_the_contract(
    target: str,
    start: int,
    end: int,
    total: int,
    lines: list[str],
    hashed: list[bytes] | None,
    bench: Bench,
) -> None:
    names = [name for name in FILES if target.startswith(name)]
    assert bench.run("read", "--json", target).json() == {
        "path": max(names, key=len),
        "start_line": start,
        "end_line": end,
        "total_lines": total,
        "range_hash": digest(*([line.encode() for line in lines] if hashed is None else hashed)),
        "range_lines": lines,
    }


def test_what_was_clamped_is_said_on_standard_error(bench: Bench) -> None:
    assert "ends at line 3" in bench.run("read", "sub/a.py:2-99").err
    assert bench.run("read", "sub/a.py:2-3").err == ""


@cases(
    {
        "from the root": ("", "sub/a.py"),
        "from a subdirectory": ("sub", "a.py"),
        "through the parent": ("sub", "../sub/./a.py"),
        "absolute": ("module", "{root}/sub/a.py"),
        "absolute, through a link to the work tree": ("", "{link}/sub/a.py"),
    },
)
def test_paths_are_relative_to_the_current_directory_and_answers_to_the_root(
    folder: str, target: str, bench: Bench, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(bench.repo.path)
    given = target.format(root=bench.repo.path, link=link)
    cwd = bench.repo.path / (folder if folder != "module" else "")
    assert bench.run("read", "--json", given, cwd=cwd).json()["path"] == "sub/a.py"


@cases(
    {
        "an older text": (["sub/a.py", "--rev", "HEAD~1"], ["old one"]),
        "a file that is gone": (["gone.py", "--rev", "HEAD~1"], ["was here"]),
        "a range at a branch": (["sub/a.py:3", "--rev", "main"], ["three"]),
    },
)
def test_a_revision_is_read_instead_of_the_working_tree(
    args: list[str], lines: list[str], bench: Bench
) -> None:
    assert bench.run("read", "--json", *args).json()["range_lines"] == lines


REFUSED = {
    "start past the end": ("sub/a.py:4", "has 3 lines"),
    "a line past an empty file": ("empty:2", "has 0 lines"),
    "line zero": ("sub/a.py:0", "is not a range"),
    "backwards": ("sub/a.py:3-2", "is not a range"),
    "missing": ("nowhere.py", "no such file"),
    "directory": ("sub", "is a directory"),
    "the root": (".", "has a part that is empty or only dots"),
    "symbolic link": ("link", "is a symbolic link"),
    "below a symbolic link": ("linked/a.py", "no such file"),
    "submodule": ("module", "is a submodule"),
    "outside": ("../outside.py", "outside the work tree"),
    "inside .git": (".git/config", ".git"),
    "unknown revision": ("sub/a.py --rev nowhere", "is not a commit"),
    "not in that revision": ("gone.py --rev HEAD", "no such file"),
}


@cases(REFUSED)
def test_what_cannot_be_read_is_refused(args: str, words: str, bench: Bench) -> None:
    result = bench.run("read", *args.split())
    assert (result.code, result.out) == (4, "")
    assert words in result.err


def test_outside_a_repository_paths_are_from_the_current_directory(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\n")
    result = run("read", "a.py", cwd=tmp_path)
    assert result.out == f"a.py:1-1 of 1  {digest(b'one')}\n1| one\n"


def test_a_bare_repository_is_read_by_revision(bare: Bench) -> None:
    codes = [bare.run("read", "README.md", *rev).code for rev in ((), ("--rev", "main"))]
    assert codes == [4, 0]


@cases({"a poor terminal": "ascii", "a strict one": "utf-8:strict"})
def test_every_terminal_is_good_enough(encoding: str, bench: Bench, tmp_path: Path) -> None:
    (bench.repo.path / "caf\udce9").write_text("été\n", "utf-8")
    try:
        result = bench.run("read", "caf\udce9", env={"PYTHONIOENCODING": encoding})
    finally:
        (bench.repo.path / "caf\udce9").unlink()
    assert result.code == 0
    assert result.err == ""
