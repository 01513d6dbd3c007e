"""Which paths may stand in a spec, by the class of attack they belong to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.errors import InvalidInput
from hkgit.text.paths import check_new_path, check_path, check_tree_path, quote_path
from tests.support.properties import examples
from tests.support.repos import Repo

NEVER = [
    pytest.param("", id="empty"),
    pytest.param("/etc/passwd", id="absolute"),
    pytest.param("C:/x", id="drive"),
    pytest.param("c:x", id="drive-relative"),
    pytest.param("//server/share/x", id="UNC"),
    pytest.param("\\\\server\\share\\x", id="UNC with backslashes"),
    pytest.param("\\x", id="root of the drive"),
    pytest.param("..", id="parent"),
    pytest.param("../x", id="outside"),
    pytest.param("a/../../x", id="outside from inside"),
    pytest.param("a/../b", id="parent inside"),
    pytest.param("a\\..\\b", id="parent with backslashes"),
    pytest.param("a/.. /b", id="parent with a blank that Windows drops"),
    pytest.param("a/.../b", id="only dots"),
    pytest.param("./a", id="dot"),
    pytest.param("a/./b", id="dot inside"),
    pytest.param("a//b", id="empty part"),
    pytest.param("a/", id="ends in a slash"),
    pytest.param("a\0b", id="NUL"),
    pytest.param("a\nb", id="newline"),
    pytest.param("a\tb", id="tab"),
    pytest.param("a\x7fb", id="DEL"),
    pytest.param("a\x85b", id="C1 control"),
    pytest.param("a\ud800b", id="stray surrogate"),
    pytest.param("caf\udcc3\udca9", id="UTF-8 in disguise"),
    pytest.param("n" * 256, id="part too long"),
    pytest.param("é" * 128, id="part too long in bytes"),
    pytest.param("a/" * 2048 + "b", id="path too long"),
    # CVE-2014-9390: .git in another case, or with code points that HFS+ ignores
    pytest.param(".git", id=".git itself"),
    pytest.param(".git/config", id=".git/config"),
    pytest.param("sub/.git/hooks/pre-commit", id="nested .git"),
    pytest.param(".GIT/config", id=".GIT"),
    pytest.param(".gIt", id=".gIt"),
    pytest.param(".g\u200cit/config", id="HFS+ zero-width non-joiner"),
    pytest.param("\ufeff.git", id="HFS+ byte order mark"),
    pytest.param(".git\u206f/x", id="HFS+ nominal digit shapes"),
    # CVE-2019-1352, CVE-2019-1353, CVE-2014-9390: what NTFS takes for .git
    pytest.param("git~1/config", id="NTFS short name"),
    pytest.param("GIT~2", id="NTFS second short name"),
    pytest.param(".git./config", id="NTFS trailing dot"),
    pytest.param(".git /config", id="NTFS trailing blank"),
    pytest.param(".git. . .", id="NTFS dots and blanks"),
    pytest.param(".git::$INDEX_ALLOCATION/config", id="NTFS stream of the directory"),
    pytest.param(".git:x", id="NTFS stream"),
    pytest.param(".git .:x", id="NTFS blank and stream"),
    pytest.param("git~1:x", id="NTFS short name and stream"),
    # CVE-2019-1354: backslashes
    pytest.param(".git\\config", id="backslash"),
    pytest.param("a\\.git\\hooks", id="backslash inside"),
    pytest.param("a/b\\.GIT./c", id="both separators"),
]

OURS = [
    ".hkgit",
    ".hkgit/config.toml",
    ".HKGIT/ledger/aa",
    ".hkgit./x",
    "hkgit~1/x",
    ".hk\u200dgit/x",
    ".hkgit::$INDEX_ALLOCATION/x",
]

EVERYWHERE = [
    "a",
    "src/app.py",
    ".gitignore",
    ".gitattributes",
    ".github/workflows/ci.yml",
    ".git-blame-ignore-revs",
    "git",
    "git~x",
    "sub/.hkgit/x",
    ".hkgitignore",
    "-rf",
    "a b/ c",
    "été/日本.txt",
    "odd\udcff name",
    "...x",
    "a..b",
    "auxiliary.c",
    "com.py",
    "x" * 255,
]

NOT_PORTABLE = [
    "aux",
    "aux.c",
    "src/NUL",
    "Con.txt",
    "com1",
    "LPT9.x.y",
    "com².txt",
    "conin$",
    "prn .txt",
    "notes:b",
    "src/a:$DATA",
    "a\\b",
    "ends.",
    "ends ",
    "dir./x",
]


def documented(heading: str) -> list[str]:
    """The examples of a table of docs/paths.md, in which escapes and `{...}` are Python's."""
    page = (Path(__file__).parents[2] / "docs" / "paths.md").read_text()
    table = page.split(heading)[1].split("\n\n")[1]
    cells = [row.split(" | ")[1] for row in table.splitlines()[2:]]
    quoted = re.findall("`(.*?)`", " ".join(cell for cell in cells if "beside" not in cell))
    assert len(quoted) > 8
    return [_evaluated(code) for code in quoted]


def _evaluated(code: str) -> str:
    if code.startswith("{"):
        repeated, rest = code[1:].split("}")
        text, times = repeated.split(" * ")
        return text.strip('"') * int(times) + rest
    return code.encode("ascii").decode("unicode_escape")


@pytest.mark.parametrize("path", documented("**Always refused**"), ids=repr)
def test_what_the_documentation_says_is_refused_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput):
        check_path(path)


@pytest.mark.parametrize("path", documented("**Not portable:**"), ids=repr)
def test_what_the_documentation_says_is_not_portable_is_not_made(path: str) -> None:
    check_path(path)
    with pytest.raises(InvalidInput, match="not portable"):
        check_new_path(path)


@pytest.mark.parametrize("path", NEVER)
def test_a_path_that_leads_outside_or_into_git_stands_in_no_tree(path: str) -> None:
    with pytest.raises(InvalidInput):
        check_tree_path(path)


@pytest.mark.parametrize("path", OURS)
def test_a_path_under_hkgits_own_directory_is_never_in_a_spec(path: str) -> None:
    check_tree_path(path)
    with pytest.raises(InvalidInput, match="belongs to hkgit"):
        check_path(path)


@pytest.mark.parametrize("path", EVERYWHERE)
def test_an_ordinary_path_may_be_made_anew(path: str) -> None:
    check_new_path(path)


@pytest.mark.parametrize("path", NOT_PORTABLE)
def test_a_name_that_is_not_portable_can_be_edited_but_not_made(path: str) -> None:
    check_path(path)
    with pytest.raises(InvalidInput, match="not portable"):
        check_new_path(path)


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0/") | st.sampled_from('\t"\\\udcff\udc80é '),
    min_size=1,
    max_size=8,
).filter(lambda name: name not in (".", "..") and name.lower() != ".git")


@examples(15)
@given(names=st.lists(NAMES, min_size=1, max_size=30))
def test_paths_are_quoted_as_git_quotes_them(
    names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    repo = Repo.init(tmp_path_factory.mktemp("quoting") / "repo")
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"")
    raw = {name.encode("utf-8", "surrogateescape") for name in names}
    tree = b"".join(f"100644 blob {blob}\t".encode() + name + b"\0" for name in raw)
    made = repo.git("mktree", "-z", stdin=tree)
    shown = repo.git("ls-tree", "--name-only", made).split("\n")
    expected = sorted(raw)
    assert shown == [quote_path(name.decode("utf-8", "surrogateescape")) for name in expected]
